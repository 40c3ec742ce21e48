package network

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/npy"
)

// maxUntrained is how many times a layer may come before training.
const maxUntrained = 64

// before is what arrays of a layer before training are called.
var before = regexp.MustCompile(`^untrained([0-9]{0,4})_(attention|maps|inputs)$`)

// array returns where the array called so belongs; nil: nowhere.
func (l *stored) array(what string) **npy.Member {
	if to := (map[string]**npy.Member{"attention": &l.attention, "maps": &l.maps, "grid": &l.grid,
		"inputs": &l.inputs, "gamma": &l.gamma}[what]); to != nil {
		return to
	}
	words := before.FindStringSubmatch(what)
	if words == nil {
		return nil
	}
	at := slices.IndexFunc(l.untrained, func(u *stored) bool { return u.name == words[1] })
	if at < 0 {
		at, l.untrained = len(l.untrained), append(l.untrained, &stored{name: words[1]})
	}
	u := l.untrained[at]
	return map[string]**npy.Member{"attention": &u.attention, "maps": &u.maps, "inputs": &u.inputs}[words[2]]
}

// checkUntrained compares the shapes of the layers before training with those of the layer.
func (l *stored) checkUntrained() error {
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
		if u.inputs != nil && (l.inputs == nil || u.inputs.Shape[0] < l.inputs.Shape[0]) {
			return fmt.Errorf("untrained%s: inputs %v: want an array inputs of the layer, and as many images as it has",
				u.name, u.inputs.Shape)
		}
		u.grid, u.gamma, u.fresh = l.grid, l.gamma, true
	}
	return nil
}

// arraysUntrained compares layer i with itself before training.
func (m *measuring) arraysUntrained(i int, layer *AnalysedLayer, l *stored) error {
	m.against.shares = append(m.against.shares, analyse.Null{Name: Initializer})
	m.against.profiles = append(m.against.profiles, nil)
	for _, u := range l.untrained {
		s := u.site()
		if _, err := s.read(u); err != nil {
			return fmt.Errorf("untrained%s: %w", u.name, err)
		}
		shares, err := s.operator.Shares(0)
		if err != nil {
			return err
		}
		m.against.shares[i].Draws = append(m.against.shares[i].Draws, shares)
		if p, err := s.profiles(); err == nil {
			m.against.profiles[i] = append(m.against.profiles[i], p)
		}
	}
	if len(l.untrained) > 0 {
		of := nullShares(m.against.shares[i], layer.Shares)
		layer.Null = &of
	}
	return nil
}

// missingArrays says what the layers lack because optional arrays are missing.
func missingArrays(layers []*stored) string {
	lacks := func(has func(*stored) bool) bool {
		return !slices.ContainsFunc(layers, has)
	}
	var words []string
	if lacks(func(l *stored) bool { return len(l.untrained) > 0 }) {
		words = append(words, "no untrained layers (array untrained_attention and untrained_maps)")
	}
	if lacks(func(l *stored) bool { return l.inputs != nil }) {
		words = append(words, "nothing on data (array inputs)")
	}
	if len(words) == 0 {
		return ""
	}
	return ", " + strings.Join(words, ", ")
}
