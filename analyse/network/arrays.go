package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/npy"
	"github.com/attnconv/attnconv/internal/visible"
)

// Arrays measures the layers in a file of numpy.savez, of any framework:
//
//	attention (heads, tokens, tokens), or (images, heads, tokens, tokens): a query's weights of the keys add up to 1
//	maps      (heads, in, out): the value map times the output map of each head
//	grid      (2): rows and columns of the tokens; a square if it is missing
//	gamma     (in): weight of the layer norm whose result the layer reads; shares are canonical if it is there
//	elsewhere (heads, tokens), or (images, heads, tokens): what a row of attention leaves to tokens that are not on
//	          the grid, such as a class token; the two add up to 1
//	inputs    (images, tokens, in): what the layer reads; R² and size if it is there
//	stream    (images, tokens, out): what its result is added to, if that is something else; size is relative to it
//	untrained_attention, untrained_maps: the layer before training, with 2, 3, … behind untrained for more networks
//	untrained_elsewhere, untrained_inputs: likewise; the baseline of R² if inputs are there
//
// Without elsewhere, rows may add up to less than 1 at the borders: the rest is on zeros around the grid. Several
// layers have names in front: layer1.attention, layer1.maps. Integers of 32 and 64 bits, floats of 16, 32 and 64, in
// either order of axes. There is no network, so there are no other centers. The error is a *data.CorruptError for a
// file that cannot be measured, an error of the system for one that cannot be read, or ctx.Err().
func Arrays(ctx context.Context, path string, o Options, tell func(format string, args ...any)) (*Analysis, error) {
	z, err := npy.OpenZip(path)
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		return nil, err
	} else if err != nil {
		return nil, &data.CorruptError{Path: path, Reason: err.Error()}
	}
	defer z.Close()
	layers, err := layersOf(z.Members)
	var all cost
	if err == nil {
		all, err = affordable(layers, o.Draws, o.Kernel)
	}
	if err != nil {
		return nil, &data.CorruptError{Path: path, Reason: err.Error()}
	}
	d := &Analysis{V: 1, Source: visible.Word(filepath.Base(path)), Layers: []Layer{}}
	m := &measurement{Subject: Subject{Name: d.Source, Tell: tell}, o: o, d: d, against: &baselines{}}
	m.note("only arrays: no other centers to compare with%s", missingArrays(layers))
	takes := ""
	if all.work > longWork || all.bytes > muchMemory {
		takes = fmt.Sprintf("   in all %v", all)
	}
	tokens := make([]*analyse.Null, len(layers))
	for i, l := range layers {
		m.tell("layer %d of %d%s", i+1, len(layers), takes)
		err := until(ctx, func() (err error) { tokens[i], err = m.array(ctx, i, l); return err })
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, &data.CorruptError{Path: path, Reason: l.called() + err.Error()}
		}
	}
	m.compare()
	m.conclude()
	for i := range d.Layers {
		if d.Layers[i].Sentence, err = m.arraysSentence(i, tokens[i]); err != nil {
			return nil, &data.CorruptError{Path: path, Reason: layers[i].called() + err.Error()}
		}
	}
	if d.Verdict = verdict(*d); m.fewInputs(layers) != "" {
		d.Verdict = append(d.Verdict, m.fewInputs(layers))
	}
	return d, nil
}

// array measures one layer. It returns the null of permuted tokens, nil if it was not drawn.
func (m *measurement) array(ctx context.Context, i int, l *arrayLayer) (tokens *analyse.Null, err error) {
	s := l.site()
	images, err := s.read(l)
	if err != nil {
		return nil, err
	}
	layer := s.unmeasured(i)
	if !s.canonical {
		m.lacks(i, "not canonical: without gamma, the weight of the layer norm in front, shares may change with weights "+
			"that do not change the network")
	}
	if s.loses {
		m.lacks(i, "rows of attention that add up to less than 1 have the rest on zeros around the grid; bits were "+
			"not measured")
	}
	if layer.ByImage = !s.single; layer.ByImage {
		m.lacks(i, "attention of each image: shares, taps and leverage are of its mean over %d images", images)
		if !s.loses {
			m.warnOfBias(i, s)
		}
		m.d.Images.Attention = max(m.d.Images.Attention, images)
	} else if !s.loses {
		m.lacks(i, "one attention for all images: content was not measured, and what the image says is in blur")
	}
	err = m.describeRecorded(i, s, &layer)
	if err != nil || ctx.Err() != nil { // nobody waits for the rest: see until
		return nil, cmp.Or(err, ctx.Err())
	}
	if err := m.arraysUntrained(l); err != nil {
		return nil, err
	}
	if l.inputs != nil {
		if err := m.arraysSpectrum(ctx, i, s, l, &layer); err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
	}
	return m.addRecorded(i, s, layer)
}

// describeRecorded measures a layer by itself that is not one of a network of this program.
func (m *measurement) describeRecorded(i int, s *site, l *Layer) error {
	lacks, err := l.describe(s, nil)
	for _, why := range lacks {
		m.lacks(i, "%s", why)
	}
	return err
}

// addRecorded appends such a layer, with its nulls. It returns the null of permuted tokens, nil if it was not drawn.
func (m *measurement) addRecorded(i int, s *site, l Layer) (tokens *analyse.Null, err error) {
	m.d.Layers = append(m.d.Layers, l)
	if m.o.Draws < 1 {
		return nil, nil
	}
	of, err := m.nullsOf(i, s, nil, nil)
	return &of, err
}

// arraysUntrained measures a layer before training.
func (m *measurement) arraysUntrained(l *arrayLayer) error {
	var draws []Layer
	for _, u := range l.untrained {
		s := u.site()
		if _, err := s.read(u); err != nil {
			return fmt.Errorf("untrained%s: %w", u.name, err)
		}
		var draw Layer
		if err := draw.describeUntrained(s); err != nil {
			return err
		}
		draws = append(draws, draw)
	}
	m.against.layers = append(m.against.layers, draws)
	return nil
}

// arraysSentence says what the values of layer i say.
func (m *measurement) arraysSentence(i int, tokens *analyse.Null) (string, error) {
	l := m.d.Layers[i]
	f := analyse.Finding{Shares: *l.Shares, Mean: l.ByImage, R2: float64(r2Of(l)), TapScore: float64(l.TapScore),
		Content: float64(contentOf(l)), Null: tokens}
	if l.Null != nil {
		f.Null = new(sharesNull("untrained arrays", m.against.layers[i]))
	}
	text, err := analyse.Sentence(i+1, f)
	return text + l.words(), err
}
