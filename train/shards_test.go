package train_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/mpi"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// An outcome is what a run ended with: weights, state and the records that rank 0 was told.
type outcome struct {
	weights []float32
	file    *ckpt.File
	cursor  string
	told    []string
	text    string // of the cursor
}

// A crew is a run on n ranks, which are goroutines.
type crew struct {
	n        int
	begin    func(rank int) (*train.Trainer, *model.Network)
	prepared func(rank int, tr *train.Trainer, net *model.Network) error // nil: nothing between Prepare and Run
	ctx      func(rank int) context.Context                              // nil: that of the test
}

// run returns what rank 0 ended with, and the error of each. All ranks must end with the same weights.
func (c crew) run(t *testing.T) (outcome, []error) {
	t.Helper()
	outcomes, errs := make([]outcome, c.n), make([]error, c.n)
	ranks := mpi.Local(c.n)
	var running sync.WaitGroup
	for i := range c.n {
		tr, net := c.begin(i)
		tr.Group = ranks[i]
		o := &outcomes[i]
		watch := tr.Observe
		tr.Observe = func(e event.Event) error {
			switch e := e.(type) {
			case event.Epoch:
				o.told = append(o.told, fmt.Sprint(e.Epoch, e.TrainLoss, e.TrainAcc, e.ValLoss, e.ValAcc, e.ValN,
					e.Best, e.PerClass, e.Layers))
			case event.Step:
				o.told = append(o.told, fmt.Sprint(e.Step, e.Loss, e.Acc))
			}
			return watch(e)
		}
		ctx := t.Context()
		if c.ctx != nil {
			ctx = c.ctx(i)
		}
		running.Go(func() {
			err := tr.Prepare()
			if err == nil && c.prepared != nil {
				err = c.prepared(i, tr, net)
			}
			if err == nil {
				err = tr.Run(ctx)
			}
			if errs[i] = err; err != nil && !errors.Is(err, train.ErrStopped) {
				ranks[i].Leave()
			}
			o.text = tr.CursorText()
			tr.Cursor.Seconds = 0
			o.weights, o.cursor = weights(net.Params), tr.CursorText()
			o.file = &ckpt.File{Tensors: append(net.Tensors(), tr.State()...)}
		})
	}
	running.Wait()
	for i, o := range outcomes {
		if errs[i] == nil && (!slices.Equal(o.weights, outcomes[0].weights) || o.cursor != outcomes[0].cursor) {
			t.Errorf("ranks 0 and %d of %d ended with different weights or cursors", i, c.n)
		}
	}
	return outcomes[0], errs
}

// unprepared is trainerOf without Prepare.
func unprepared(t *testing.T, spec model.Spec, change func(*train.Options)) (*train.Trainer, *model.Network) {
	t.Helper()
	tr, net := trainerOf(t, spec, change)
	tr.Close()
	own := &train.Trainer{Options: tr.Options, Net: net, Params: net.Params, Train: tr.Train, Val: tr.Val,
		Shape:   tr.Shape,
		Observe: tr.Observe, Save: tr.Save}
	t.Cleanup(own.Close)
	return own, net
}

func smallSpec(change func(*model.Spec)) model.Spec {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(2), model.Ints{3}, 12, 16, 4
	if change != nil {
		change(&spec)
	}
	return spec
}

// kinds are networks whose runs draw masks of every kind, or measure batch norms.
var kinds = map[string]model.Spec{
	"quadratic": smallSpec(func(s *model.Spec) { s.Dropout, s.AttentionDropout = 0.2, 0.2 }),
	"content":   smallSpec(func(s *model.Spec) { s.Encoding, s.Dropout, s.AttentionDropout = "content", 0.2, 0.2 }),
	"resnet":    smallSpec(func(s *model.Spec) { s.Kind, s.Width = "resnet10", 4 }),
}

// The number of ranks changes no byte: of the weights, of the solver's state, of what is recorded. Of ten shards, two
// and five ranks have several subtrees.
func TestRanksAgree(t *testing.T) {
	for name, spec := range kinds {
		for _, shards := range []int{4, 10} {
			if shards != 4 && (testing.Short() || name != "quadratic") {
				continue
			}
			set := func(o *train.Options) {
				o.Shards, o.Epochs, o.TrainBatches, o.Average = shards, 2, 2, 0.9
			}
			begin := func(int) (*train.Trainer, *model.Network) { return unprepared(t, spec, set) }
			want, errs := crew{n: 1, begin: begin}.run(t)
			for _, ranks := range []int{2, 4, 5} {
				if shards%ranks != 0 || errs[0] != nil {
					continue
				}
				got, errs := crew{n: ranks, begin: begin}.run(t)
				if err := errors.Join(errs...); err != nil {
					t.Fatalf("%s: %d shards on %d ranks: %v", name, shards, ranks, err)
				}
				if !slices.Equal(got.weights, want.weights) || got.cursor != want.cursor ||
					!slices.Equal(got.told, want.told) {
					t.Errorf("%s: %d shards on %d ranks give other bytes than on one:\n%v\n%v", name, shards, ranks,
						got.told, want.told)
				}
				for i, tensor := range got.file.Tensors {
					if !slices.Equal(tensor.Data, want.file.Tensors[i].Data) {
						t.Errorf("%s: %d shards on %d ranks: %s differs", name, shards, ranks, tensor.Name)
					}
				}
			}
			if errs[0] != nil {
				t.Errorf("%s: %v", name, errs[0])
			}
		}
	}
}

