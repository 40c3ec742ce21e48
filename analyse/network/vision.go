package network

import (
	"context"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc/geometry"
)

const (
	visionDraws    = 20  // of permuted tokens and maps
	visionSeeds    = 3   // untrained networks, whose shares hardly differ
	freshImages    = 10  // that they are measured on
	answeredImages = 25  // on which layers are replaced: each takes as long as half of the network
	mostBits       = 400 // tokens of a grid whose entropies are measured
)

// Vision measures a vision transformer of another program on images. Of s, it takes the name and who hears of progress.
// Untrained networks are drawn as the authors of the network draw them. The error is an *analyse.Error for a layer that
// cannot be measured, or ctx.Err().
func Vision(ctx context.Context, s Subject, net *vision.Network, images vision.Images, o Options) (*Analysis, error) {
	d := &Analysis{V: 1, Source: s.Name, Model: net.Facts.Family, Data: s.Data, Foreign: &net.Facts, Layers: []Layer{}}
	d.Images.Attention = images.Count
	m := &measurement{Subject: s, o: o, d: d, against: &baselines{}}
	m.list = append(m.list, net.Facts.Notes...)
	m.note("R² and accuracy were not measured: pictures have no labels")
	m.tell("%s of attention on %s", table.Count(net.Facts.Blocks, "layer"), table.Count(images.Count, "picture"))
	var taps []vision.Taps
	tokens := make([]*analyse.Null, net.Facts.Blocks)
	err := m.watch(ctx, net, images, false, func(i int, s *site, added *size) (err error) {
		taps = append(taps, nearestTaps(s.operator))
		tokens[i], err = m.visionLayer(i, s, added)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := m.visionUntrained(ctx, net, images); err != nil {
		return nil, err
	}
	m.compare()
	d.Trend = m.trend()
	if !o.Headline {
		m.note("what is left of the answers with a convolution instead of a layer was not measured")
	} else if err := m.answers(ctx, net, images, taps); err != nil {
		return nil, err
	}
	d.Notes = m.all()
	for i := range d.Layers {
		if d.Layers[i].Sentence, err = m.arraysSentence(i, tokens[i]); err != nil {
			return nil, err
		}
	}
	d.Verdict = verdict(*d)
	return d, nil
}

// watch runs images through the network and calls finish with each layer and what it adds to tokens. Layers come one
// after the other, and a layer's arrays are dropped then.
func (m *measurement) watch(ctx context.Context, net *vision.Network, images vision.Images, meanOnly bool,
	finish func(i int, s *site, added *size) error) error {
	layers := net.Layers()
	var s *site
	var added *size
	at := -1
	end := func() error {
		if at < 0 {
			return nil
		}
		return until(ctx, func() error {
			if err := s.recorded(net, at); err != nil {
				return fmt.Errorf("layer %d (%s): %w", at+1, s.path, err)
			}
			return finish(at, s, added)
		})
	}
	_, err := net.Run(ctx, images, func(layer, image int, seen vision.Seen) (err error) {
		if layer != at {
			if err := end(); err != nil {
				return err
			}
			m.done(float64(layer) / float64(len(layers)))
			l := layers[layer]
			at, s = layer, &site{path: l.Name, kind: attends, block: -1, grid: l.Grid, result: l.Grid, in: l.Channels,
				out: l.Channels, gauge: l.Gauge}
			s.canonical = true
			if s.seen, err = analyse.NewAttention(l.Grid, l.Heads); err != nil {
				return err
			}
			s.seen.Prefixed, s.seen.MeanOnly = l.Others > 0, meanOnly || l.Grid.Tokens() > mostBits
			added = newSize(s)
		}
		added.add(seen.Stream[seen.Others*s.in:], seen.Output[seen.Others*s.in:])
		return s.seen.Add(onGrid(seen, s.grid))
	})
	if err != nil {
		return err
	}
	return end()
}

func (m *measurement) done(part float64) {
	if m.Done != nil {
		m.Done(part)
	}
}

// onGrid returns the attention between tokens of the grid, (tokens, tokens) for each head.
func onGrid(s vision.Seen, g analyse.Grid) (p [][]float64) {
	for head := range slices.Chunk(s.OnGrid(), g.Tokens()*g.Tokens()) {
		p = append(p, wide(head))
	}
	return p
}

// EachVision calls f with the operator of each layer of attention, at the mean attention over images. A layer's arrays
// are dropped before the next one is read. The error is f's, an *analyse.Error, or ctx.Err().
func EachVision(ctx context.Context, net *vision.Network, images vision.Images,
	f func(o *analyse.Operator) error) error {
	m := &measurement{}
	return m.watch(ctx, net, images, true, func(_ int, s *site, _ *size) error { return f(s.operator) })
}

// recorded makes the operator of what was seen.
func (s *site) recorded(net *vision.Network, layer int) (err error) {
	s.raw = analyse.Layer{Grid: s.grid, In: s.in, Out: s.out, Attention: s.seen.Mean(), Maps: net.Maps(layer),
		Epsilon: 0x1p-23, Prefixed: s.seen.Prefixed}
	canonical, err := s.gauge.Layer(s.raw)
	if err != nil {
		return err
	}
	s.operator, err = analyse.NewOperator(canonical)
	return err
}

// nearestTaps are the nearest 3 × 3 convolution, as weights of each head.
func nearestTaps(o *analyse.Operator) (t vision.Taps) {
	t.Shifts = geometry.Square(3)
	for h := range o.Layer.Maps {
		w := make([]float32, len(t.Shifts))
		for i, s := range t.Shifts {
			w[i] = float32(o.MeanByShift(h, s))
		}
		t.Weights = append(t.Weights, w)
	}
	return t
}

// visionLayer measures one layer. It returns the null of permuted tokens, nil if it was not drawn.
func (m *measurement) visionLayer(i int, s *site, added *size) (tokens *analyse.Null, err error) {
	layer := s.unmeasured(i)
	layer.ByImage, layer.Size = true, added.value()
	if err := m.describeRecorded(i, s, &layer); err != nil {
		return nil, err
	}
	if s.seen.MeanOnly {
		m.lacks(i, "bits were not measured: more than %d tokens", mostBits)
	} else {
		m.warnOfBias(i, s)
	}
	return m.addRecorded(i, s, layer)
}

// visionUntrained measures untrained networks of the same architecture.
func (m *measurement) visionUntrained(ctx context.Context, net *vision.Network, images vision.Images) error {
	m.against.layers = make([][]Layer, len(m.d.Layers))
	images.Count = min(images.Count, freshImages)
	for n := range m.o.Seeds {
		m.tell("untrained network %d of %d", n+1, m.o.Seeds)
		fresh, err := net.Fresh(untrainedSeed(m.o.Seed + uint64(n)))
		if err != nil {
			return err
		}
		err = m.watch(ctx, fresh, images, true, func(i int, s *site, _ *size) error {
			var draw Layer
			if err := draw.describeUntrained(s); err != nil {
				return err
			}
			m.against.layers[i] = append(m.against.layers[i], draw)
			return nil
		})
		if err != nil {
			return fmt.Errorf("untrained network %d: %w", n+1, err)
		}
	}
	return nil
}

// answers replaces each layer by its nearest 3 × 3 convolution, and compares what the network answers.
func (m *measurement) answers(ctx context.Context, net *vision.Network, images vision.Images,
	taps []vision.Taps) error {
	m.tell("each layer as its nearest 3 × 3 convolution")
	images.Count = min(images.Count, answeredImages)
	n := 0
	all, err := net.Replace(ctx, images, taps, func() {
		n++
		m.done(float64(n) / float64(images.Count))
	})
	if err != nil {
		return err
	}
	for i, a := range all {
		m.d.Layers[i].Answers = &Answers{images.Count, net.Facts.Classes > 0, a.Same, null.Float(a.Cosine)}
	}
	return nil
}

// ForVision returns the options for a vision transformer of another program: fewer untrained networks and draws unless
// their numbers were chosen, and no answers of quick analyses.
func (o Options) ForVision(quick, seeded, drawn bool) Options {
	o.Headline = !quick
	if !seeded {
		o.Seeds = visionSeeds
	}
	if !drawn {
		o.Draws = visionDraws
	}
	return o
}
