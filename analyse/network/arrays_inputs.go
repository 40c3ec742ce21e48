package network

import (
	"cmp"
	"context"
	"fmt"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/npy"
)

// mostFit is how many multiplications the factor of a regression of arrays may take: about a minute of one core.
const mostFit = 1e11

// kernelOf returns the largest K, at most k, whose regression mostFit allows.
func (l *arrayLayer) kernelOf(k int) int {
	for ; k > 1; k -= 2 {
		if n := float64(k*k) * float64(l.maps.Shape[1]); n*n*n/6 <= mostFit {
			break
		}
	}
	return k
}

// arraysSpectrum fits convolutions to the outputs that attention and maps make of the first half of the inputs, and
// scores them on the other half, where it measures the size of the layer as well. If the images are too few, there is
// the size only.
func (m *measurement) arraysSpectrum(ctx context.Context, i int, s *site, l *arrayLayer, to *Layer) error {
	images := l.inputs.Shape[0]
	half := images / 2
	if m.o.Kernel < 1 {
		return nil
	}
	k := m.largest(i, s, half, l.kernelOf(m.o.Kernel))
	if k < 1 {
		each, err := s.eachInput(l)
		if err != nil {
			return err
		}
		size := newSize(s)
		err = each(half, images)(ctx, func(_ int, _, stream, y []float32) error { size.add(stream, y); return nil })
		to.Size = size.value()
		return err
	}
	of, err := s.regress(ctx, l, fit{k: k, all: true, others: (*site).centeredMeans})
	if err != nil {
		return err
	}
	m.d.Images.Fit, m.d.Images.Score = max(m.d.Images.Fit, half), max(m.d.Images.Score, images-half)
	to.Spectrum, to.Size = of.spectrum(k), of.size.value()
	if k >= nullKernel {
		to.Spectrum.Null, err = l.untrainedSpectrum(ctx)
	}
	return err
}

// fewInputs says how many images R² of 3 × 3 convolutions takes where the file has too few; "": they are enough, or
// nobody asked.
func (m *measurement) fewInputs(layers []*arrayLayer) string {
	most, has := 0, 0
	for i, l := range layers {
		g := m.d.Layers[i].Grid
		if l.inputs == nil || l.kernelOf(m.o.Kernel) < nullKernel || !affords(g, l.maps.Shape[1], nullKernel) {
			continue
		}
		t := g.Tokens()
		half := (2*unknowns(nullKernel, l.maps.Shape[1]) + t - 1) / t
		if n := l.inputs.Shape[0]; n < 2*half {
			most, has = max(most, 2*half), max(has, n)
		}
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf("R² of 3 × 3 convolutions was not measured: it takes inputs of %d images, and there are %d.", most,
		has)
}

// centeredMeans are meanPredictors of a layer without bias, as far as the network reads it.
func (s *site) centeredMeans() ([]analyse.Predictor, error) {
	raw, err := analyse.Gauge{Center: s.canonical}.Layer(s.raw)
	of := *s
	of.raw = raw
	if err != nil {
		return nil, err
	}
	return of.meanPredictors()
}

// regress fits convolutions to the first half of the inputs and scores them on the other half.
func (s *site) regress(ctx context.Context, l *arrayLayer, o fit) (*regression, error) {
	each, err := s.eachInput(l)
	if err != nil {
		return nil, err
	}
	half := l.inputs.Shape[0] / 2
	all, err := o.regress(ctx, []*site{s}, each(0, half), each(half, l.inputs.Shape[0]))
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// untrainedSpectrum is the R² of 3 × 3 convolutions of the untrained layers that have inputs; nil: none has.
func (l *arrayLayer) untrainedSpectrum(ctx context.Context) (*NullR2, error) {
	d := &NullR2{}
	for _, u := range l.untrained {
		if u.inputs == nil {
			continue
		}
		s := u.site()
		_, err := s.read(u)
		if err != nil {
			return nil, fmt.Errorf("untrained%s: %w", u.name, err)
		}
		of, err := s.regress(ctx, u, fit{k: nullKernel})
		if err != nil {
			return nil, fmt.Errorf("untrained%s: %w", u.name, err)
		}
		if v := of.r2(nullKernel); v.Known() { // it is not for a constant output
			d.Each = append(d.Each, float64(v))
		}
	}
	if d.Draws = len(d.Each); d.Draws == 0 {
		return nil, nil
	}
	d.K3 = new(analyse.NewBand(d.Each))
	return d, nil
}

// eachInput returns passes over the inputs from one image to another, one after the other, over what attention and maps
// make of them, and over the tokens that this is added to: stream or, without it, inputs.
func (s *site) eachInput(l *arrayLayer) (func(from, to int) pass, error) {
	inputs, err := l.inputs.Read()
	if err != nil {
		return nil, err
	}
	stream := inputs
	if l.stream != nil {
		if stream, err = l.stream.Read(); err != nil {
			return nil, fmt.Errorf("stream: %w", err)
		}
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
	return func(from, to int) pass {
		return func(ctx context.Context, add addImages) error {
			output, err := layer.Predictor(nil)
			for image := from; image < to && err == nil; image++ {
				x, err := tokensOf(inputs, image)
				if err != nil {
					return err
				}
				tokens, err := tokensOf(stream, image)
				if err != nil {
					return fmt.Errorf("stream: %w", err)
				}
				if weights != nil {
					layer.Attention = s.ofImage(weights, image)
					if output, err = layer.Predictor(nil); err != nil {
						return err
					}
				}
				if err := cmp.Or(add(0, x, tokens, output(x, 1)), ctx.Err()); err != nil {
					return err
				}
			}
			return err
		}
	}, nil
}

// tokensOf are the values of an image, (tokens, channels), which are finite.
func tokensOf(v *npy.Values, image int) (x []float32, err error) {
	for at, v := range v.Of(image) {
		if x = append(x, float32(v)); x[at]-x[at] != 0 {
			return nil, fmt.Errorf("image %d: element %d is %v", image+1, at, v)
		}
	}
	return x, nil
}
