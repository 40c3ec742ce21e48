package network

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/npy"
	"github.com/attnconv/attnconv/internal/null"
)

// mostFit is how many multiplications the factor of a regression of arrays may take: about a minute of one core.
const mostFit = 1e11

// checkInputs compares the shape of the inputs with those of attention and maps.
func (l *stored) checkInputs() error {
	if l.inputs == nil {
		return nil
	}
	x, a := l.inputs.Shape, l.attention.Shape
	switch {
	case len(x) != 3 || x[0] < 2:
		return fmt.Errorf("inputs %v: want (images, tokens, channels), two images or more", x)
	case x[1] != a[len(a)-1] || x[2] != l.maps.Shape[1]:
		return fmt.Errorf("inputs %v: want %d tokens, as attention %v has, of %d channels, as maps %v have", x,
			a[len(a)-1], a, l.maps.Shape[1], l.maps.Shape)
	case len(a) == 4 && a[0] != x[0]:
		return fmt.Errorf("inputs %v are of %d images, and attention %v of %d", x, x[0], a, a[0])
	}
	return nil
}

// kernelOf returns the largest K, at most k, whose regression mostFit allows.
func (l *stored) kernelOf(k int) int {
	for ; k > 1; k -= 2 {
		if n := float64(k*k) * float64(l.maps.Shape[1]); n*n*n/6 <= mostFit {
			break
		}
	}
	return k
}

// arraysSpectrum fits convolutions to the outputs that attention and maps make of the first half of the inputs, and
// scores them on the other half. It is nil if the images are too few.
func (m *measuring) arraysSpectrum(ctx context.Context, i int, s *site, l *stored) (*Spectrum, error) {
	fit := l.inputs.Shape[0] / 2
	if m.o.Kernel < 1 {
		return nil, nil
	}
	k := m.largest(i, s, fit, l.kernelOf(m.o.Kernel))
	if k < 1 {
		return nil, nil
	}
	mean, err := analyse.Gauge{Center: s.canonical}.Layer(s.raw)
	if err != nil {
		return nil, err
	}
	shifted := mean
	shifted.Attention = s.operator.ShiftMean(0)
	score, kernels, err := s.arraysScore(ctx, l, k, shifted, mean)
	if err != nil {
		return nil, err
	}
	d := unfitted()
	d.Largest = k
	for j, to := range []*null.Float{&d.K1, &d.K3, &d.K5, &d.K7} {
		if j < kernels {
			*to = null.Float(score.R2(j, 0))
		}
	}
	d.Shift, d.Mean = null.Float(score.R2(kernels, 0)), null.Float(score.R2(kernels+1, 0))
	m.d.Images.Fit, m.d.Images.Score = max(m.d.Images.Fit, fit), max(m.d.Images.Score, l.inputs.Shape[0]-fit)
	if k >= nullKernel {
		d.Null, err = l.untrainedSpectrum(ctx)
	}
	return d, err
}

// arraysScore fits convolutions up to K × K to the first half of the inputs. It scores them, and the layers of mean
// attention behind them, on the other half, where it measures the size of the layer as well.
func (s *site) arraysScore(ctx context.Context, l *stored, k int, means ...analyse.Layer) (score *analyse.Score,
	kernels int, err error) {
	each, err := s.eachInput(l)
	if err != nil {
		return nil, 0, err
	}
	moments, err := analyse.NewMoments(s.grid, s.grid, s.in, s.out, k)
	if err != nil {
		return nil, 0, err
	}
	fit := l.inputs.Shape[0] / 2
	if err := each(ctx, 0, fit, moments.Add); err != nil {
		return nil, 0, err
	}
	fitted, err := moments.Fit(ctx)
	if err != nil {
		return nil, 0, err
	}
	var predictors []analyse.Predictor
	for _, kernel := range fitted {
		p, err := kernel.Predictor(s.grid, s.grid)
		if err != nil {
			return nil, 0, err
		}
		predictors = append(predictors, p)
	}
	for _, of := range means {
		p, err := of.Predictor(nil)
		if err != nil {
			return nil, 0, err
		}
		predictors = append(predictors, p)
	}
	if score, err = analyse.NewScore(s.grid, s.grid, s.in, s.out, predictors...); err != nil {
		return nil, 0, err
	}
	size := newSize(s)
	err = each(ctx, fit, l.inputs.Shape[0], func(x, y []float32) error {
		size.add(x, y)
		return score.Add(x, y)
	})
	s.size = size.value()
	return score, len(fitted), err
}

