package network

import (
	"context"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
)

// spectra are how well convolutions of its input predict a layer on images, and how large its output is.
var spectra = measure{
	all: func(ctx context.Context, m *measurement) error {
		if err := m.spectra(ctx); err != nil {
			return err
		}
		return m.untrainedSpectra(ctx)
	},
	columns: []column{
		hundredths("R²", "r2_k3", r2Of).only(withValues),
		plain("null_r2_k3", func(l Layer) null.Float { return bandOr(r2Null(l)).Mean }),
		plain("r2_k1", ofSpectrum(func(s *Spectrum) null.Float { return s.K1 })),
		plain("r2_k5", ofSpectrum(func(s *Spectrum) null.Float { return s.K5 })),
		plain("r2_k7", ofSpectrum(func(s *Spectrum) null.Float { return s.K7 })),
		plain("r2_mean_by_shift", ofSpectrum(func(s *Spectrum) null.Float { return s.Shift })),
		plain("r2_mean_attention", ofSpectrum(func(s *Spectrum) null.Float { return s.Mean })),
		plain("size", func(l Layer) null.Float { return l.Size }),
	},
	legend: spectrumLegend,
	screen: []column{
		hundredths("R²", "", r2Of).with(words("R²        of the best 3 × 3 convolution of the layer's input, on images")),
		hundredths("at init", "", func(l Layer) null.Float { return bandOr(r2Null(l)).Mean }),
		hundredths("size", "", func(l Layer) null.Float { return l.Size }).with(words(
			"size      variance of what the layer adds over that of the tokens it is added to")),
	},
}

func spectrumLegend(d Analysis) []string {
	if d.Images.Score == 0 || !d.some(func(l Layer) bool { return l.Spectrum != nil }) {
		return nil
	}
	notes := []string{fmt.Sprintf("R²         of the best 3 × 3 convolution of the layer's input: fitted on %s %s, scored "+
		"on %s others", table.Thousands(d.Images.Fit), strings.TrimSpace(d.Images.Split+" images"),
		table.Thousands(d.Images.Score))}
	draws, means := 0, ""
	for _, l := range d.Layers {
		if draws == 0 {
			draws = len(r2Draws(l))
		}
		means += " " + rounded(bandOr(r2Null(l)).Mean, analyse.Hundredths).Text
	}
	if draws > 0 {
		notes = append(notes, "           of "+table.Count(draws, "untrained network")+", layer by layer:"+means)
	}
	return notes
}

// Spectrum is how much of a layer's output convolutions of its input explain, on other images than those of the fit.
type Spectrum struct {
	K1 null.Float `json:"r2_k1"` // R² of the best 1 × 1 convolution
	K3 null.Float `json:"r2_k3"` // 3 × 3
	K5 null.Float `json:"r2_k5"` // 5 × 5
	K7 null.Float `json:"r2_k7"` // 7 × 7; null: larger than the grid, or not asked for
	// R² of the mean attention by shift, the nearest kernel; null: no operator
	Shift   null.Float `json:"r2_mean_by_shift"`
	Mean    null.Float `json:"r2_mean_attention"` // R² of the mean attention, without content
	Largest int        `json:"largest_k"`         // that was fitted
	Null    *NullR2    `json:"null"`              // of untrained networks; null: not measured
}

// NullR2 is the R² of layers of untrained networks, on the same images.
type NullR2 struct {
	Draws int           `json:"draws"`       // networks
	K3    *analyse.Band `json:"r2_k3"`       // of the best 3 × 3 convolution
	Each  []float64     `json:"r2_k3_draws"` // of each network
}

// spectra fits convolutions to the inputs and outputs of each layer.
func (m *measurement) spectra(ctx context.Context) error {
	if m.fit.Len() == 0 || m.o.Kernel < 1 {
		return nil
	}
	for i, s := range m.sites {
		k := m.largest(i, s, m.fit.Len(), m.o.Kernel)
		if k < 1 {
			continue
		}
		m.tell("regressions of layer %d of %d", i+1, len(m.sites))
		if err := m.spectrum(ctx, &m.d.Layers[i], s, k); err != nil {
			return fmt.Errorf("layer %d (%s): %w", i+1, s.path, err)
		}
	}
	return nil
}

// spectrum fits convolutions up to K × K to a site.
func (m *measurement) spectrum(ctx context.Context, l *Layer, s *site, k int) error {
	r, err := ends(m.Net, s)
	if err != nil {
		return err
	}
	defer r.f.Close()
	how := fit{k: k, all: true, interior: m.o.Network, centered: true, others: (*site).meanPredictors}
	all, err := how.regress(ctx, []*site{s}, r.pass(m.fit), r.pass(m.score))
	if err != nil {
		return err
	}
	l.Spectrum, l.Size = all[0].spectrum(k), all[0].size.value()
	s.fitted, s.near = k, all[0].near()
	if m.o.Function || m.o.Headline {
		s.kernels = all[0].kernels
	}
	return nil
}

