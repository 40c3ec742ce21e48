package inspect

import (
	"errors"
	"slices"

	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/session"
)

// knownStart returns the Gaussian heads of m before training, or nil if they are unknown.
func knownStart(m *session.Model) ([][]posenc.Head, error) {
	heads, err := m.InitialHeads()
	var unknown *session.UnknownStart
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if now, _ := m.Net.Heads(); !slices.EqualFunc(now, heads, func(a, b []posenc.Head) bool { return len(a) == len(b) }) {
		return nil, err // the run's folder has the heads of another network
	}
	return heads, err
}
