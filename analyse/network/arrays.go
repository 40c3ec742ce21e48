package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/npy"
	"github.com/attnconv/attnconv/internal/visible"
)

// Bounds of what a file of arrays may say.
const (
	maxTokens = 1 << 12
	maxLayers = 1 << 8
	maxNamed  = 64      // letters of a layer's name
	maxSeen   = 1 << 27 // elements of one image's attention
	coarse    = 1e-2    // by which a row of attention in float16 may miss 1
)

// named is what the layers of a file of arrays may be called.
var named = regexp.MustCompile(`^[A-Za-z0-9_./-]*$`)

// stored is a layer in a file of arrays.
type stored struct {
	name                  string
	attention, maps, grid *npy.Member
	inputs                *npy.Member // nil: none
	gamma                 *npy.Member // of the layer norm in front; nil: unknown
	fresh                 bool        // before training, when gamma is 1
	untrained             []*stored   // the same layer before training, without gamma
}

// Arrays measures the layers in a file of numpy.savez, of any framework:
//
//	attention (heads, tokens, tokens), or (images, heads, tokens, tokens): a query's weights of the keys add up to 1
//	maps      (heads, in, out): the value map times the output map of each head
//	grid      (2): rows and columns of the tokens; a square if it is missing
//	gamma     (in): weight of the layer norm whose result the layer reads; shares are canonical if it is there
//	inputs    (images, tokens, in): what the layer reads; R² and size if it is there
//	untrained_attention, untrained_maps: the layer before training, with 2, 3, … behind untrained for more networks
//	untrained_inputs: what that layer reads; the baseline of R² if it is there
//
// Rows of attention may add up to less than 1 at the borders: the rest is on zeros around the grid. Several layers have
// names in front: layer1.attention, layer1.maps. Integers of 32 and 64 bits, floats of 16, 32 and 64, in either order
// of axes. There is no network, so there are no other centers. The error is a *data.CorruptError for a file that cannot
// be measured, that of the system for one that cannot be read, or that of ctx.
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
	d := &Analysis{V: 1, Source: visible.Word(filepath.Base(path)), Layers: []AnalysedLayer{}, Notes: []string{}}
	m := &measuring{Subject: Subject{Name: d.Source, Tell: tell}, o: o, d: d, against: &untrained{}}
	if layers[0].name != "" {
		var names []string
		for i, l := range layers {
			names = append(names, fmt.Sprintf("%d %s", i+1, l.name))
		}
		m.note("layers: %s", strings.Join(names, ", "))
	}
	m.note("only arrays: no other centers to compare with%s", missingArrays(layers))
	takes := ""
	if all.work > longWork || all.bytes > muchMemory {
		takes = fmt.Sprintf("   in all %v", all)
	}
	for i, l := range layers {
		m.tell("layer %d of %d%s", i+1, len(layers), takes)
		err := until(ctx, func() error { return m.array(ctx, i, l) })
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, &data.CorruptError{Path: path, Reason: l.called() + err.Error()}
		}
	}
	if err := m.compareProfiles(ctx); err != nil {
		return nil, err
	}
	for _, r := range m.reasons {
		m.note("%s", r)
	}
	correct(d.Layers)
	d.Notes = append(d.Notes, tooFew(d.Layers)...)
	d.Verdict = verdict(*d)
	return d, nil
}

// called begins a message on a layer.
func (l stored) called() string {
	if l.name == "" {
		return ""
	}
	return l.name + ": "
}

// layersOf groups the arrays of a file by what stands before the last dot of their names.
func layersOf(members []*npy.Member) (layers []*stored, err error) {
	for _, m := range members {
		dot := strings.LastIndexByte(m.Name, '.')
		name, what := m.Name[:max(0, dot)], m.Name[dot+1:]
		if len(name) > maxNamed || !named.MatchString(name) {
			return nil, fmt.Errorf("%.80q: want layers that are called by up to %d of letters, digits and _ . / -",
				m.Name, maxNamed)
		}
		at := slices.IndexFunc(layers, func(l *stored) bool { return l.name == name })
		if at < 0 {
			at, layers = len(layers), append(layers, &stored{name: name})
		}
		to := layers[at].array(what)
		if to == nil {
			return nil, fmt.Errorf("array %.80q: want attention, maps, grid, gamma, inputs, "+
				"untrained_attention, untrained_maps or untrained_inputs, with the name of a layer and a dot in front if there are several", m.Name)
		}
		*to = m
	}
	if len(layers) > maxLayers {
		return nil, fmt.Errorf("%d layers: want %d at most", len(layers), maxLayers)
	}
	for _, l := range layers {
		if err := l.check(); err != nil {
			return nil, fmt.Errorf("%s%w", l.called(), err)
		}
	}
	return layers, nil
}

// check compares the shapes, before any array is read.
func (l *stored) check() error {
	switch {
	case l.attention == nil:
		return errors.New("no array attention: want (heads, tokens, tokens) or (images, heads, tokens, tokens)")
	case l.maps == nil:
		return errors.New("no array maps: want (heads, in, out), the value map times the output map of each head")
	}
	a, w := l.attention.Shape, l.maps.Shape
	if len(a) != 3 && len(a) != 4 || a[len(a)-1] != a[len(a)-2] || slices.Min(a) < 1 {
		return fmt.Errorf("attention %v: want (heads, tokens, tokens) or (images, heads, tokens, tokens)", a)
	}
	heads, tokens := a[len(a)-3], a[len(a)-1]
	switch {
	case len(w) != 3 || slices.Min(w) < 1:
		return fmt.Errorf("maps %v: want (heads, in, out)", w)
	case w[0] != heads:
		return fmt.Errorf("maps %v are of %d heads, and attention %v of %d", w, w[0], a, heads)
	case tokens > maxTokens || heads > maxSeen/(tokens*tokens):
		return fmt.Errorf("attention %v: want %d tokens at most, and %d weights of an image", a, maxTokens, maxSeen)
	case w[1] > maxSeen/w[0] || w[2] > maxSeen/w[0]/w[1]:
		return fmt.Errorf("maps %v: want %d elements at most", w, maxSeen)
	case l.grid != nil && !slices.Equal(l.grid.Shape, []int{2}):
		return fmt.Errorf("grid %v: want (2): rows and columns of the tokens", l.grid.Shape)
	}
	if l.gamma != nil && !slices.Equal(l.gamma.Shape, w[1:2]) {
		return fmt.Errorf("gamma %v: want (%d), as many as maps %v have inputs", l.gamma.Shape, w[1], w)
	}
	if err := l.checkInputs(); err != nil {
		return err
	}
	return l.checkUntrained()
}

