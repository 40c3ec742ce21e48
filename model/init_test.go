package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// initSpec is a small network of content attention whose heads have values of their own.
func initSpec(init string) Spec {
	s := small()
	s.Encoding, s.Absolute, s.Init, s.Dim, s.HeadDim, s.Heads = "content-only", "learned", init, 26, 26, Ints{2}
	return s
}

func newNet(t *testing.T, s Spec, seed uint64) *Network {
	t.Helper()
	n, err := New(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// matrixOf is a map (out, in) of a network as a matrix that acts on rows, (in, out); first and count are outputs.
func matrixOf(t *testing.T, n *Network, name string, first, count int) plain.Matrix {
	t.Helper()
	p := param(t, n, name)
	in := p.Shape[1]
	m := plain.New(in, count)
	for r := range count {
		for i := range in {
			m[i][r] = float64(p.Data[(first+r)*in+i])
		}
	}
	return m
}

func param(t *testing.T, n *Network, name string) *nn.Param {
	t.Helper()
	i := slices.IndexFunc(n.Params, func(p *nn.Param) bool { return p.Name == "model."+name })
	if i < 0 {
		t.Fatalf("no parameter %s", name)
	}
	return n.Params[i]
}

const firstSelf, firstDense = "encoder.layer.0.attention.self.", "encoder.layer.0.attention.output.dense"

// queryKey is W_Q·W_Kᵀ of a head of layer l, (dim, dim).
func queryKey(t *testing.T, n *Network, l, h, d int) plain.Matrix {
	at := fmt.Sprintf("encoder.layer.%d.attention.self.", l)
	q, k := matrixOf(t, n, at+"query.weight", h*d, d), matrixOf(t, n, at+"key.weight", h*d, d)
	return q.Times(k.T())
}

// checkNoise compares (m - beta·I)/alpha with independent entries from U(±√(3/D)).
func checkNoise(t *testing.T, what string, m plain.Matrix, alpha, beta float64) {
	t.Helper()
	d := float64(len(m))
	var mean, square, largest float64
	for i, row := range m {
		for j, v := range row {
			if i == j {
				v -= beta
			}
			v /= alpha
			mean, square, largest = mean+v/d/d, square+v*v/d/d, max(largest, math.Abs(v))
		}
	}
	deviation := 1 / d / d // of the mean: 1/√D over √(D²)
	if bound := math.Sqrt(3 / d); math.Abs(mean) > 5*math.Sqrt(deviation/d) || math.Abs(square*d-1) > 0.15 ||
		largest > bound*1.0001 || largest < 0.97*bound {
		t.Errorf("%s: mean %v, variance %v/D, largest entry %v; want 0, 1/D, %v", what, mean, square*d, largest, bound)
	}
}

func distance(a, b plain.Matrix) (difference, size float64) {
	for i := range a {
		for j := range a[i] {
			difference += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j])
			size += b[i][j] * b[i][j]
		}
	}
	return math.Sqrt(difference), math.Sqrt(size)
}

func TestMimeticProducts(t *testing.T) {
	n := newNet(t, initSpec("mimetic"), 3)
	first := queryKey(t, n, 0, 0, 26)
	checkNoise(t, "W_Q·W_Kᵀ", first, 0.7, 0.7)
	value := matrixOf(t, n, firstSelf+"value.weight", 0, 52).Times(matrixOf(t, n, firstDense+".weight", 0, 26))
	checkNoise(t, "W_V·W_out", value, 0.4, -0.4)
	for name, other := range map[string]plain.Matrix{
		"second head": queryKey(t, n, 0, 1, 26), "second layer": queryKey(t, n, 1, 0, 26),
		"another seed": queryKey(t, newNet(t, initSpec("mimetic"), 4), 0, 0, 26),
	} {
		checkNoise(t, name, other, 0.7, 0.7)
		if d, size := distance(first, other); d < size/3 {
			t.Errorf("%s has the same matrix: difference %v of %v", name, d, size)
		}
	}
	for _, name := range []string{"query", "key"} {
		p := param(t, n, firstSelf+name+".bias")
		if slices.ContainsFunc(p.Data, func(v float32) bool { return v != 0 }) {
			t.Errorf("%s: %v, want zeros", p.Name, p.Data)
		}
	}
}

