package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/attnconv/attnconv/run/event"
)

// halved makes the folder of a sweep of n learning rates, each with two seeds, and with rungs at epochs 1 and 3 of 9.
func halved(t *testing.T, n int) *Plan {
	t.Helper()
	p := &Plan{Format: formatHalving, Axes: []Axis{{Key: "train.lr"}, {Key: Seed}},
		Halving: &Halving{Keep: 3, Rungs: []int{1, 3}, Epochs: 9}}
	var texts [][]byte
	for i := range 2 * n {
		p.Trials = append(p.Trials, Trial{Name: fmt.Sprintf("%03d", i), ETA: 9,
			Values: []string{fmt.Sprint(i / 2), fmt.Sprint(i % 2)}})
		texts = append(texts, []byte("limit_val_batches: 0\n"))
	}
	if err := p.Create(filepath.Join(t.TempDir(), "mine"), texts); err != nil {
		t.Fatal(err)
	}
	return p
}

// accuracy is that of a trial in an epoch: point 4 is best in the end, and point 1 after the first epoch. Point 8 has
// one good seed and one bad one.
func accuracy(i, epoch int) float64 {
	base := []float64{0.1, 0.6, 0.2, 0.3, 0.5, 0.15, 0.4, 0.05, 0.35}[i/2]
	if i/2 == 8 {
		base += 0.4 * float64(1-2*(i%2))
	}
	return base + 0.01*float64(epoch)*float64(1+i/2%4)/4 - 0.05*float64(epoch)*float64(i/2%2)/9
}

// trainTo writes the run of a trial that has been trained for so many epochs; 0: to the end.
func trainTo(t *testing.T, p *Plan, i, epochs int) {
	t.Helper()
	state := event.Stopped
	if epochs == 0 {
		state, epochs = event.Done, 9
	}
	var lines strings.Builder
	for e := 1; e <= epochs; e++ {
		fmt.Fprintf(&lines, `{"v":1,"t":"2020-11-20T11:01:00.000Z","ev":"epoch","epoch":%d,"epochs":9,"step":%d,`+
			`"train_loss":2,"train_acc":0.2,"val_loss":2,"val_acc":%g,"lr":0.1,"img_s":1,"wall_s":1,"best":true}`+"\n",
			e, e, accuracy(i, e))
	}
	writeRun(t, p, i, fmt.Sprintf(`{"format":1,"id":"k%03d","state":%q,"epoch":%d,"epochs":9,"val_acc":%g,`+
		`"test_acc":0.5}`, i, state, epochs, accuracy(i, epochs)))
	if err := os.WriteFile(filepath.Join(p.Dir(i), "metrics.jsonl"), []byte(lines.String()), 0o666); err != nil {
		t.Error(err)
	}
}

// Halving trains all to the first rung, a third of the points to the second and a ninth to the end. It goes by means
// over seeds. It fails if it chose by one seed only (point 8), in the order of the plan, or by accuracies behind the
// rung (point 4, which is best in the end).
func TestHalving(t *testing.T) {
	p := halved(t, 9)
	var mu sync.Mutex
	legs := map[int][]int{}
	w := Worker{Plan: p, Jobs: 3, Train: func(_ context.Context, i int, resume bool, until int) error {
		mu.Lock()
		defer mu.Unlock()
		if resume != (len(legs[i]) > 0) {
			t.Errorf("trial %d: resume is %v after %v", i, resume, legs[i])
		}
		legs[i] = append(legs[i], until)
		trainTo(t, p, i, until)
		return nil
	}}
	o, err := w.Run(t.Context())
	if err != nil || o.Done != 18 || o.Pruned != 16 {
		t.Errorf("%+v, %v", o, err)
	}
	for i := range p.Trials {
		want := []int{1}
		switch i / 2 {
		case 1, 4, 6: // the best three after epoch 1
			want = []int{1, 3}
			if i/2 == 1 {
				want = []int{1, 3, 0}
			}
		}
		if !slices.Equal(legs[i], want) {
			t.Errorf("trial %d is trained to %v, want %v", i, legs[i], want)
		}
	}
	c, err := Collect(p)
	if err != nil || c.Left() != 0 || c.States[Pruned] != 16 || !c.Points[0].Chosen ||
		c.Points[0].Settings["train.lr"] != "1" {
		t.Errorf("%+v, %v", c, err)
	}
	if v, err := p.Overview(); err != nil || v.Counts[Pruned] != 16 || v.Left != 0 || len(v.Idle(true)) != 0 ||
		v.Rung.Number != 3 || v.Rung.Points != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	if got, want := p.ETA(), 2*(9*1+3*2+1*6.); got != want {
		t.Errorf("the plan takes %v s, want %v", got, want)
	}
	if again, err := Open(p.Path); err != nil || again.Halving.Epochs != 9 || again.Format != formatHalving {
		t.Errorf("%+v, %v", again, err)
	}
}

