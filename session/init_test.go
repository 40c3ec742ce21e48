package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/session/trained"
)

// With every kind of initial weights, heads that are frozen stay where they start, and the values learn; so do those of
// a trained network.
func TestFrozenHeadsOfEveryInit(t *testing.T) {
	for _, init := range model.Inits.Names() {
		set := []string{"train.epochs=1", "train.freeze=[heads]", "model.init=" + init}
		switch init {
		case "mimetic":
			set = append(set, "model.encoding=content-only")
		case "impulse":
			set = append(set, "model.encoding=content-only", "model.absolute=learned")
		case "theorem-soft":
			set = append(set, "model.heads=[4]", "model.window=2")
		}
		o := tiny(t, set...)
		first, err := model.New(o.Settings.Model, o.Settings.Seed)
		if err != nil {
			t.Fatal(err)
		}
		m := trainTo(t, o)
		checkFrozen(t, init, first, m.Net)

		next := tiny(t, set...)
		next.From = m
		checkFrozen(t, init+" of a trained network", m.Net, trainTo(t, next).Net)
	}
}

func trainTo(t *testing.T, o Options) *trained.Model {
	t.Helper()
	if _, err := Train(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	m, err := trained.Open(filepath.Join(o.Root, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkFrozen reports what says where heads attend if it has moved, and values and outputs if they have not.
func checkFrozen(t *testing.T, what string, before, after *model.Network) {
	t.Helper()
	heads := 0
	for i, p := range before.Params {
		at, self := strings.CutPrefix(p.Name, "model.encoder.layer.0.attention.self.")
		same := slices.Equal(p.Data, after.Params[i].Data)
		switch {
		case self && !strings.HasPrefix(at, "value."):
			if heads++; !same {
				t.Errorf("%s: %s has moved", what, p.Name)
			}
		case strings.HasSuffix(p.Name, "value.weight") && same:
			t.Errorf("%s: %s has not moved", what, p.Name)
		}
	}
	if heads == 0 {
		t.Errorf("%s: no head is frozen", what)
	}
}
