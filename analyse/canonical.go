package analyse

import "slices"

// A Gauge says what a network adds to a layer's maps before and behind it, from which follows what of the maps the
// network's function depends on. Two layer norms hide the rest:
//
//	y ← C·y                 the norm behind the layer removes the mean over the channels, C = 1 - 𝟏𝟏ᵀ/D
//	x = n·diag(γ) + β       the norm in front of it returns n with n·𝟏 = 0, so x·W depends on C·diag(γ)·W alone
//	x = p·U + u             the first layer reads pixels p, so x·W depends on U·W alone
//
// Changes of W that these hide are gauge transformations: W + a·𝟏ᵀ for any a; W + (1/γ)·bᵀ for any b, where the bias
// takes the constant (β/γ)·𝟏·b; W + v·bᵀ with U·v = 0. Layer removes them.
//
// The zero Gauge is of a layer without norms, whose maps are what they are.
type Gauge struct {
	Gamma  []float64 // γ of the norm whose result the layer reads, (In); nil: it reads no norm's
	Pixels []float64 // U of the first layer, (values of a patch, In); nil: another layer
	Center bool      // the mean over output channels is removed behind the layer
}

// Layer returns l with its canonical maps W̃_h = R·W_h·C, which are equal for all maps that gauge transformations make
// of each other: R is C·diag(γ) behind a norm, U in the first layer, and U·C·diag(γ) if that reads a norm's result.
// The result has the attention of l.
func (g Gauge) Layer(l Layer) (Layer, error) {
	if g.Gamma != nil && len(g.Gamma) != l.In {
		return l, wrong("gamma", "%d for %d channels", len(g.Gamma), l.In)
	}
	if l.In < 1 || len(g.Pixels)%l.In != 0 {
		return l, wrong("pixels", "%d elements for maps of %d channels", len(g.Pixels), l.In)
	}
	if i := infinite(g.Gamma); i >= 0 {
		return l, wrong("gamma", "element %d is %v", i, g.Gamma[i])
	}
	if i := infinite(g.Pixels); i >= 0 {
		return l, wrong("pixels", "element %d is %v", i, g.Pixels[i])
	}
	if err := l.sizes(); err != nil {
		return l, err
	}
	canonical := l
	if g.Pixels != nil {
		canonical.In = len(g.Pixels) / l.In
	}
	canonical.Maps = make([][]float64, len(l.Maps))
	for h, w := range l.Maps {
		canonical.Maps[h] = g.of(w, l.In, l.Out)
	}
	return canonical, nil
}

// of returns R·W·C.
func (g Gauge) of(w []float64, in, out int) []float64 {
	w = slices.Clone(w)
	if g.Gamma != nil { // C·diag(γ)·W: rows times γ, less the mean row
		mean := make([]float64, out)
		for i := range in {
			for o := range out {
				w[i*out+o] *= g.Gamma[i]
				mean[o] += w[i*out+o] / float64(in)
			}
		}
		for i := range w {
			w[i] -= mean[i%out]
		}
	}
	if g.Pixels != nil { // U·W
		patch := make([]float64, len(g.Pixels)/in*out)
		for i, u := range g.Pixels {
			to := patch[i/in*out:][:out]
			for o, v := range w[i%in*out:][:out] {
				to[o] += u * v
			}
		}
		w = patch
	}
	if g.Center { // W·C: each row less its mean
		for row := range slices.Chunk(w, out) {
			mean := 0.0
			for _, v := range row {
				mean += v / float64(out)
			}
			for o := range row {
				row[o] -= mean
			}
		}
	}
	return w
}

// WithResidual returns I + L: l with one more head that returns its token. ok is false if l has other numbers of
// channels in and out, so that it cannot be added to what it reads.
func (l Layer) WithResidual() (sum Layer, ok bool) {
	if l.In != l.Out {
		return l, false
	}
	unit := func(n int) []float64 {
		m := make([]float64, n*n)
		for i := range n {
			m[i*n+i] = 1
		}
		return m
	}
	l.Attention = append(slices.Clone(l.Attention), unit(l.Grid.Tokens()))
	l.Maps = append(slices.Clone(l.Maps), unit(l.In))
	return l, true
}