// meanPredictors are a layer with the mean of its attention by shift, and with its mean over images.
func (s *site) meanPredictors() (all []analyse.Predictor, err error) {
	if s.operator == nil {
		return nil, nil
	}
	mean := s.raw
	shifted := mean
	shifted.Attention = s.operator.ShiftMean(0)
	for _, l := range []analyse.Layer{shifted, mean} {
		p, err := l.Predictor(s.bias)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// spectrum returns the R² of regressions up to K × K, and of meanPredictors.
func (r *regression) spectrum(k int) *Spectrum {
	return &Spectrum{K1: r.r2(1), K3: r.r2(3), K5: r.r2(5), K7: r.r2(7), Shift: r.other(0), Mean: r.other(1),
		Largest: k}
}

// nullKernel is the K of the regressions of untrained networks: of 3 × 3 alone, which takes a hundredth of the work of
// 7 × 7.
const nullKernel = 3

// untrainedSpectra is the null of R²: 3 × 3 convolutions fitted to the layers of untrained networks, on the same
// images.
func (m *measurement) untrainedSpectra(ctx context.Context) error {
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

func (m *measurement) drawSpectra(ctx context.Context, wanted []int) error {
	m.against.r2 = make([]regressionDraws, len(m.sites))
	return m.eachFresh(ctx, m.o, m.o.Fits, func(n int, net *model.Network) error {
		m.tell("regressions of untrained network %d of %d", n+1, m.freshOnes(m.o, m.o.Fits))
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
func (m *measurement) fitNull(ctx context.Context, net *model.Network, sites []*site, wanted []int) error {
	var read []*site
	for _, i := range wanted {
		read = append(read, sites[i])
	}
	r, err := ends(net, read...)
	if err != nil {
		return err
	}
	defer r.f.Close()
	how := fit{k: nullKernel, interior: m.o.Network, centered: true}
	all, err := how.regress(ctx, read, r.pass(m.fit), r.pass(m.score))
	if err != nil {
		return err
	}
	for j, i := range wanted {
		draws := &m.against.r2[i]
		if v := all[j].r2(nullKernel); v.Known() { // it is not for a constant output
			draws.k3 = append(draws.k3, float64(v))
		}
		if near := all[j].near(); near != nil {
			draws.near = append(draws.near, *near)
		}
	}
	return nil
}

// ofSpectrum is a value of a layer's spectrum.
func ofSpectrum(of func(*Spectrum) null.Float) func(l Layer) null.Float {
	return func(l Layer) null.Float {
		if l.Spectrum == nil {
			return null.Unknown
		}
		return of(l.Spectrum)
	}
}

var r2Of = ofSpectrum(func(s *Spectrum) null.Float { return s.K3 })

// r2Null is the R² of untrained networks; nil if it is unknown.
func r2Null(l Layer) *analyse.Band {
	if len(r2Draws(l)) == 0 {
		return nil
	}
	return l.Spectrum.Null.K3
}

// r2Draws are those of untrained networks.
func r2Draws(l Layer) []float64 {
	if l.Spectrum == nil || l.Spectrum.Null == nil {
		return nil
	}
	return l.Spectrum.Null.Each
}

// spectrumTable lists the layers of a network that are no linear maps of their tokens, as residual blocks are.
func spectrumTable(d Analysis, notes []string) *table.Table {
	if d.Images.Score > 0 {
		notes = append([]string{fmt.Sprintf("R²         fitted on %s %s images, scored on %s others; untrained: "+
			"3×3 of networks before training", table.Thousands(d.Images.Fit), d.Images.Split,
			table.Thousands(d.Images.Score))}, notes...)
	}
	return layerTable(d.Layers, []column{
		numbered,
		hundredths("1×1", "", ofSpectrum(func(s *Spectrum) null.Float { return s.K1 })),
		hundredths("3×3", "", r2Of),
		hundredths("untrained", "", func(l Layer) null.Float { return bandOr(r2Null(l)).Mean }),
		hundredths("5×5", "", ofSpectrum(func(s *Spectrum) null.Float { return s.K5 })),
		hundredths("7×7", "", ofSpectrum(func(s *Spectrum) null.Float { return s.K7 })),
	}, d.Source+"   R² of the best convolution of each layer's input", notes...)
}
