package network

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/npy"
)

// Bounds of what a file of arrays may say.
const (
	maxTokens    = 1 << 12
	maxLayers    = 1 << 8
	maxNamed     = 64      // letters of a layer's name
	maxSeen      = 1 << 27 // elements of one image's attention
	maxUntrained = 64      // how many times a layer may come before training
)

// callable is what the layers of a file of arrays may be called.
var callable = regexp.MustCompile(`^[A-Za-z0-9_./-]*$`)

// arrayLayer is a layer in a file of arrays.
type arrayLayer struct {
	name                  string
	attention, maps, grid *npy.Member
	inputs, stream        *npy.Member   // nil: none
	elsewhere             *npy.Member   // attention on tokens that are not on the grid; nil: none
	gamma                 *npy.Member   // of the layer norm in front; nil: unknown
	fresh                 bool          // before training, when gamma is 1
	untrained             []*arrayLayer // the same layer before training, without gamma
}

// before is what arrays of a layer before training are called.
var before = regexp.MustCompile(`^untrained([0-9]{0,4})_(attention|maps|inputs|elsewhere)$`)

// called begins a message on a layer.
func (l arrayLayer) called() string {
	if l.name == "" {
		return ""
	}
	return l.name + ": "
}

// layersOf groups the arrays of a file by what stands before the last dot of their names.
func layersOf(members []*npy.Member) (layers []*arrayLayer, err error) {
	for _, m := range members {
		dot := strings.LastIndexByte(m.Name, '.')
		name, what := m.Name[:max(0, dot)], m.Name[dot+1:]
		if len(name) > maxNamed || !callable.MatchString(name) {
			return nil, fmt.Errorf("%.80q: want layers that are called by up to %d of letters, digits and _ . / -",
				m.Name, maxNamed)
		}
		at := slices.IndexFunc(layers, func(l *arrayLayer) bool { return l.name == name })
		if at < 0 {
			at, layers = len(layers), append(layers, &arrayLayer{name: name})
		}
		to := layers[at].array(what)
		if to == nil {
			return nil, fmt.Errorf("array %.80q: want attention, maps, grid, gamma, elsewhere, inputs, stream, or "+
				"untrained_attention, _maps, _elsewhere or _inputs, with the name of a layer and a dot in front if there are "+
				"several", m.Name)
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
func (l *arrayLayer) check() error {
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
	if e := l.elsewhere; e != nil && !slices.Equal(e.Shape, a[:len(a)-1]) {
		return fmt.Errorf("elsewhere %v: want %v, what each row of attention %v leaves to tokens that are not on the grid",
			e.Shape, a[:len(a)-1], a)
	}
	if err := l.checkInputs(); err != nil {
		return err
	}
	return l.checkUntrained()
}

// tokens returns the rows and columns of the tokens.
func (l *arrayLayer) tokens() (g analyse.Grid, err error) {
	tokens := l.attention.Shape[len(l.attention.Shape)-1]
	if l.grid == nil {
		side := int(math.Round(math.Sqrt(float64(tokens))))
		if side*side != tokens {
			err = fmt.Errorf("%d tokens are no square: want an array grid, (rows, columns); a class token is not on the "+
				"grid: leave out its row and column, and put what the rows lose into an array elsewhere", tokens)
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

// array returns where the array called so belongs; nil: nowhere.
func (l *arrayLayer) array(what string) **npy.Member {
	if to := (map[string]**npy.Member{"attention": &l.attention, "maps": &l.maps, "grid": &l.grid,
		"inputs": &l.inputs, "gamma": &l.gamma, "stream": &l.stream, "elsewhere": &l.elsewhere}[what]); to != nil {
		return to
	}
	words := before.FindStringSubmatch(what)
	if words == nil {
		return nil
	}
	at := slices.IndexFunc(l.untrained, func(u *arrayLayer) bool { return u.name == words[1] })
	if at < 0 {
		at, l.untrained = len(l.untrained), append(l.untrained, &arrayLayer{name: words[1]})
	}
	u := l.untrained[at]
	return map[string]**npy.Member{"attention": &u.attention, "maps": &u.maps, "inputs": &u.inputs,
		"elsewhere": &u.elsewhere}[words[2]]
}

// checkUntrained compares the shapes of the layers before training with those of the layer.
func (l *arrayLayer) checkUntrained() error {
	if n := len(l.untrained); n > maxUntrained {
		return fmt.Errorf("%d untrained layers: want %d at most", n, maxUntrained)
	}
	for _, u := range l.untrained {
		if err := u.check(); err != nil {
			return fmt.Errorf("untrained%s: %w", u.name, err)
		}
		a, b := u.attention.Shape, l.attention.Shape
		if !slices.Equal(a[len(a)-3:], b[len(b)-3:]) || !slices.Equal(u.maps.Shape, l.maps.Shape) {
			return fmt.Errorf("untrained%s: attention %v with maps %v: want heads, tokens and channels of %v and %v",
				u.name, a, u.maps.Shape, b, l.maps.Shape)
		}
		if (u.elsewhere == nil) != (l.elsewhere == nil) {
			return fmt.Errorf("untrained%s: want an array elsewhere of the layer and of the untrained one, or of neither",
				u.name)
		}
		if u.inputs != nil && (l.inputs == nil || u.inputs.Shape[0] < l.inputs.Shape[0]) {
			return fmt.Errorf("untrained%s: inputs %v: want an array inputs of the layer, and as many images as it has",
				u.name, u.inputs.Shape)
		}
		u.grid, u.gamma, u.fresh = l.grid, l.gamma, true
	}
	return nil
}

// checkInputs compares the shape of the inputs with those of attention and maps.
func (l *arrayLayer) checkInputs() error {
	if l.inputs == nil && l.stream != nil {
		return errors.New("stream without inputs: want an array inputs, what the layer reads")
	} else if l.inputs == nil {
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
	case l.stream != nil && !slices.Equal(l.stream.Shape, []int{x[0], x[1], l.maps.Shape[2]}):
		return fmt.Errorf("stream %v: want (%d, %d, %d), images and tokens of inputs, and the channels that maps %v return",
			l.stream.Shape, x[0], x[1], l.maps.Shape[2], l.maps.Shape)
	}
	return nil
}

// missingArrays says what the layers lack because optional arrays are missing.
func missingArrays(layers []*arrayLayer) string {
	lacks := func(has func(*arrayLayer) bool) bool {
		return !slices.ContainsFunc(layers, has)
	}
	var words []string
	if lacks(func(l *arrayLayer) bool { return len(l.untrained) > 0 }) {
		words = append(words, "no untrained layers (array untrained_attention and untrained_maps)")
	}
	if lacks(func(l *arrayLayer) bool { return l.inputs != nil }) {
		words = append(words, "nothing on data (array inputs)")
	}
	if len(words) == 0 {
		return ""
	}
	return ", " + strings.Join(words, ", ")
}