// A rung is decided once all of its trials have reached it: a failed one leaves it undecided, one that diverged comes
// last, and a kill at any moment changes nothing about who goes on.
func TestHalvingWaitsForItsRung(t *testing.T) {
	p := halved(t, 9)
	for i := range p.Trials {
		if i != 3 && i != 8 {
			trainTo(t, p, i, 1)
		}
	}
	if p.Until(2) != 1 || p.Until(9) != 1 {
		t.Error("a rung is decided before all have reached it")
	}
	if state, _, over := p.Over(2); state != Paused || !over {
		t.Errorf("trial 2 is %s, over: %v", state, over)
	}
	failing := Worker{Plan: p, Train: func(_ context.Context, i int, _ bool, _ int) error {
		if i == 3 {
			return errors.New("disk full")
		}
		end(t, p, i, event.Diverged)
		return nil
	}}
	if o, err := failing.Run(t.Context()); err == nil || !slices.Equal(o.Failed, []int{3}) {
		t.Errorf("%+v, %v", o, err)
	}
	if got := p.Until(2); got != 1 {
		t.Errorf("after a failure the rung is decided: epoch %d", got)
	}
	trainTo(t, p, 3, 1)
	alive := map[int]bool{1: true, 6: true, 8: true} // a seed of point 4 has diverged
	for i := range p.Trials {
		if got := p.Until(i) == 3; got != alive[i/2] && i != 8 {
			t.Errorf("trial %d goes on: %v", i, got)
		}
	}
	trainTo(t, p, 2, 2) // killed on its way to the second rung
	for i := range p.Trials {
		if got := p.Until(i) == 3; got != alive[i/2] && i != 8 {
			t.Errorf("trial %d goes on: %v", i, got)
		}
	}
}

// Rungs have equal distances, as large as half of the cost allows.
func TestRungs(t *testing.T) {
	for _, tt := range []struct {
		keep, points, epochs int
		want                 []int
	}{{3, 27, 27, []int{9, 18}}, {3, 27, 9, []int{3, 6}}, {2, 27, 9, []int{2, 4}}, {3, 27, 12, []int{4, 8}},
		{3, 8, 27, []int{8}}, {2, 8, 300, []int{81, 162, 243}}, {3, 2, 9, nil}, {3, 27, 1, nil},
		{2, 64, 3, []int{1, 2}}} {
		if got := rungs(tt.keep, tt.points, tt.epochs); !slices.Equal(got, tt.want) {
			t.Errorf("rungs(%d, %d, %d) = %v, want %v", tt.keep, tt.points, tt.epochs, got, tt.want)
		}
	}
	// cost is the epochs of n rungs at distance d, counted one by one; -1: there are no such rungs
	cost := func(keep, points, epochs, d, n int) (sum int) {
		for e := range epochs {
			if e > 0 && e%d == 0 && e/d <= n {
				points /= keep
			}
			sum += points
		}
		if points == 0 || d*n >= epochs {
			return -1
		}
		return sum
	}
	for keep := 2; keep < 5; keep++ {
		for points := keep; points < 70; points += 3 {
			for epochs := 2; epochs < 40; epochs += 3 {
				best, fewest := 0, 0
				for d := 1; d < epochs; d++ {
					for n := 1; n < epochs; n++ {
						if c := cost(keep, points, epochs, d, n); c > 0 && 2*c < points*epochs && d > best {
							best, fewest = d, n
						}
					}
				}
				got := rungs(keep, points, epochs)
				if best > 0 && (len(got) != fewest || got[0] != best) || got[0] < 1 || got[len(got)-1] >= epochs {
					t.Fatalf("rungs(%d, %d, %d) = %v, want %d at distance %d", keep, points, epochs, got, fewest, best)
				}
			}
		}
	}
	for _, h := range []Halving{{3, nil, 9}, {1, []int{1}, 9}, {3, []int{3, 3}, 9}, {3, []int{9}, 9},
		{3, []int{0}, 9}} {
		if h.check() == nil {
			t.Errorf("%+v is taken", h)
		}
	}
}

// The time left counts what is left of each trial until its goal, and the rungs to come: here an epoch takes a second.
func TestTimeLeftOfHalving(t *testing.T) {
	p := halved(t, 9)
	if left := p.standing(nil).left(); left != 18*1+6*2+2*6 { // 9, 3 and 1 points of two seeds, to epochs 1, 3 and 9
		t.Errorf("%g s are left of the whole, want 42", left)
	}
	trainTo(t, p, 0, 1)
	if left := p.standing(nil).left(); left != 41 {
		t.Errorf("%g s are left once a trial has come to epoch 1, want 41", left)
	}
	for i := range 18 {
		trainTo(t, p, i, 1)
	}
	s := p.standing(nil)
	var on []int
	for i := range 18 {
		if !s.over(i) {
			on = append(on, i)
		}
	}
	if len(on) != 6 || s.left() != 6*2+2*6 {
		t.Fatalf("trials %d go on, with %g s left, want six and 24", on, s.left())
	}
	trainTo(t, p, on[3], 2)
	if s = p.standing(nil); s.seconds(on[3]) != 1 || s.seconds(on[2]) != 2 || s.left() != 23 {
		t.Errorf("%g and %g s are left of two trials, %g of all, want 1, 2 and 23", s.seconds(on[3]), s.seconds(on[2]),
			s.left())
	}
}
