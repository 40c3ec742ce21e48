package explorer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
)

func open(t *testing.T, path ...string) *trained.Model {
	t.Helper()
	m, err := trained.Open(filepath.Join(append([]string{folder()}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Shares of each epoch, before training too, are those that analyse gives.
func TestSharesAreThoseOfAnalyse(t *testing.T) {
	for _, name := range []string{"quadratic", "general"} {
		var at []*trained.Model
		for epoch := 1; epoch <= 2; epoch++ {
			at = append(at, open(t, name, "checkpoints", fmt.Sprintf("epoch-%03d.ckpt", epoch)))
		}
		start, err := at[0].Untrained()
		if err != nil {
			t.Fatal(err)
		}
		for epoch, net := range []*model.Network{start, at[0].Net, at[1].Net} {
			subject, err := at[0].Measurable(nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			subject.Net = net
			o := network.Usual()
			o.Images, o.Seeds, o.Draws = 0, 0, 0
			want, err := network.Measure(t.Context(), subject, o)
			if err != nil {
				t.Fatal(err)
			}
			var got Epoch
			read(t, fmt.Sprintf("/api/v1/runs/%s/epochs/%d", name, epoch), &got)
			if len(got.Shares) != len(want.Layers) || got.Epoch != epoch {
				t.Fatalf("%s, epoch %d: %d layers, want %d", name, epoch, len(got.Shares), len(want.Layers))
			}
			for l, s := range got.Shares {
				w := want.Layers[l].Shares
				if math.Abs(s.Within3-w.K1-w.K3) > 1e-12 || math.Abs(s.Place-w.Place) > 1e-12 {
					t.Errorf("%s, epoch %d, layer %d: %+v, analyse gives %+v", name, epoch, l+1, s, *w)
				}
			}
		}
	}
}

// The heads of an epoch are those in its checkpoint, and the document has the same. Epoch 0 is the untrained network's.
func TestHeadsOfEpochs(t *testing.T) {
	for _, name := range []string{"quadratic", "general"} {
		var d Document
		read(t, "/api/v1/runs/"+name, &d)
		if len(d.Heads) != 3 || !slices.Equal(d.Kept, []int{1, 2}) || len(d.Curve) != 2 {
			t.Fatalf("%s: %d epochs with heads, kept %v, %d points", name, len(d.Heads), d.Kept, len(d.Curve))
		}
		last := open(t, name)
		start, err := last.Untrained()
		if err != nil {
			t.Fatal(err)
		}
		nets := []*model.Network{start, open(t, name, "checkpoints", "epoch-001.ckpt").Net, open(t, name,
			"checkpoints", "epoch-002.ckpt").Net}
		for epoch, net := range nets {
			var got Epoch
			read(t, fmt.Sprintf("/api/v1/runs/%s/epochs/%d", name, epoch), &got)
			want, _ := net.Heads()
			for l, of := range want {
				for h, head := range of {
					p := head.Precision
					w := [5]float64{head.Center[0], head.Center[1], p[0][0], p[0][1], p[1][1]}
					if got.Frame.Layers[l][h] != w {
						t.Errorf("%s, epoch %d, layer %d, head %d: %v, want %v", name, epoch, l+1, h+1,
							got.Frame.Layers[l][h], w)
					}
					for i, v := range d.Heads[epoch].Layers[l][h] {
						if math.Abs(v-w[i]) > 1e-6*(1+math.Abs(w[i])) {
							t.Errorf("%s, epoch %d: the document has %v, want %v", name, epoch,
								d.Heads[epoch].Layers[l][h], w)
						}
					}
				}
			}
		}
	}
}

// headAndBytes splits an answer into its line and the bytes behind it.
func headAndBytes(t *testing.T, target string, head any) []byte {
	t.Helper()
	line, rest, ok := bytes.Cut(get(t, target), []byte("\n"))
	if err := json.Unmarshal(line, head); !ok || err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return rest
}

// Weights are those of the best checkpoint, bit for bit and in the order of the line.
func TestWeights(t *testing.T) {
	for _, name := range []string{"quadratic", "general"} {
		var head struct {
			Order []struct {
				Name  string
				Shape []int
			}
			Operators Epoch
		}
		b := headAndBytes(t, "/api/v1/runs/"+name+"/weights", &head)
		f, err := ckpt.Read(filepath.Join(folder(), name, "checkpoints", "best.ckpt"))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, o := range head.Order {
			i := slices.IndexFunc(f.Tensors, func(w ckpt.Tensor) bool { return w.Name == o.Name })
			if i < 0 || !slices.Equal(f.Tensors[i].Shape, o.Shape) {
				t.Fatalf("%s: %s %v is not in the checkpoint", name, o.Name, o.Shape)
			}
			for k, v := range f.Tensors[i].Data {
				if binary.LittleEndian.Uint32(b[4*k:]) != math.Float32bits(v) {
					t.Fatalf("%s: element %d of %s differs", name, k, o.Name)
				}
			}
			b = b[4*len(f.Tensors[i].Data):]
			found++
		}
		if len(b) != 0 || found < 10 {
			t.Errorf("%s: %d tensors, %d bytes are left", name, found, len(b))
		}
	}
}

// Maps are the attention that package heads reads, and its parts, within 1/255 of each head's range.
func TestAttentionIsThatOfHeads(t *testing.T) {
	test := sets.Shapes().Test
	for _, name := range []string{"quadratic", "general", "learned", "relative", "content"} {
		m := open(t, name)
		r, err := heads.NewReader(m.Net)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		const picture = 3
		x := values(m, test, picture)
		scores, err := r.Of(x)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"weights", "scores", "content", "position"} {
			var d Maps
			b := headAndBytes(t, fmt.Sprintf("/api/v1/runs/%s/attention/%d?part=%s", name, picture, part), &d)
			for l, s := range scores {
				want := map[string][]float32{"weights": s.Weights(), "content": s.Content, "position": s.Position}[part]
				if part == "scores" {
					want = make([]float32, s.Heads*s.Tokens*s.Tokens)
					for _, term := range [][]float32{s.Content, s.Position} {
						for i, v := range term {
							want[i] += v
						}
					}
				}
				if len(want) == 0 {
					continue
				}
				got, each := d.Layers[l], s.Tokens*s.Tokens
				if got.Heads != s.Heads || got.Tokens != s.Tokens || got.Block != l || slices.Contains(got.Has,
					"content") != (s.Content != nil) ||
					slices.Contains(got.Has, "position") != (s.Position != nil) {
					t.Fatalf("%s, layer %d: %+v", name, l+1, got)
				}
				for i, w := range want {
					least, most := got.Least[i/each], got.Most[i/each]
					if v := least + float64(b[i])/255*(most-least); math.Abs(v-float64(w)) > (most-least)/255+1e-7 {
						t.Fatalf("%s, %s, layer %d, value %d: %v, want %v", name, part, l+1, i, v, w)
					}
				}
				b = b[len(want):]
			}
			if len(b) != 0 {
				t.Errorf("%s, %s: %d bytes are left", name, part, len(b))
			}
		}
	}
}

// values are an image's as a network of CIFAR's format takes them: rows, columns, channels, normalized.
func values(m *trained.Model, s data.Split, i int) []float32 {
	f, size := m.Format(), 32*32
	x := make([]float32, 3*size)
	for c := range 3 {
		for p := range size {
			r, g, b, _ := s.Image(i).At(p%32, p/32).RGBA()
			x[p*3+c] = (float32([]uint32{r, g, b}[c]>>8)/255 - f.Mean[c]) / f.Std[c]
		}
	}
	return x
}

// The band of untrained networks is that of analyse's baseline.
func TestUntrainedBand(t *testing.T) {
	m := open(t, "quadratic")
	subject, err := m.Measurable(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	o := network.Usual()
	o.Images, o.Draws = 0, 0
	want, err := network.Measure(t.Context(), subject, o)
	if err != nil {
		t.Fatal(err)
	}
	var d Bands
	read(t, "/api/v1/runs/quadratic/untrained", &d)
	for l, band := range d.Layers {
		w := want.Layers[l].Null
		if w == nil || d.N != w.Draws || math.Abs(float64(band.Mean-w.Within.Mean)) > 1e-12 ||
			math.Abs(float64(band.Std-w.Within.Std)) > 1e-12 {
			t.Errorf("layer %d: %v of %d, analyse gives %+v", l+1, band, d.N, *w)
		}
	}
}

// The table of runs has each run that can be read once, the newest first, and the settings in which they differ.
func TestList(t *testing.T) {
	alive(filepath.Join(folder(), "running")) // the machine may be slow: a heartbeat counts for a minute
	var list List
	read(t, "/api/v1/runs", &list)
	if want := len(trainedRuns) + len(damaged) - 1; len(list.Runs) != want {
		t.Errorf("%d runs, want %d", len(list.Runs), want)
	}
	states := map[string]string{}
	for i, r := range list.Runs {
		states[r.ID] = r.State
		if i > 0 && r.Started.After(list.Runs[i-1].Started) {
			t.Errorf("%s is before a newer run", r.ID)
		}
		if _, ok := r.Settings["model.kind"]; ok {
			t.Errorf("%s: a setting with a column of its own is there twice: %v", r.ID, r.Settings)
		}
	}
	if states["running"] != event.Running || states["first-epoch"] != event.Stopped {
		t.Errorf("%v", states)
	}
}

// The built-in images are of different classes, and test images of shapes32.
func TestSamples(t *testing.T) {
	var d struct{ Images []Image }
	read(t, "/api/v1/samples", &d)
	set, seen := sets.Shapes(), map[string]bool{}
	for _, im := range d.Images {
		want := imageOf(set.Test, im.Index, set.Classes[set.Test.Labels[im.Index]])
		if seen[im.Label] || im.Label != want.Label || !bytes.Equal(im.RGB, want.RGB) {
			t.Errorf("image %d: %s, want %s", im.Index, im.Label, want.Label)
		}
		seen[im.Label] = true
	}
	if len(seen) != sampleSize {
		t.Errorf("%d classes", len(seen))
	}
}

// A run has the settings that are not the same in all runs whose settings can be read; one that cannot be read has
// none.
func TestDifferingSettings(t *testing.T) {
	s := New(Options{Runs: t.TempDir()})
	row := func(rate float64, readable bool) listing.ListRow {
		path, config := t.TempDir(), configs.Default()
		config.Train.LR = rate
		if err := os.WriteFile(filepath.Join(path, "config.yaml"), config.YAML(), 0o666); err != nil {
			t.Fatal(err)
		}
		l := listing.ListRow{Config: &config}
		if l.Path = path; !readable {
			l.Config = nil
		}
		return l
	}
	type settings = map[string]string
	none, rate := settings{}, func(text string) settings { return settings{"train.lr": text} }
	for _, tt := range []struct {
		list []listing.ListRow
		want []map[string]string
	}{
		{[]listing.ListRow{row(0.1, true), row(0.1, true), row(0.2, false)}, []map[string]string{none, none, none}},
		{[]listing.ListRow{row(0.1, true), row(0.2, false), row(0.2, true), row(0.1, true)},
			[]map[string]string{rate("0.1"), none, rate("0.2"), rate("0.1")}},
	} {
		if got := s.differing(tt.list); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("got %v, want %v", got, tt.want)
		}
	}
}
