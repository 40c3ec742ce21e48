// Package network says how convolutional the layers of a network are: it reads attention, maps, inputs and outputs off
// a network, and measures them with package analyse. docs/analyse.md has the equations.
//
// A layer is attention with the map behind it,
//
//	y_q = Σ_h Σ_k P^h_qk·x_k·W_h + b,  W_h = V_h·D_h
//
// for the value map V and the dense map D of a block, without the residual and the norm; or what takes its place.
//
// layer.go has the list of measures, each of which is a file. site.go and operator.go read a layer off a network,
// program.go computes it on images, regression.go fits convolutions to it, and baselines are drawn in this file.
//
// Stable: nothing yet.
package network

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
)

// Measure returns what is measured of every layer. The error is an *analyse.Error if a value of the network is not
// finite, or ctx.Err().
func Measure(ctx context.Context, s Subject, o Options) (*Analysis, error) {
	return measureAgainst(ctx, s, o, &baselines{})
}

// measureAgainst measures every layer against untrained networks, which it draws unless an earlier call has.
func measureAgainst(ctx context.Context, s Subject, o Options, against *baselines) (*Analysis, error) {
	if s.Net == nil || s.Net.Layer == nil {
		return nil, errors.New("the network is nil or empty: want one of model.New or model.Load")
	}
	sites, err := sitesOf(s.Net)
	if err != nil {
		return nil, err
	}
	spec := s.Net.Spec
	d := &Analysis{V: 1, Source: s.Name, Model: spec.Kind, Encoding: spec.EncodingName(), Seed: s.Seed}
	m := &measurement{Subject: s, o: o, d: d, sites: sites, against: against}
	switch {
	case spec.ClassToken():
		m.note("layers from %d on have a class token and are not measured", len(sites)+1)
	case len(sites) == 0:
		m.note("a %s has no layers that can be measured", spec.Kind)
	}
	m.divide()
	runtime.GC() // of the set that the images come from, 0.3 GB of CIFAR-10, before regressions take as much
	if err := m.describe(ctx); err != nil {
		return nil, err
	}
	if err := m.drawBaselines(ctx); err != nil {
		return nil, err
	}
	m.compare()
	for _, of := range measures {
		if of.all != nil {
			if err := of.all(ctx, m); err != nil {
				return nil, err
			}
		}
	}
	m.conclude()
	for i := range d.Layers {
		if d.Layers[i].Sentence, err = m.sentence(i); err != nil {
			return nil, err
		}
	}
	d.Verdict = verdict(*d)
	return d, nil
}

// divide takes training images to fit and validation images to score: as many as asked for, or as there are.
func (m *measurement) divide() {
	m.fit, m.score = m.fitted(m.o), m.scored(m.o, m.Held)
	if m.Held.Len() == 0 {
		m.note("no images were read: nothing was measured on data")
	}
	if m.score.Len() == 0 {
		return
	}
	m.d.Data, m.d.Images = m.Data, Images{Split: m.Split, FitSplit: "train", Fit: m.fit.Len(), Score: m.score.Len()}
	if m.Train.Len() == 0 {
		m.d.Images.FitSplit = m.Split
	}
}

