package analyse

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRoll(t *testing.T) {
	x := []float32{0, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50} // 2 × 3 tokens
	y := must(Roll(Grid{Rows: 2, Cols: 3}, 2, x, Shift{1, -1}))
	for i, want := range []float32{4, 5, 3, 1, 2, 0} {
		if y[2*i] != want || y[2*i+1] != 10*want {
			t.Fatalf("%v", y)
		}
	}
}

// A circular convolution commutes with shifts; a map that reads one token does not, and its outputs are as different as
// those of two images: ε is 1 on white noise.
func TestDefect(t *testing.T) {
	g := Grid{Rows: 6, Cols: 6}
	rng := rand.New(rand.NewPCG(1, 1))
	k := kernelWith(rng, 3, 1, 1)
	conv, place := must(NewDefect(36)), must(NewDefect(1))
	half := must(NewDefect(1))
	s := Shift{2, -1}
	for range 4000 {
		x := features(rng, 36)
		moved := must(Roll(g, 1, x, s))
		if err := place.Add(x[:1], moved[:1]); err != nil {
			t.Fatal(err)
		}
		if err := half.Add([]float32{x[0] + x[1]}, []float32{x[0] + moved[1]}); err != nil {
			t.Fatal(err)
		}
		if conv.images < 20 {
			back := must(Roll(g, 1, circular(g, k, moved), Shift{-2, 1}))
			if err := conv.Add(circular(g, k, x), back); err != nil {
				t.Fatal(err)
			}
		}
	}
	near(t, "defect of a convolution", conv.Value(), 0, 1e-10)
	near(t, "defect of one place", place.Value(), 1, 0.06)
	near(t, "defect of a sum of which half moves", half.Value(), 0.5, 0.04)
	few := must(NewDefect(1))
	if err := few.Add([]float32{1}, []float32{2}); err != nil || !math.IsNaN(few.Value()) {
		t.Errorf("%v; of one image %g", err, few.Value())
	}
}

// circular is a convolution on a torus, in loops.
func circular(g Grid, k Kernel, x []float32) []float32 {
	y := make([]float32, len(x))
	for q := range y {
		sum := 0.0
		for i, s := range k.Shifts {
			r, c := (q/g.Cols+s[0]+g.Rows)%g.Rows, (q%g.Cols+s[1]+g.Cols)%g.Cols
			sum += k.Maps[i][0] * float64(x[r*g.Cols+c])
		}
		y[q] = float32(sum)
	}
	return y
}

func TestDefectRefuses(t *testing.T) {
	for name, err := range map[string]error{
		"roll":    second(Roll(Grid{Rows: 5, Cols: 7}, 1, nil, Shift{})),
		"defect":  second(NewDefect(0)),
		"outputs": must(NewDefect(2)).Add([]float32{1}, []float32{1}),
		"NaN":     must(NewDefect(1)).Add([]float32{float32(math.NaN())}, []float32{1}),
	} {
		if _, ok := err.(*Error); !ok {
			t.Errorf("%s: %v, want an *Error", name, err)
		}
	}
}

func TestReceptiveField(t *testing.T) {
	g := Grid{Rows: 7, Cols: 7}
	energy := make([]float64, 49)
	energy[24], energy[25], energy[17], energy[22], energy[0] = 5, 1, 2, 1, 1 // center; 1, 1 and 2 away; a corner
	r, err := ReceptiveField(g, energy, 24)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Receptive{0, 2, 1, 5}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	energy[0] = 5
	if r, _ = ReceptiveField(g, energy, 24); r.Side90 != 7 || math.Abs(r.Radius90-3*math.Sqrt2) > 1e-12 ||
		r.Side50 != 3 || r.Radius50 != 1 {
		t.Errorf("%+v", r)
	}
	for name, bad := range map[string]func() error{
		"grid": func() error { return second(ReceptiveField(Grid{}, nil, 0)) },
		"size": func() error { return second(ReceptiveField(g, energy[1:], 0)) },
		"c":    func() error { return second(ReceptiveField(g, energy, 49)) },
		"zero": func() error { return second(ReceptiveField(g, make([]float64, 49), 0)) },
		"sign": func() error { energy[3] = -1; return second(ReceptiveField(g, energy, 0)) },
		"NaN":  func() error { energy[3] = math.NaN(); return second(ReceptiveField(g, energy, 0)) },
	} {
		if _, ok := bad().(*Error); !ok {
			t.Errorf("%s: want an *Error", name)
		}
	}
}