// untrainedSpectrum is the R² of 3 × 3 convolutions of the untrained layers that have inputs; nil: none has.
func (l *stored) untrainedSpectrum(ctx context.Context) (*NullR2, error) {
	d := &NullR2{}
	for _, u := range l.untrained {
		if u.inputs == nil {
			continue
		}
		s := u.site()
		if _, err := s.read(u); err != nil {
			return nil, fmt.Errorf("untrained%s: %w", u.name, err)
		}
		score, kernels, err := s.arraysScore(ctx, u, nullKernel)
		if err != nil {
			return nil, fmt.Errorf("untrained%s: %w", u.name, err)
		}
		if v := score.R2(kernels-1, 0); v-v == 0 { // it is not for a constant output
			d.Each = append(d.Each, v)
		}
	}
	if d.Draws = len(d.Each); d.Draws == 0 {
		return nil, nil
	}
	d.K3 = new(analyse.NewBand(d.Each))
	return d, nil
}

// eachInput returns a function that calls f with the inputs of one image after the other, (tokens, in), and what
// attention and maps make of them, (tokens, out).
func (s *site) eachInput(l *stored) (func(ctx context.Context, from, to int, f func(x, y []float32) error) error,
	error) {
	inputs, err := l.inputs.Read()
	if err != nil {
		return nil, err
	}
	var weights *npy.Values // of each image
	if !s.single {
		if weights, err = l.attention.Read(); err != nil {
			return nil, err
		}
	}
	layer, err := analyse.Gauge{Center: s.canonical}.Layer(s.raw)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, from, to int, f func(x, y []float32) error) error {
		output, err := layer.Predictor(nil)
		for image := from; image < to && err == nil; image++ {
			var x []float32
			for at, v := range inputs.Of(image) {
				if x = append(x, float32(v)); x[at]-x[at] != 0 {
					return fmt.Errorf("image %d: element %d is %v", image+1, at, v)
				}
			}
			if weights != nil {
				layer.Attention = s.ofImage(weights, image)
				if output, err = layer.Predictor(nil); err != nil {
					return err
				}
			}
			if err = f(x, output(x, 1)); err == nil {
				err = ctx.Err()
			}
		}
		return err
	}, nil
}

// inputCost counts what inputs of N images add, with regressions up to K × K of C = K²·I columns:
//
//	outputs        N·H·(T²·I + T·I·O)    of the layer, and of two mean attentions
//	moments        N·(P·I² + T·C·O)      for P pairs of tokens
//	the factor     C³/6 + C²·O
//	scores         2·N·T·C·O             of all K
//
// The inputs, an image of outputs and the moments are in memory. All but the factor are products in float32, which take
// a tenth of the time.
func (l *stored) inputCost(g analyse.Grid, k int) cost {
	if l.inputs == nil || k < 1 {
		return cost{}
	}
	n, t := float64(l.inputs.Shape[0]), float64(g.Tokens())
	h, in, out := float64(l.maps.Shape[0]), float64(l.maps.Shape[1]), float64(l.maps.Shape[2])
	k = l.kernelOf(k)
	columns, pairs := float64(k*k)*in, float64(near(g, k))
	return cost{
		work: 0.1*n*(3*h*(t*t*in+t*in*out)+pairs*in*in+3*t*columns*out) + columns*columns*columns/6 +
			columns*columns*out,
		bytes: float64(l.inputs.Elements)*8 + 8*(columns*columns+columns*out+pairs*in*in) + 8*t*(h+1)*(in+out),
	}
}
