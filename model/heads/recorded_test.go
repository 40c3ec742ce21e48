package heads

import (
	"testing"

	"github.com/attnconv/attnconv/run/event"
)

// Of four recorded heads one has moved, one is narrower, one is wider, and one has no counterpart at first.
func TestChanged(t *testing.T) {
	first := Recorded(event.Heads{Layers: []event.HeadLayer{{Centers: [][2]float64{{0, 0}, {1, 1}, {2, 2}},
		Alpha: []float64{1, 1, 1}}}})
	last := Recorded(event.Heads{Layers: []event.HeadLayer{{Centers: [][2]float64{{0.4, 0.4}, {1, 1.5}, {2, 2}, {3, 3}},
		Alpha: []float64{1, 2, 0.5, 9}}}})
	if got, want := Changed(first, last), (Change{Heads: 3, Narrower: 1, Moved: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Changed(nil, last); got != (Change{}) {
		t.Errorf("without heads at first: %+v", got)
	}
}
