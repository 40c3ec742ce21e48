package op_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// times is a·b, element by element.
func times() op.Definition {
	return op.Definition{
		Name: "times", Want: "a and b of one shape",
		Shape: func(in []op.Shape) (op.Shape, bool) { return in[0], len(in) == 2 && in[0].Eq(in[1]) },
		Forward: func(y []float32, in [][]float32) {
			for i, a := range in[0] {
				y[i] = a * in[1][i]
			}
		},
		Backward: func(d [][]float32, dy, _ []float32, in [][]float32) {
			for k, other := range [][]float32{in[1], in[0]} {
				for i := range d[k] {
					d[k][i] = dy[i] * other[i]
				}
			}
		},
		NotSaved: []int{op.Output},
	}
}

func apply(d op.Definition) func(in ...*op.Node) *op.Node {
	return func(in ...*op.Node) *op.Node { return d.Apply(in...) }
}

var small = op.Shape{2, 3}

func TestDefinition(t *testing.T) {
	if err := op.CheckGradients(apply(times()), nil, small, small); err != nil {
		t.Error(err)
	}
}

// What is wrong about a definition is an error that says so: when it is applied, when it runs, or when its gradient is
// checked.
func TestDefinitionRefused(t *testing.T) {
	for want, change := range map[string]func(d *op.Definition){
		"needs a Name":             func(d *op.Definition) { d.Name = "" },
		"in words, in Want":        func(d *op.Definition) { d.Want = "" },
		"a function Shape":         func(d *op.Definition) { d.Shape = nil },
		"a function Forward":       func(d *op.Definition) { d.Forward = nil },
		"times has no gradient":    func(d *op.Definition) { d.Backward = nil },
		"NotSaved names input 2":   func(d *op.Definition) { d.NotSaved = []int{2} },
		"a Field of Size and Step": func(d *op.Definition) { d.Field.Size = 3 },
		"want a and b of one shape,": func(d *op.Definition) {
			d.Shape = func([]op.Shape) (op.Shape, bool) {
				return nil,
					false
			}
		},
		"its Shape panics": func(d *op.Definition) {
			d.Shape = func(in []op.Shape) (op.Shape,
				bool) {
				return in[9], true
			}
		},
		"1 or more along each": func(d *op.Definition) {
			d.Shape = func(in []op.Shape) (op.Shape, bool) { return op.Shape{2, 0}, true }
		},
		"within memory": func(d *op.Definition) {
			d.Shape = func(in []op.Shape) (op.Shape, bool) { return op.Shape{math.MaxInt / 2, math.MaxInt / 2}, true }
		},
		"Forward leaves element 5 of 6 of y": func(d *op.Definition) {
			d.Forward = func(y []float32, in [][]float32) { copy(y[:5], in[0]) }
		},
		"index out of range": func(d *op.Definition) {
			d.Forward = func(y []float32, in [][]float32) { y[6] = 1 }
		},
		"Forward leaves element 0 of 6 of y": func(d *op.Definition) { // writes elsewhere
			d.Forward = func(y []float32, in [][]float32) { _ = append(y, in[0]...) }
		},
		"Forward changes what it reads": func(d *op.Definition) {
			d.Forward = func(y []float32, in [][]float32) { copy(y, in[0]); in[1][0]++ }
		},
		"Backward leaves element 0 of 6 of dIn[1]": func(d *op.Definition) {
			d.Backward = func(d [][]float32, dy, _ []float32, _ [][]float32) { copy(d[0], dy) }
		},
		"Backward changes what it reads": func(d *op.Definition) {
			d.Backward = func(d [][]float32, dy, _ []float32,
				_ [][]float32) {
				copy(d[0], dy)
				copy(d[1], dy)
				dy[0] = 0
			}
		},
		"the gradient of input 0 at element 0": func(d *op.Definition) {
			d.Backward = func(d [][]float32, dy, _ []float32, _ [][]float32) { copy(d[0], dy); copy(d[1], dy) }
		},
		"nil pointer": func(d *op.Definition) { // nobody asks for d[0]
			backward := d.Backward
			d.Backward = func(d [][]float32, dy, y []float32, in [][]float32) {
				_ = *(*[6]float32)(d[0])
				backward(d, dy, y, in)
			}
		},
		"what it kept": func(d *op.Definition) { d.NotSaved = []int{0, 1}; d.Backward = readsAll },
	} {
		d := times()
		change(&d)
		err := op.CheckGradients(apply(d), nil, small, small)
		if want == "nil pointer" || want == "what it kept" { // as the runtime says it
			want = "d times"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// readsAll needs what its definition says it does not read.
func readsAll(d [][]float32, dy, _ []float32, in [][]float32) {
	for i := range d[0] {
		d[0][i] = dy[i] * in[1][i]
	}
	for i := range d[1] {
		d[1][i] = dy[i] * in[0][i]
	}
}

// A definition that an evaluation never differentiates is checked when it runs.
func TestDefinitionChecked(t *testing.T) {
	d := times()
	d.Forward = func(y []float32, in [][]float32) {}
	var y *op.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		x := g.Input("x", make([]float32, 6), 2, 3)
		y = d.Apply(x, g.Input("z", make([]float32, 6), 2, 3))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 { // an error that the second run forgets would be a wrong number
		if err := f.Run(0); err == nil || !strings.HasPrefix(err.Error(), "times: Forward leaves element 0") {
			t.Errorf("run: %v", err)
		}
	}
}

// Operations refuse what they cannot take with an *op.Error, whatever is wrong: no runtime panic comes out of nn.Build.
func TestRefused(t *testing.T) {
	x, heads := op.Shape{2, 6, 4}, op.Shape{2, 6, 6}
	for name, c := range map[string]struct {
		f  func(in ...*op.Node) *op.Node
		in []op.Shape
	}{
		"linear":   {func(in ...*op.Node) *op.Node { return op.Linear(in[0], in[1], in[1]) }, []op.Shape{x, {4, 3}}},
		"nil":      {func(in ...*op.Node) *op.Node { return op.Add(in[0], nil) }, []op.Shape{x}},
		"no heads": {func(in ...*op.Node) *op.Node { return op.ShiftScores(in[0], 0, 2) }, []op.Shape{{2, 5}}},
		"no heads in a table": {func(in ...*op.Node) *op.Node { return op.ShiftsOf(in[0], in[1], 0, 0, 2, 1) },
			[]op.Shape{x, {5, 4}}},
		"tokens below 0": {func(in ...*op.Node) *op.Node { return op.ShiftScores(in[0], 2, -2) }, []op.Shape{{2, 5}}},
		"no such tokens": {func(in ...*op.Node) *op.Node { return op.ShiftScores(in[0], 2, 4) }, []op.Shape{{2, 5}}},
		"grid":           {func(in ...*op.Node) *op.Node { return op.AsGrid(in[0], 2, 4) }, []op.Shape{x}},
		"grid below 0":   {func(in ...*op.Node) *op.Node { return op.AsGrid(in[0], -2, -3) }, []op.Shape{x}},
		"squares": {func(in ...*op.Node) *op.Node { return op.SpaceToDepth(in[0], 0) },
			[]op.Shape{{1, 4, 4, 1}}},
		"stride": {func(in ...*op.Node) *op.Node { return op.Conv(in[0], in[1], nil, op.ConvShape{}) },
			[]op.Shape{{1, 4, 4, 1}, {1, 1, 3, 3}}},
		"mixed": {func(in ...*op.Node) *op.Node { return op.MixHeads(in[0], in[1], false, op.Dropout{}) },
			[]op.Shape{x, {2, 5, 5}}},
		"values of heads": {func(in ...*op.Node) *op.Node { return op.MixHeads(in[0], in[1], true, op.Dropout{}) },
			[]op.Shape{{2, 6, 5}, heads}},
		"content": {func(in ...*op.Node) *op.Node {
			return op.MixContent(op.Terms{Query: in[0], Key: in[0]}, in[0], op.Heads{}, op.Dropout{})
		}, []op.Shape{x}},
		"no axis": {func(in ...*op.Node) *op.Node { return op.Softmax(op.CrossEntropy(in[0], &op.Target{})) },
			[]op.Shape{{2, 3}}},
		"repeated": {func(in ...*op.Node) *op.Node { return op.Repeat(in[0], -1, 2) }, []op.Shape{{4}}},
		"scores": {func(in ...*op.Node) *op.Node { return op.AxisScores(in[0], in[0], op.Rows, 3, 1) },
			[]op.Shape{{2, 2}}},
		"broadcast": {func(in ...*op.Node) *op.Node { return op.Mul(in[0], in[1]) }, []op.Shape{{2, 3}, {2, 4}}},
		"summed":    {func(in ...*op.Node) *op.Node { return op.Sum(in[0], 2) }, []op.Shape{{2, 3}}},
		"nil added": {func(in ...*op.Node) *op.Node { return op.Add(in[0], nil) }, []op.Shape{{2, 3}}},
		"form": {func(in ...*op.Node) *op.Node { return op.GeneralScores(in[0], in[0], 2, -3, 1) },
			[]op.Shape{{2, 2}}},
	} {
		_, err := nn.Build(false, func(g *nn.Graph) {
			var in []*op.Node
			for i, s := range c.in {
				in = append(in, g.Input(string(rune('a'+i)), make([]float32, s.TotalSize()), s...))
			}
			c.f(in...)
		})
		if e := new(op.Error); !errors.As(err, &e) {
			t.Errorf("%s: want an *op.Error, got %v", name, err)
		}
	}
}

// Labels of another number than rows are an error of the run, even where they divide the logits.
func TestLabels(t *testing.T) {
	target := &op.Target{Labels: make([]int32, 6)}
	err := op.CheckGradients(func(in ...*op.Node) *op.Node { return op.CrossEntropy(in[0], target) }, nil,
		op.Shape{4, 3})
	if err == nil || !strings.Contains(err.Error(), "6 labels for 4 rows") {
		t.Errorf("6 labels for 4 rows of 3 logits: %v", err)
	}
	target.Labels = []int32{0, 2, 1, 1}
	if err := op.CheckGradients(func(in ...*op.Node) *op.Node { return op.CrossEntropy(in[0], target) }, nil,
		op.Shape{4, 3}); err != nil {
		t.Error(err)
	}
	target.Others, target.Shares, target.Smoothing = []int32{1, 0, 1, 2}, []float32{0.5, 0.2, 0.3, 0}, 0.1
	if err := op.CheckGradients(func(in ...*op.Node) *op.Node { return op.CrossEntropy(in[0], target) }, nil,
		op.Shape{4, 3}); err != nil {
		t.Error(err)
	}
}

// The operations that are exported have the gradients of their equations: of all inputs, of each alone, and where they
// read one node twice.
func TestGradients(t *testing.T) {
	x, w, p := op.Shape{2, 6, 4}, op.Shape{5, 4}, op.Shape{2, 6, 6}
	heads := op.Heads{Count: 2, Rows: 2, Cols: 3}
	for name, c := range map[string]struct {
		f  func(in ...*op.Node) *op.Node
		in []op.Shape
	}{
		"linear": {func(in ...*op.Node) *op.Node { return op.Linear(in[0], in[1], in[2]) },
			[]op.Shape{x, w, {5}}},
		"matmul": {func(in ...*op.Node) *op.Node { return op.MatMul(in[0], in[1]) }, []op.Shape{x, w}},
		"twice":  {func(in ...*op.Node) *op.Node { return op.MatMul(in[0], in[0]) }, []op.Shape{{3, 4}}},
		"added twice": {func(in ...*op.Node) *op.Node { return op.Add(in[0], op.Add(in[0], in[0])) },
			[]op.Shape{{3, 4}}},
		"layer norm": {func(in ...*op.Node) *op.Node { return op.LayerNorm(in[0], in[1], in[1]) },
			[]op.Shape{x, {4}}},
		"running norm": {func(in ...*op.Node) *op.Node {
			return op.RunningNorm(in[0], in[1], in[2], in[1],
				op.Softmax(in[2]))
		}, []op.Shape{x, {4}, {4}}},
		"batch norm": {func(in ...*op.Node) *op.Node {
			return op.BatchNorm(in[0], in[1], in[1], nil, false,
				&op.Moments{})
		},
			[]op.Shape{x, {4}}},
		"conv": {func(in ...*op.Node) *op.Node {
			return op.AsTokens(op.Conv(op.AsGrid(in[0], 2, 3), in[1], in[2], op.ConvShape{Stride: 1, Replicate: true}))
		}, []op.Shape{x, {3, 4, 3, 3}, {3}}},
		"pixels": {func(in ...*op.Node) *op.Node { return op.MeanTokens(op.GELU(op.SpaceToDepth(in[0], 2))) },
			[]op.Shape{{2, 4, 4, 3}}},
		"position": {func(in ...*op.Node) *op.Node { return op.AddToEach(in[0], op.Reshape(in[1], 6, 4)) },
			[]op.Shape{x, {24}}},
		"full": {func(in ...*op.Node) *op.Node {
			return op.MixHeads(in[0], op.Softmax(in[1]), false,
				op.Dropout{})
		}, []op.Shape{x, p}},
		"separable": {func(in ...*op.Node) *op.Node { return op.MixSeparable(in[0], in[1], in[2], true, op.Dropout{}) },
			[]op.Shape{x, {2, 2, 2}, {2, 3, 3}}},
		"content": {func(in ...*op.Node) *op.Node {
			return op.MixContent(op.Terms{Query: in[0], Key: in[1], Scale: 0.5}, in[2], heads, op.Dropout{})
		}, []op.Shape{{2, 6, 8}, x, x}},
		"shifts": {func(in ...*op.Node) *op.Node {
			q := op.Repeat(in[1], 2, 6)
			row, col := op.ShiftsOf(q, in[2], 2, 0, 2, 1), op.ShiftsOf(q, in[2], 2, 1, 3, 1)
			return op.MixContent(op.Terms{Row: row, Col: col}, in[0], heads, op.Dropout{})
		}, []op.Shape{x, {6}, {7, 2}}},
		"scores": {func(in ...*op.Node) *op.Node {
			rows, cols := op.AxisScores(in[1], in[2], op.Rows, 2, 1), op.AxisScores(in[1], in[2], op.Cols, 3, 1)
			return op.MixSeparable(in[0], op.Softmax(rows), op.Softmax(cols), false, op.Dropout{})
		}, []op.Shape{x, {2, 2}, {2}}},
		"general scores": {func(in ...*op.Node) *op.Node { return op.GeneralScores(in[0], in[1], 2, 3, 1) },
			[]op.Shape{{2, 2}, {2, 2, 2}}},
		"folded": {func(in ...*op.Node) *op.Node {
			return op.ShiftScores(op.FoldTable(in[0], in[1], 2, 0, 3, 1), 2,
				3)
		},
			[]op.Shape{{6}, {7, 3}}},
	} {
		if err := op.CheckGradients(c.f, nil, c.in...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// New channels are half in front of the old ones and half behind them, for every pixel.
func TestPadChannels(t *testing.T) {
	var y *op.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		y = op.PadChannels(g.Input("x", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 1, 2, 2, 2), 5)
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []float32{0, 1, 2, 0, 0, 0, 3, 4, 0, 0, 0, 5, 6, 0, 0, 0, 7, 8, 0, 0}
	if err := f.Run(0); err != nil || !slices.Equal(nn.Value(y), want) {
		t.Errorf("%v, %v: want %v", nn.Value(y), err, want)
	}
}
