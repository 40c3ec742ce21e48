package train

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
)

const shardsKey = "train.shards"

// checkShards returns the rule that Shards break, whatever the ranks.
func (o Options) checkShards() error {
	switch {
	case o.Shards < 0:
		return invalid.Errorf(shardsKey, "%d: want 0 or more", o.Shards)
	case o.Shards > 1 && o.Batch%o.Shards != 0:
		return invalid.Errorf(shardsKey, "%d: want a divisor of the batch, which has %d images", o.Shards, o.Batch)
	case o.Shards > 1 && o.Device != nil:
		return invalid.Errorf(shardsKey, "%d: a GPU takes whole batches; want 0, or the CPU", o.Shards)
	}
	return nil
}

// shards is how many shards a batch is cut into; 0: it is not.
func (t *Trainer) shards() int {
	if t.Options.Shards == 0 && t.link != nil {
		return t.link.group.Size()
	}
	return t.Options.Shards
}

// A link is what joins this rank to the others.
type link struct {
	group Group
	asks  func() (stop, save bool) // what this rank wants after the step that is computed
	asked struct{ stop, save bool }
}

// join makes the link, if there are several ranks.
func (t *Trainer) join() error {
	if t.Group == nil || t.Group.Size() == 1 {
		return nil
	}
	t.link = &link{group: t.Group}
	ranks, shards, batch := t.Group.Size(), t.shards(), t.Options.Batch
	switch {
	case t.Options.Device != nil:
		return fmt.Errorf("train: %d ranks on a GPU: ranks train on the CPU only", ranks)
	case shards%ranks != 0:
		return invalid.Errorf(shardsKey, "%d: %d ranks cannot share them; want a multiple of %d", shards, ranks, ranks)
	case batch%shards != 0:
		return invalid.Errorf("train.batch", "%d: %d ranks cannot share it; want a multiple of %d", batch, ranks, ranks)
	}
	return nil
}

// mine returns the batches that this rank trains on: its shards of each.
func (t *Trainer) mine() Batches {
	if t.link == nil {
		return t.Train
	}
	part, each := rankSpan(t.shards(), t.Group.Rank(), t.Group.Size()), t.Options.Batch/t.shards()
	lo, hi := part.lo*each, part.hi*each
	if l, ok := t.Train.(*data.Loader); ok {
		return l.Part(lo, hi)
	}
	return partOf{t.Train, lo, hi}
}

// partOf are images lo to hi-1 of each batch.
type partOf struct {
	of     Batches
	lo, hi int
}

func (p partOf) Batches() int { return p.of.Batches() }
func (p partOf) Len() int     { return p.of.Len() }
func (p partOf) Labels() int  { return p.of.Labels() }

func (p partOf) Shape() [4]int {
	shape := p.of.Shape()
	shape[0] = p.hi - p.lo
	return shape
}

func (p partOf) Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch] {
	whole := p.of.Shape()
	size := whole[1] * whole[2] * whole[3]
	return func(yield func(*data.Batch) bool) {
		for b := range p.of.Epoch(ctx, epoch, from) {
			if b == nil || len(b.X) != whole[0]*size || len(b.Labels) != whole[0] {
				yield(b) // the step says what it wants
				return
			}
			own := data.Batch{X: b.X[p.lo*size : p.hi*size], Labels: b.Labels[p.lo:p.hi], N: min(max(b.N-p.lo, 0), p.hi-p.lo)}
			if !yield(&own) {
				return
			}
		}
	}
}

// asked says what to do after a step: what ctx, SaveNow and Every say, on any rank.
func (t *Trainer) asked(ctx context.Context) (stop, save bool) {
	if t.link != nil {
		return t.link.asked.stop, t.link.asked.save
	}
	return t.asks(ctx, t.Cursor.Step)
}

// asks is what this rank wants after so many steps. Rank 0 has the clock.
func (t *Trainer) asks(ctx context.Context, steps int) (stop, save bool) {
	if ctx.Err() != nil {
		return true, false
	}
	save = t.SaveNow != nil && t.SaveNow()
	if t.link == nil || t.link.group.Rank() == 0 {
		save = save || t.clock.due(t.Every, steps)
	}
	return false, save
}

// cursorBytes is the length that the text of a cursor is brought to, so that all ranks send as much.
const cursorBytes = 1 << 10