// Without a batch norm, shards change a step only by rounding: masks of dropout are those of the whole batch.
func TestShardsRound(t *testing.T) {
	for _, name := range []string{"quadratic", "content"} {
		var all [][]float32
		for _, shards := range []int{0, 1, 4} {
			tr, net := unprepared(t, kinds[name], func(o *train.Options) {
				o.Shards, o.Epochs, o.TrainBatches, o.Optimizer, o.LR = shards, 1, 4, "sgd", 0.1
			})
			if err := errors.Join(tr.Prepare(), tr.Run(t.Context())); err != nil {
				t.Fatal(err)
			}
			all = append(all, weights(net.Params))
		}
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("%s: one shard gives other bytes than none", name)
		}
		worst := 0.0
		for i, w := range all[2] {
			worst = max(worst, math.Abs(float64(w-all[0][i])))
		}
		if worst == 0 || worst > 2e-6 {
			t.Errorf("%s: four shards differ from none by up to %.2g; want rounding", name, worst)
		}
	}
}

// Ranks that are given no number of shards have one each.
func TestShardsOfRanks(t *testing.T) {
	begin := func(shards int) func(int) (*train.Trainer, *model.Network) {
		return func(int) (*train.Trainer, *model.Network) {
			return unprepared(t, smallSpec(nil), func(o *train.Options) {
				o.Shards, o.Epochs, o.TrainBatches = shards,
					1, 2
			})
		}
	}
	want, errs := crew{n: 1, begin: begin(2)}.run(t)
	got, more := crew{n: 2, begin: begin(0)}.run(t)
	if err := errors.Join(append(errs, more...)...); err != nil || !slices.Equal(got.weights, want.weights) {
		t.Errorf("two ranks without a number of shards: %v; want the bytes of two shards", err)
	}
}

// What one rank is told to do, all do after the same step; a resume on another number of ranks ends with the same
// bytes.
func TestRanksStopTogether(t *testing.T) {
	set := func(o *train.Options) {
		o.Shards, o.Epochs, o.TrainBatches, o.Optimizer, o.Average = 4, 2, 4, "muon", 0.5
	}
	begin := func(int) (*train.Trainer, *model.Network) { return unprepared(t, smallSpec(nil), set) }
	want, _ := crew{n: 1, begin: begin}.run(t)
	for _, at := range []int{3, 4, 6} {
		ctx, cancel := context.WithCancel(t.Context())
		saves := make([]int, 2)
		asking := func(rank int) (*train.Trainer, *model.Network) {
			tr, net := begin(rank)
			steps := 0
			tr.Save = func(bool) error { saves[rank]++; return nil }
			tr.SaveNow = func() bool { steps++; return rank == 1 && steps == 2 }
			tr.Observe = func(e event.Event) error {
				if s, ok := e.(event.Step); ok && s.Step == at && rank == 1 && at != 4 {
					cancel()
				}
				return nil
			}
			if rank == 1 && at == 4 {
				tr.Val = stopping{tr.Val, cancel} // in the evaluation behind step 4
			}
			return tr, net
		}
		stopped, errs := crew{n: 2, begin: asking, ctx: func(rank int) context.Context {
			if rank == 1 {
				return ctx
			}
			return t.Context()
		}}.run(t)
		if !errors.Is(errs[0], train.ErrStopped) || !errors.Is(errs[1], train.ErrStopped) || saves[0] != saves[1] ||
			saves[0] < 2 {
			t.Fatalf("stopped at %d: %v, saved %v times; want ErrStopped twice, and both asks to save heeded by both",
				at, errs, saves)
		}
		for _, ranks := range []int{1, 4} {
			resume := func(rank int, tr *train.Trainer, net *model.Network) error {
				if rank > 0 { // they have it from rank 0
					return nil
				}
				return errors.Join(net.SetWeights(stopped.file), tr.Restore(stopped.file, stopped.text))
			}
			got, errs := crew{n: ranks, begin: begin, prepared: resume}.run(t)
			if err := errors.Join(errs...); err != nil || !slices.Equal(got.weights, want.weights) ||
				got.cursor != want.cursor {
				t.Errorf("stopped at %d on 2 ranks, resumed on %d: %v, other bytes than without a stop\n%s\n%s", at,
					ranks, err, got.cursor, want.cursor)
			}
		}
	}
}

