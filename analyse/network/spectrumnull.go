package network

import (
	"context"
	"runtime"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/model"
)

// nullKernel is the K of the regressions of untrained networks: of 3 × 3 alone, which takes a hundredth of the work of
// 7 × 7.
const nullKernel = 3

// untrainedR2 is the R² of 3 × 3 convolutions for one layer of each untrained network.
type untrainedR2 struct {
	k3   []float64
	near []nearBorder
}

// untrainedSpectra is the null of R²: 3 × 3 convolutions fitted to the layers of untrained networks, on the same
// images.
func (m *measuring) untrainedSpectra(ctx context.Context) error {
	var wanted []int
	for i, l := range m.d.Layers {
		if r2Of(l).Known() {
			wanted = append(wanted, i)
		}
	}
	if m.against.r2 == nil && len(wanted) > 0 {
		if err := m.drawSpectra(ctx, wanted); err != nil {
			return err
		}
	}
	for _, i := range wanted {
		if each := m.against.r2[i].k3; len(each) > 0 {
			m.d.Layers[i].Spectrum.Null = &NullR2{Draws: len(each), K3: new(analyse.NewBand(each)), Each: each}
		}
	}
	return nil
}

func (m *measuring) drawSpectra(ctx context.Context, wanted []int) error {
	m.against.r2 = make([]untrainedR2, len(m.sites))
	return m.eachFresh(ctx, m.o.Fits, func(n int, net *model.Network) error {
		m.tell("regressions of untrained network %d of %d", n+1, m.freshOnes(m.o.Fits))
		sites, err := sitesOf(net)
		if err != nil {
			return err
		}
		for first := 0; first < len(wanted); {
			n, floats := 0, 0
			for _, i := range wanted[first:] { // as many layers in one pass as memory allows
				floats += near(sites[i].grid, nullKernel) * sites[i].in * sites[i].in
				if n > 0 && floats > maxMoments/2 {
					break
				}
				n++
			}
			if err := m.fitNull(ctx, net, sites, wanted[first:first+n]); err != nil {
				return err
			}
			first += n
		}
		return nil
	})
}

// fitNull adds the R² of the wanted layers of one network.
func (m *measuring) fitNull(ctx context.Context, net *model.Network, sites []*site, wanted []int) error {
	var read []*site
	moments, scores := make([]*analyse.Moments, len(wanted)), make([]*analyse.Score, len(wanted))
	inside := make([]analyse.Predictor, len(wanted))
	for j, i := range wanted {
		s, err := sites[i], error(nil)
		read = append(read, s)
		if moments[j], err = analyse.NewMoments(s.grid, s.result, s.in, s.out, nullKernel); err != nil {
			return err
		}
	}
	r, err := newFeatures(net, read...)
	if err != nil {
		return err
	}
	defer runtime.GC() // as in spectra
	defer r.f.Close()
	err = r.each(ctx, m.fit, func(n int) error {
		for j := range wanted {
			if err := moments[j].Add(r.of(j, 0, n), r.of(j, 1, n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for j, s := range read {
		kernels, err := moments[j].Fit(ctx)
		if err != nil {
			return err
		}
		p, err := kernels[len(kernels)-1].Predictor(s.grid, s.result)
		if err != nil {
			return err
		}
		predictors := []analyse.Predictor{p}
		if inside[j], err = m.interior(ctx, moments[j], nullKernel); err != nil {
			return err
		}
		if inside[j] != nil {
			predictors = append(predictors, inside[j])
		}
		if scores[j], err = s.score(predictors...); err != nil {
			return err
		}
		moments[j] = nil
	}
	err = r.each(ctx, m.score, func(n int) error {
		for j := range wanted {
			if err := scores[j].Add(r.of(j, 0, n), r.of(j, 1, n)); err != nil {
				return err
			}
		}
		return nil
	})
	for j, i := range wanted {
		null := &m.against.r2[i]
		if v := scores[j].R2(0, 0); v-v == 0 { // it is not for a constant output
			null.k3 = append(null.k3, v)
		}
		if inside[j] != nil {
			null.near = append(null.near, nearBorder{scores[j].R2(1, 1), scores[j].BorderR2(0, 1)})
		}
	}
	return err
}