// share makes sure that all ranks are to compute the same, and gives them the weights, the state and the cursor of rank 0.
func (t *Trainer) share(ctx context.Context) error {
	if t.link == nil {
		return nil
	}
	t.link.asks = func() (stop, save bool) { return t.asks(ctx, t.Cursor.Step+1) }
	var names strings.Builder
	for _, p := range t.Params {
		fmt.Fprintln(&names, p.Name, p.Shape)
	}
	g := t.link.group
	solver, _ := t.step.learner()
	order := ""
	if l, ok := t.Train.(*data.Loader); ok {
		o := l.Options()
		o.Workers = 0 // they change nothing
		order = fmt.Sprintf("%+v", o)
	}
	for _, same := range []struct{ what, text string }{
		{"the options", fmt.Sprintf("%+v", t.Options)}, {"the network's parameters", names.String()},
		{"the kernel set (ATTNCONV_KERNELS)", KernelsOf(nil)}, {"the batches", fmt.Sprint(t.Train.Shape(), t.Train.Batches(), t.Train.Len())},
		{"the order and augmentation of the images", order},
	} {
		if err := Agree(g, same.what, same.text); err != nil {
			return err
		}
	}
	for _, p := range t.Params {
		if err := broadcast(g, p.Data); err != nil {
			return err
		}
	}
	for _, state := range t.State() {
		if err := broadcast(g, state.Data); err != nil {
			return err
		}
	}
	all, err := gatherBytes(g, fmt.Appendf(nil, "%-*s", cursorBytes, t.CursorText()))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(all[0], &t.Cursor); err != nil {
		return fmt.Errorf("train: the cursor of rank 0: %w", err)
	}
	solver.SetSteps(t.Cursor.Step - t.Cursor.Skipped)
	return nil
}

// score evaluates the network, on all ranks together. stop says that ctx is done, on any of them. A loss that is not finite is a
// *Diverged.
func (t *Trainer) score(ctx context.Context) (s Score, stop bool, err error) {
	var o Outputs
	if t.link == nil {
		o, err = t.eval.Outputs(ctx, t.at(t.Val), t.Options.ValBatches)
		stop = ctx.Err() != nil
	} else {
		o, stop, err = t.sharedOutputs(ctx)
	}
	if stop || err != nil {
		return s, stop, err
	}
	if s = o.Score(); notFinite(s.Loss) {
		where, err := t.eval.FirstBad()
		if err == nil && t.link != nil {
			where, err = first(t.link.group, where)
		}
		if err != nil {
			return s, false, err
		}
		return s, false, &Diverged{t.Cursor.Step, where}
	}
	return s, false, nil
}

// sharedOutputs is Outputs of the validation images: each rank computes some of the batches, consecutive ones, and gets all.
func (t *Trainer) sharedOutputs(ctx context.Context) (o Outputs, stop bool, err error) {
	g, batches := t.link.group, t.Val.Batches()
	if limit := t.Options.ValBatches; limit > 0 {
		batches = min(batches, limit)
	}
	ranks := g.Size()
	from, to := batches*g.Rank()/ranks, batches*(g.Rank()+1)/ranks
	o.Classes = t.eval.classes
	if from < to {
		o, err = t.eval.outputs(ctx, t.at(t.Val), from, to)
	}
	if stop = ctx.Err() != nil; err != nil && !stop {
		return o, false, err
	}
	// A row for each image: label, logits. Rows that are not there have label -1; one more says whether to stop.
	width, rows := 1+o.Classes, (batches+ranks-1)/ranks*t.Options.EvalBatch
	own, all := make([]float32, (rows+1)*width), make([]float32, ranks*(rows+1)*width)
	for i := range rows {
		row := own[i*width : (i+1)*width]
		if row[0] = -1; i < o.Len() && !stop {
			row[0] = float32(o.Labels[i])
			copy(row[1:], o.Row(i))
		}
	}
	own[rows*width] = oneIf(stop)
	if err := g.Gather(all, own); err != nil {
		return o, false, err
	}
	o.Logits, o.Labels = nil, nil
	for rank := range ranks {
		block := all[rank*len(own):][:len(own)]
		stop = stop || block[rows*width] > 0
		for i := range rows {
			if row := block[i*width : (i+1)*width]; row[0] >= 0 {
				o.Labels, o.Logits = append(o.Labels, int32(row[0])), append(o.Logits, row[1:]...)
			}
		}
	}
	return o, stop, nil
}