// Where d is less than D, the product is the best one of rank d (Eckart, Young 1936): the rest is orthogonal to both
// factors, and the factors have equal Gram matrices, which are diagonal.
func TestMimeticOfLowRank(t *testing.T) {
	const d = 5
	s := initSpec("mimetic")
	full := queryKey(t, newNet(t, s, 3), 1, 1, 26)
	s.HeadDim = d
	n := newNet(t, s, 3)
	at := "encoder.layer.1.attention.self."
	q, k := matrixOf(t, n, at+"query.weight", d, d), matrixOf(t, n, at+"key.weight", d, d)
	rest := full.Plus(scaled(q.Times(k.T()), -1))
	for name, m := range map[string]plain.Matrix{"queries": rest.T().Times(q), "keys": rest.Times(k)} {
		if size, _ := distance(m, plain.New(len(m), d)); size > 1e-5 {
			t.Errorf("the rest is not orthogonal to the %s: %v", name, size)
		}
	}
	gram, other := q.T().Times(q), k.T().Times(k)
	if off, _ := distance(gram, other); off > 1e-5 {
		t.Errorf("Gram matrices of the factors differ by %v", off)
	}
	smallest := math.Inf(1)
	for i := range d {
		smallest = min(smallest, gram[i][i])
	}
	if top := topValue(rest); top > smallest*1.0001 {
		t.Errorf("the rest has the singular value %v, the product %v", top, smallest)
	}
}

func scaled(m plain.Matrix, by float64) plain.Matrix {
	s := plain.New(len(m), len(m[0]))
	for i, row := range m {
		for j, v := range row {
			s[i][j] = by * v
		}
	}
	return s
}

// topValue is the largest singular value of m, by power iteration.
func topValue(m plain.Matrix) (value float64) {
	x := plain.New(len(m[0]), 1)
	for i := range x {
		x[i][0] = 1 + 0.1*float64(i%7)
	}
	for range 2000 {
		y := m.T().Times(m.Times(x))
		size, _ := distance(y, plain.New(len(y), 1))
		x, value = scaled(y, 1/size), math.Sqrt(size)
	}
	return value
}

// normalizedPositions is P̃, from the learned positions of a network.
func normalizedPositions(t *testing.T, n *Network, tokens, dim int) plain.Matrix {
	p := plain.New(tokens, dim)
	for i, row := range p {
		data := param(t, n, "position_embeddings.weight").Data[i*dim:][:dim]
		mean, square := 0.0, 0.0
		for _, v := range data {
			mean += float64(v) / float64(dim)
		}
		for _, v := range data {
			square += math.Pow(float64(v)-mean, 2) / float64(dim)
		}
		for c, v := range data {
			row[c] = (float64(v) - mean) / math.Sqrt(square)
		}
	}
	return p
}