// tokens returns the rows and columns of the tokens.
func (l *stored) tokens() (g analyse.Grid, err error) {
	tokens := l.attention.Shape[len(l.attention.Shape)-1]
	if l.grid == nil {
		side := int(math.Round(math.Sqrt(float64(tokens))))
		if side*side != tokens {
			err = fmt.Errorf("%d tokens are no square: want an array grid, (rows, columns); a class token is none of "+
				"the image's: "+
				"leave it out, and divide each row of attention by what is left", tokens)
		}
		return analyse.Grid{Rows: side, Cols: side}, err
	}
	v, err := l.grid.Read()
	if err != nil {
		return g, fmt.Errorf("grid: %w", err)
	}
	sides := v.Of()
	if !whole(sides[0]) || !whole(sides[1]) || sides[0]*sides[1] != float64(tokens) {
		return g, fmt.Errorf("grid %v × %v: want rows and columns of %d tokens", sides[0], sides[1], tokens)
	}
	return analyse.Grid{Rows: int(sides[0]), Cols: int(sides[1])}, nil
}

func whole(x float64) bool { return x >= 1 && x <= maxTokens && x == math.Trunc(x) }

// site is the layer before its arrays are read.
func (l *stored) site() *site {
	return &site{path: l.name, kind: attends, block: -1, single: len(l.attention.Shape) == 3, in: l.maps.Shape[1],
		out: l.maps.Shape[2]}
}

// array measures one layer.
func (m *measuring) array(ctx context.Context, i int, l *stored) error {
	s := l.site()
	images, err := s.read(l)
	if err != nil {
		return err
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
	if err := describe(&layer, s); err != nil || ctx.Err() != nil { // nobody waits for the rest: see until
		return cmp.Or(err, ctx.Err())
	}
	without, err := layer.profile(s)
	if err != nil {
		return err
	}
	if without != nil {
		m.lacks(i, "no profiles: %v", without)
	}
	if err := m.arraysUntrained(i, &layer, l); err != nil {
		return err
	}
	if l.inputs != nil {
		if layer.Spectrum, err = m.arraysSpectrum(ctx, i, s, l); err != nil {
			return fmt.Errorf("inputs: %w", err)
		}
		layer.Size = s.size
	}
	m.d.Layers = append(m.d.Layers, layer)
	f := analyse.Finding{Shares: *layer.Shares, Mean: layer.ByImage, R2: float64(r2Of(layer)),
		TapScore: float64(layer.TapScore), Content: float64(contentOf(layer))}
	if m.o.Draws > 0 {
		tokens, err := m.nullsOf(i, s, nil, nil)
		if err != nil {
			return err
		}
		f.Null = &tokens
	}
	if layer.Null != nil {
		f.Null = &analyse.Null{Name: "untrained arrays", Draws: m.against.shares[i].Draws}
	}
	m.d.Layers[i].Sentence, err = analyse.Sentence(i+1, f)
	return err
}

// precisions are the distances from 1 to the next number of formats that are coarser than float64.
var precisions = map[string]float64{"<f2": 0x1p-10, "<f4": 0x1p-23}

// read makes the operator, of the mean attention over images.
func (s *site) read(l *stored) (images int, err error) {
	if s.grid, err = l.tokens(); err != nil {
		return 0, err
	}
	s.result = s.grid
	heads := l.maps.Shape[0]
	weights, err := l.attention.Read()
	if err != nil {
		return 0, fmt.Errorf("attention: %w", err)
	}
	maps, err := l.maps.Read()
	if err != nil {
		return 0, fmt.Errorf("maps: %w", err)
	}
	if s.seen, err = analyse.NewAttention(s.grid, heads); err != nil {
		return 0, err
	}
	images = 1
	if !s.single {
		images = l.attention.Shape[0]
	}
	layer := analyse.Layer{Grid: s.grid, In: s.in, Out: s.out, Epsilon: precisions[weights.Descr]}
	for image := range images {
		p := s.ofImage(weights, image)
		if err := s.sum(&layer, p, images); err != nil {
			if !s.single {
				err = fmt.Errorf("image %d: %w", image+1, err)
			}
			return 0, err
		}
	}
	for h := range heads {
		layer.Maps = append(layer.Maps, maps.Of(h))
	}
	s.raw = layer
	if l.gamma != nil {
		gauge, err := l.gauge(s.loses)
		if err != nil {
			return 0, err
		}
		s.gauge, s.canonical = gauge, true
		if layer, err = gauge.Layer(layer); err != nil {
			return 0, err
		}
	}
	s.operator, err = analyse.NewOperator(layer)
	return images, err
}

// normalize divides rows that add up to 1, but for the rounding of float16, by their sums.
func normalize(p []float64, tokens int) {
	for row := range slices.Chunk(p, tokens) {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if math.Abs(sum-1) < coarse {
			for i := range row {
				row[i] /= sum
			}
		}
	}
}