// describe measures what the weights and the attention say of each layer.
func (m *measurement) describe(ctx context.Context) error {
	n, err := see(ctx, m.Net, m.sites, m.Held, m.o.Attention, false)
	if err != nil {
		return err
	}
	if m.d.Images.Attention = n; n > 0 {
		m.d.Data, m.d.Images.Split = m.Data, m.Split
	}
	blocks := m.Net.Spec.Blocks()
	m.d.Layers = make([]Layer, len(m.sites))
	lacking := make([][]string, len(m.sites))
	err = eachLayer(len(m.sites), func(i int) (err error) {
		s, l := m.sites[i], &m.d.Layers[i]
		*l = s.unmeasured(i)
		l.ByImage = s.kind == attends && blocks[s.block].ReadsContent()
		if lacking[i], err = l.describe(s, s.project()); err != nil && s.operator == nil {
			err = fmt.Errorf("%s: layer %d (%s): %w", m.Name, i+1, s.path, err)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, s := range m.sites {
		l := &m.d.Layers[i]
		if s.operator != nil && l.ByImage {
			m.lacks(i, "attention depends on the image: shares, taps and leverage are of its mean over %d images", n)
		}
		if s.operator != nil && s.loses {
			m.lacks(i, "zeros around the grid have part of the attention; bits were not measured")
		} else if s.operator != nil && l.ByImage {
			m.warnOfBias(i, s)
		}
		for _, why := range lacking[i] {
			m.lacks(i, "%s", why)
		}
	}
	return nil
}

// mostBias is the bias of bits beyond which a note says so.
const mostBias = 0.1

// warnOfBias says if too few images were averaged for the bits of layer i.
func (m *measurement) warnOfBias(i int, s *site) {
	if bias := s.seen.Bias(); bias > mostBias {
		m.lacks(i, "content bits are too low and place bits too high by up to %.2f: %s are few for %d keys",
			bias, table.Count(s.seen.Images, "image"), s.grid.Tokens())
	}
}

// unmeasured describes layer i before anything is measured.
func (s *site) unmeasured(i int) Layer {
	return Layer{Layer: i + 1, Path: s.path, Kind: s.kind, Grid: s.grid, Channels: [2]int{s.in, s.out},
		TapScore: null.Unknown, Size: null.Unknown, Nulls: []NullShares{}, Heads: []Head{},
		Kernel: [][]float64{}}
}

// describe measures a layer by itself, unless err says that it has no operator, and returns what it lacks.
func (l *Layer) describe(s *site, err error) (lacks []string, _ error) {
	if why := missing(""); errors.As(err, &why) {
		return []string{"no operator: " + err.Error()}, nil
	} else if err != nil {
		return nil, err
	}
	for _, m := range measures {
		if m.layer == nil {
			continue
		}
		err := m.layer(s, l)
		if why := missing(""); errors.As(err, &why) {
			lacks = append(lacks, err.Error())
		} else if err != nil {
			return nil, err
		}
	}
	return lacks, nil
}

// describeUntrained measures what a layer of an untrained network is compared in.
func (l *Layer) describeUntrained(s *site) error {
	for _, m := range measures {
		if m.baseline != nil {
			if err := m.baseline(s, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// untrainedLayers returns the layers of an untrained network; nil for one without an operator.
func (m *measurement) untrainedLayers(ctx context.Context, net *model.Network) ([]*Layer, error) {
	all := make([]*Layer, len(m.sites))
	sites, err := sitesOf(net)
	if err != nil || len(sites) != len(m.sites) {
		return all, err
	}
	// as many images as of the trained network: fewer would move weight from the shifts to the place
	if _, err := see(ctx, net, sites, m.Held, m.o.Attention, true); err != nil {
		return nil, err
	}
	return all, eachLayer(len(sites), func(i int) error {
		s := sites[i]
		if m.sites[i].operator == nil {
			return nil
		}
		if err := s.project(); err != nil {
			return err
		}
		all[i] = &Layer{}
		return all[i].describeUntrained(s)
	})
}

// drawBaselines measures untrained networks, and the run's own start, unless they have been.
func (m *measurement) drawBaselines(ctx context.Context) (err error) {
	b := m.against
	if b.layers != nil {
		return nil
	}
	b.own = make([]*Layer, len(m.sites))
	if m.Start != nil {
		if b.own, err = m.untrainedLayers(ctx, m.Start); err != nil {
			return err
		}
	}
	if n := m.freshOnes(m.o, m.o.Seeds); n > 0 {
		m.tell("%s", table.Count(n, "untrained network"))
	}
	draws := make([][]Layer, len(m.sites))
	err = m.eachFresh(ctx, m.o, m.o.Seeds, func(_ int, net *model.Network) error {
		layers, err := m.untrainedLayers(ctx, net)
		for i, l := range layers {
			if l != nil {
				draws[i] = append(draws[i], *l)
			}
		}
		return err
	})
	if err == nil {
		b.layers = draws
	}
	return err
}

// compare compares each layer with untrained ones, and with the run's own start.
func (m *measurement) compare() {
	for i := range m.d.Layers {
		l := &m.d.Layers[i]
		for _, of := range measures {
			if of.compare != nil {
				of.compare(m, l, m.against.layers[i])
			}
		}
		if own := m.against.own; l.Null != nil && i < len(own) && own[i] != nil {
			l.Null.Own = own[i].Shares
		}
	}
}

// conclude corrects p-values for the layers, looks for a trend over them, and lists the notes.
func (m *measurement) conclude() {
	m.d.Trend = m.trend()
	correct(m.d.Layers)
	m.d.Notes = append(m.all(), tooFew(*m.d)...)
}