func TestShardsRefused(t *testing.T) {
	for _, tt := range []struct {
		want, key string
		ranks     int
		change    func(o *train.Options)
	}{
		{"want a divisor of the batch", "train.shards", 1, func(o *train.Options) { o.Shards = 3 }},
		{"want 0 or more", "train.shards", 1, func(o *train.Options) { o.Shards = -1 }},
		{"3 ranks cannot share them", "train.shards", 3, func(o *train.Options) { o.Shards = 4 }},
		{"3 ranks cannot share it", "train.batch", 3, func(o *train.Options) {}},
	} {
		tr, _ := unprepared(t, smallSpec(nil), func(*train.Options) {})
		tt.change(&tr.Options)
		tr.Group = mpi.Local(tt.ranks)[0]
		err := tr.Prepare()
		if wrong := (*option.Error)(nil); !errors.As(err, &wrong) || wrong.Key != tt.key ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v; want an error of %s with %q", err, tt.key, tt.want)
		}
	}
}

// Ranks that were given different things say so, and do not train.
func TestRanksDisagree(t *testing.T) {
	_, errs := crew{n: 2, begin: func(rank int) (*train.Trainer, *model.Network) {
		return unprepared(t, smallSpec(nil), func(o *train.Options) { o.LR = float64(rank + 1) })
	}}.run(t)
	for _, err := range errs {
		if d := (*train.DisagreementError)(nil); !errors.As(err, &d) || d.Rank != 1 || d.What != "the options" {
			t.Errorf("%v; want a Disagree of rank 1 on the options", err)
		}
	}
}

// A value that is not finite in one rank's shard ends the run on all, with one place; or is skipped by all.
func TestRanksDiverge(t *testing.T) {
	for _, action := range []string{"stop", "skip"} {
		begin := func(int) (*train.Trainer, *model.Network) {
			tr, net := unprepared(t, smallSpec(nil), func(o *train.Options) {
				o.Shards, o.Epochs, o.OnNaN = 2, 1,
					action
			})
			tr.Train = poisoned{tr.Train, 30} // in the second shard
			return tr, net
		}
		want, alone := crew{n: 1, begin: begin}.run(t)
		got, errs := crew{n: 2, begin: begin}.run(t)
		if action == "skip" {
			if err := errors.Join(errs...); err != nil || !slices.Equal(got.weights, want.weights) ||
				!strings.Contains(got.cursor, `"skipped":1`) {
				t.Errorf("skip: %v, %s", err, got.cursor)
			}
			continue
		}
		for _, err := range append(alone, errs...) {
			if d := (*train.DivergenceError)(nil); !errors.As(err, &d) || d.Where == "" ||
				err.Error() != alone[0].Error() {
				t.Errorf("%v; want a Diverged, the same on all ranks as alone (%v)", err, alone)
			}
		}
	}
}

// stopping are batches that call stop where an epoch of them begins.
type stopping struct {
	validation
	stop func()
}

type validation = train.Batches

func (s stopping) Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch] {
	s.stop()
	return s.validation.Epoch(ctx, epoch, from)
}

// poisoned are batches of which the second has a NaN in one image.
type poisoned struct {
	of    train.Batches
	image int
}

func (p poisoned) Shape() [4]int { return p.of.Shape() }
func (p poisoned) Batches() int  { return p.of.Batches() }
func (p poisoned) Len() int      { return p.of.Len() }
func (p poisoned) Labels() int   { return p.of.Labels() }

func (p poisoned) Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch] {
	return func(yield func(*data.Batch) bool) {
		i := from
		for b := range p.of.Epoch(ctx, epoch, from) {
			if i++; i == 2 {
				b.X[p.image*len(b.X)/p.of.Shape()[0]] = float32(math.NaN())
			}
			if !yield(b) {
				return
			}
		}
	}
}

// plainBatches hides that Batches are a *data.Loader, so that ranks cut them.
type plainBatches struct{ hidden }

type hidden = train.Batches