// Where d is at least the rank of the positions, P̃·W_Q·W_Kᵀ·P̃ᵀ is a multiple of M itself: 1000 at the head's shift,
// and elsewhere 3·N(0, 0.6²) between ±6.
func TestImpulseOfFullRank(t *testing.T) {
	s := initSpec("impulse")
	s.Heads = Ints{9, 3}
	grid := s.Grid()
	tokens := grid.Rows * grid.Cols
	n := newNet(t, s, 2)
	p := normalizedPositions(t, n, tokens, 26)
	shifts := [][2]int{{0, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 0}} // center, up, right, left, down
	var sum, square, count float64
	for h := range 9 {
		if h >= len(shifts) {
			shifts = append(shifts, [2]int{h/7*2 - 1, h%2*-2 + 1})
		}
		m := p.Times(queryKey(t, n, 0, h, 26)).Times(p.T())
		var impulse []float64
		var rest []float64
		for q := range tokens {
			for k := range tokens {
				if at := [2]int{k/grid.Cols - q/grid.Cols, k%grid.Cols - q%grid.Cols}; at == shifts[h] {
					impulse = append(impulse, m[q][k])
				} else {
					rest = append(rest, m[q][k])
				}
			}
		}
		for _, v := range impulse {
			if math.Abs(v/impulse[0]-1) > 1e-3 || v <= 0 {
				t.Fatalf("head %d, shift %v: impulses %v", h, shifts[h], impulse)
			}
		}
		for _, v := range rest {
			v *= 1000 / impulse[0]
			sum, square, count = sum+v, square+v*v, count+1
			if math.Abs(v) > 6.5 {
				t.Errorf("head %d: %v off the impulse, want at most 6", h, v)
			}
		}
	}
	if mean, variance := sum/count, square/count; math.Abs(mean) > 5*1.8/math.Sqrt(count) ||
		math.Abs(math.Sqrt(variance)-1.8) > 0.15 {
		t.Errorf("off the impulses the mean is %v and the deviation %v; want 0 and about 1.8", mean, math.Sqrt(variance))
	}
}