// The loss of mixed images is that of both labels by their shares, for whole batches, shards, ranks and smaller images.
func TestMixedLabels(t *testing.T) {
	mixed, err := data.NewLoader(shapes.train, data.LoaderOptions{Batch: 40, Shuffle: true,
		Augment: []string{"mixup=1", "cutmix"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []int{32, 16} {
		var first float64
		for _, how := range [][2]int{{0, 1}, {2, 1}, {2, 2}} {
			begin := func(int) (*train.Trainer, *model.Network) {
				spec := smallSpec(func(s *model.Spec) { s.Dropout, s.AttentionDropout = 0, 0 })
				tr, net := unprepared(t, spec, func(o *train.Options) {
					o.Epochs, o.TrainBatches, o.LR, o.LabelSmoothing, o.Shards = 1, 1, 0, 0.1, how[0]
					if side < 32 {
						o.Epochs, o.Resolutions = 2, []int{16, 32}
					}
				})
				tr.Train = plainBatches{mixed}
				return tr, net
			}
			o, errs := crew{n: how[1], begin: begin}.run(t)
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			var step int
			var loss, want float64
			if _, err := fmt.Sscan(o.told[0], &step, &loss); err != nil {
				t.Fatal(err)
			}
			if first == 0 {
				first = loss
			}
			for b := range mixed.Epoch(t.Context(), 0, 0) {
				if side == 32 {
					want = mixedLoss(t, begin, b)
				} else {
					want = first
				}
				break
			}
			if math.Abs(loss-want) > 1e-4 {
				t.Errorf("side %d, %d shards on %d ranks: loss %v, want %v", side, how[0], how[1], loss, want)
			}
		}
	}
}

// mixedLoss is the mean of -Σ q·log p, from the logits of an evaluation.
func mixedLoss(t *testing.T, begin func(int) (*train.Trainer, *model.Network), b *data.Batch) (sum float64) {
	t.Helper()
	_, net := begin(0)
	e, err := train.NewEvaluator(net, train.Shape{40, 32, 32, 3}, train.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	logits, err := e.Logits(b)
	if err != nil {
		t.Fatal(err)
	}
	classes := len(logits) / 40
	for i := range 40 {
		row, total := logits[i*classes:(i+1)*classes], 0.0
		for _, v := range row {
			total += math.Exp(float64(v))
		}
		for c, v := range row {
			q := 0.1 / float64(classes)
			if c == int(b.Labels[i]) {
				q += 0.9 * (1 - float64(b.Shares[i]))
			}
			if c == int(b.Others[i]) {
				q += 0.9 * float64(b.Shares[i])
			}
			sum -= q * (float64(v) - math.Log(total)) / 40
		}
	}
	return sum
}

// A loader's part is what the loader makes.
func TestLoaderPart(t *testing.T) {
	o := data.LoaderOptions{Batch: 40, Shuffle: true, Seed: 3, Augment: []string{"crop", "cutout", "mixup",
		"cutmix", "randaugment"}}
	whole, err := data.NewLoader(shapes.train, o)
	if err != nil {
		t.Fatal(err)
	}
	part := whole.Part(8, 16)
	size := 32 * 32 * 3
	var images [][]float32
	var others [][]int32
	for b := range whole.Epoch(t.Context(), 1, 0) {
		images = append(images, slices.Clone(b.X[8*size:16*size]))
		others = append(others, slices.Concat(b.Labels[8:16], b.Others[8:16]))
	}
	i := 0
	for b := range part.Epoch(t.Context(), 1, 0) {
		if !slices.Equal(b.X, images[i]) || b.N != 8 || !slices.Equal(slices.Concat(b.Labels, b.Others), others[i]) {
			t.Errorf("batch %d: a part differs", i)
		}
		i++
	}
	if i != whole.Batches() || part.Shape() != [4]int{8, 32, 32, 3} {
		t.Errorf("%d batches of %v", i, part.Shape())
	}
}

// Running statistics take in the mean over the shards of what each by itself would have had them take in.
func TestShardsNorms(t *testing.T) {
	set := func(o *train.Options) { o.Epochs, o.TrainBatches, o.Shards = 1, 1, 2 }
	tr, net := unprepared(t, kinds["resnet"], set)
	if err := errors.Join(tr.Prepare(), tr.Run(t.Context())); err != nil {
		t.Fatal(err)
	}
	var halves [2]*model.Network
	for b := range tr.Train.Epoch(t.Context(), 0, 0) {
		n, size := len(b.Labels)/2, len(b.X)/2
		for i := range halves {
			_, halves[i] = unprepared(t, kinds["resnet"], set)
			step, err := train.NewStep(halves[i], train.Shape{n, 32, 32, 3}, tr.Options)
			if err != nil {
				t.Fatal(err)
			}
			defer step.Close()
			if _, _, err := step.Train(&data.Batch{X: b.X[i*size:][:size], Labels: b.Labels[i*n:][:n], N: n}, 0,
				0); err != nil {
				t.Fatal(err)
			}
		}
		break
	}
	for i, p := range net.Params {
		for j, v := range p.Data {
			a, b := halves[0].Params[i].Data[j], halves[1].Params[i].Data[j]
			if d := math.Abs(float64(v - (a+b)/2)); p.Group == nn.Statistic && d > 1e-6*(1+math.Abs(float64(v))) {
				t.Fatalf("%s[%d] is %v, want the mean of %v and %v", p.Name, j, v, a, b)
			}
		}
	}
}