// Where d is less than the rank, A is that of the d largest singular values of P̃; and queries and keys have norm 7.
func TestImpulseOfLowRank(t *testing.T) {
	const d = 5
	s := initSpec("impulse")
	s.HeadDim, s.Heads = d, Ints{9}
	grid := s.Grid()
	tokens := grid.Rows * grid.Cols
	n := newNet(t, s, 2)
	p := normalizedPositions(t, n, tokens, 26)
	values, vectors := eigen(p.T().Times(p).Flat(), 26) // of stems
	inverse := plain.New(26, tokens)                    // P̃⁺
	for r := range d {
		v := plain.Matrix{vectors[r]}
		inverse = inverse.Plus(scaled(v.T().Times(v.Times(p.T())), 1/values[r]))
	}
	for h, shift := range [][2]int{{0, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
		m := plain.New(tokens, tokens)
		for q := range tokens {
			for k := range tokens {
				if k/grid.Cols-q/grid.Cols == shift[0] && k%grid.Cols-q%grid.Cols == shift[1] {
					m[q][k] = 1000
				}
			}
		}
		a := inverse.Times(m).Times(inverse.T())
		got := queryKey(t, n, 0, h, d)
		_, size := distance(a, a)
		_, own := distance(got, got)
		if off, _ := distance(scaled(got, size/own), a); off > 0.05*size { // M has noise
			t.Errorf("head %d: W_Q·W_Kᵀ is %v from A, whose norm is %v", h, off, size)
		}
		for _, name := range []string{"query", "key"} {
			w := matrixOf(t, n, firstSelf+name+".weight", h*d, d)
			if _, norm := distance(w, w); math.Abs(norm-7) > 1e-4 {
				t.Errorf("head %d: norm %v of its map of the %s, want 7", h, norm, name)
			}
		}
	}
}

// Learned positions are 18 times as large as drawn; sinusoids stay as they are.
func TestImpulsePositions(t *testing.T) {
	drawn, s := param(t, newNet(t, initSpec("default"), 2), "position_embeddings.weight"), initSpec("impulse")
	for i, v := range param(t, newNet(t, s, 2), "position_embeddings.weight").Data {
		if math.Abs(float64(v-18*drawn.Data[i])) > 1e-6 {
			t.Fatalf("position %d is %v, want 18·%v", i, v, drawn.Data[i])
		}
	}
	s.Absolute, s.HeadDim = "sinusoid", 8
	n := newNet(t, s, 2)
	grid := s.Grid()
	p := (&plain.Layer{Absolute: "sinusoid", Rows: grid.Rows, Cols: grid.Cols, In: 26}).Places()
	for q, row := range p {
		mean, square := 0.0, 0.0
		for _, v := range row {
			mean += v / 26
		}
		for _, v := range row {
			square += (v - mean) * (v - mean) / 26
		}
		for c := range row {
			p[q][c] = (row[c] - mean) / math.Sqrt(square)
		}
	}
	m := p.Times(queryKey(t, n, 0, 0, 8)).Times(p.T()) // head 0 attends to the query itself
	for q, row := range m {
		for k, v := range row {
			if k != q && v >= row[q] {
				t.Errorf("query %d attends to %d by %v, to itself by %v", q, k, v, row[q])
			}
		}
	}
}

// softSpec is a small network of Gaussian heads whose blocks are convolutions at first.
func softSpec(heads int, heads0, encoding string, window int) Spec {
	s := small()
	s.Encoding, s.Heads, s.HeadsInit, s.Init = encoding, Ints{heads}, heads0, "theorem-soft"
	s.Window = Window{Size: window}
	return s
}

// The network is that of blocks of kind conv with the same seed.
func TestTheoremSoftEqualsConvolution(t *testing.T) {
	for _, tt := range []struct {
		heads      int
		init       string
		encoding   string
		window     int
		border     string
		bound      float64
		conditions [2]float64
	}{
		{9, "random", "quadratic", 3, "zero", 1e-4, [2]float64{10, 1000}},
		{9, "grid-soft", "quadratic-general", 3, "zero", 1e-4, [2]float64{10, 1000}},
		{4, "grid-soft", "quadratic", 2, "zero", 1e-4, [2]float64{2, 100}},
		{16, "random", "quadratic", 4, "zero", 1e-4, [2]float64{10, 2000}},
		{9, "grid", "quadratic", 3, "zero", 1e-5, [2]float64{1, 1.001}},
		{9, "grid", "quadratic", 0, "replicate", 1e-5, [2]float64{1, 1.001}},
		{9, "grid", "quadratic-general", 0, "replicate", 1e-5, [2]float64{1, 1.001}},
	} {
		name := fmt.Sprintf("%d heads, %s, %s, window %d", tt.heads, tt.init, tt.encoding, tt.window)
		t.Run(name, func(t *testing.T) {
			s := softSpec(tt.heads, tt.init, tt.encoding, tt.window)
			soft := newNet(t, s, 7)
			s.Init, s.HeadsInit, s.Window, s.Layers, s.Border = "default", "random", Window{}, Layers{{Kind: "conv",
				Repeat: s.Layers.Count()}}, tt.border
			twin := newNet(t, s, 7)
			x, labels := images(3, s), []int32{0, 1, 2}
			got, want := imageLogits(t, soft, false, x, labels), imageLogits(t, twin, false, x, labels)
			var off, size float64
			for i := range want {
				off, size = max(off, math.Abs(float64(got[i]-want[i]))), max(size, math.Abs(float64(want[i])))
			}
			note := soft.Spec.InitNote()
			t.Logf("relative error %.2g; %s", off/size, note)
			if off > tt.bound*size {
				t.Errorf("logits differ by %v of %v", off, size)
			}
			var alpha, condition, residual float64
			if _, err := fmt.Sscanf(note, "layers start as convolutions of heads with α = %g; condition number %g, "+
				"residual %g", &alpha, &condition, &residual); err != nil {
				t.Fatal(note, err)
			}
			if condition < tt.conditions[0] || condition > tt.conditions[1] || residual > 1e-6 {
				t.Errorf("%s: want a condition number of %v", note, tt.conditions)
			}
		})
	}
}

// The condition number of heads at α = 0.5 on 3 × 3 taps is the square of that of the softmax along an axis.
func TestConditionOfTheoremSoft(t *testing.T) {
	axis := plain.New(3, 3)
	for u := range axis {
		for i := range axis[u] {
			axis[u][i] = -0.5 * float64((i-u)*(i-u))
		}
	}
	axis = plain.SoftmaxRows(axis)
	values, _ := eigen(axis.Times(axis.T()).Flat(), 3)
	want := fmt.Sprintf("condition number %.3g", values[0]/values[2])
	if note := softSpec(9, "random", "quadratic", 3).InitNote(); !strings.Contains(note, want) {
		t.Errorf("%s, want %s", note, want)
	}
}

// Values of either kind of block that start elsewhere, and other weights, are those of the default.
func TestInitChangesAttentionOnly(t *testing.T) {
	for _, init := range Inits.Names()[1:] {
		s := initSpec(init)
		if init == "theorem-soft" {
			s = softSpec(9, "grid-soft", "quadratic", 3)
		}
		own := map[string]any{"init": "default"}
		s.Layers = Layers{{Repeat: 1}, {Repeat: 1, Own: own}}
		changed := newNet(t, s, 5)
		s.Init = "default"
		plainNet := newNet(t, s, 5)
		some := false
		for i, p := range changed.Params {
			same := slices.Equal(p.Data, plainNet.Params[i].Data)
			attends := strings.HasPrefix(p.Name, "model.encoder.layer.0.attention.") &&
				!strings.Contains(p.Name, "LayerNorm") && !strings.HasSuffix(p.Name, "output.dense.bias")
			positions := init == "impulse" && p.Name == "model.position_embeddings.weight"
			if !same && !attends && !positions {
				t.Errorf("%s changes %s", init, p.Name)
			}
			some = some || !same
		}
		if !some {
			t.Errorf("%s changes nothing", init)
		}
	}
}

func TestInitRefused(t *testing.T) {
	content := func(change func(*Spec)) Spec {
		s := initSpec("impulse")
		change(&s)
		return s
	}
	for _, tt := range []struct {
		spec      Spec
		key, want string
	}{
		{content(func(s *Spec) { s.Init = "xavier" }), "model.init", "xavier"},
		{content(func(s *Spec) { s.Absolute = "none" }), "model.init", "absolute"},
		{content(func(s *Spec) { s.Encoding, s.Value = "content", "factored" }), "model.init", "content-only"},
		{content(func(s *Spec) { s.Value = "combined" }), "model.init", "factored"},
		{content(func(s *Spec) { s.Readout = "token" }), "model.init", "class token"},
		{content(func(s *Spec) { s.Init, s.Encoding, s.HeadDim = "mimetic", "quadratic", 0 }), "model.init",
			"factored"},
		{content(func(s *Spec) {
			s.Init, s.Encoding, s.Value, s.Terms = "mimetic", "relative", "factored", []string{"vr", "uk"}
		}), "model.init", "term qk"},
		{content(func(s *Spec) { s.Init = "theorem-soft" }), "model.init", "Gaussian"},
		{softSpec(8, "random", "quadratic", 3), "model.init", "square"},
		{softSpec(9, "random", "quadratic", 0), "model.init", "model.window 3"},
		{softSpec(9, "random", "quadratic", 5), "model.init", "model.window 3"},
		{func() Spec {
			s := softSpec(9, "random", "quadratic", 3)
			s.Window.Border = "absent"
			return s
		}(), "model.init", "model.window 3"},
	} {
		err := tt.spec.Validate()
		if e, ok := err.(*option.Error); !ok || e.Key != tt.key || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.key, err, tt.want)
		}
	}
}

// Mimetic and impulse networks of every kind that they allow run and have finite logits.
func TestInitOfEveryEncoding(t *testing.T) {
	for _, encoding := range posenc.Kinds.Names() {
		for _, content := range []string{"none", "add", "gate"} {
			s := small()
			s.Encoding, s.Value, s.Init, s.Content, s.Dim, s.HeadDim = encoding, "factored", "mimetic", content, 26, 26
			if posenc.Kinds.Find(encoding).Queries && content != "none" {
				continue
			}
			n := newNet(t, s, 1)
			if s.Blocks()[0].ReadsContent() {
				checkNoise(t, encoding+" "+content, queryKey(t, n, 0, 0, s.HeadDim), 0.7, 0.7)
			}
		}
	}
}
