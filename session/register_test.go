package session

import (
	"slices"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
)

// A run on a registered set has the images of its options, when it starts and when it is resumed, whatever set its
// caller has opened to find out what there is.
func TestRegisteredSetHasItsOptions(t *testing.T) {
	old := sets.Kinds
	sets.Kinds = slices.Clone(old)
	t.Cleanup(func() { sets.Kinds = old })
	type options struct {
		Level int `yaml:"level"`
	}
	sets.Register(sets.Kind{
		Name: "level", Classes: []string{"even", "odd"}, Train: 40, Test: 10, ValSize: 10, Options: &options{1},
		Make: func(o data.Options) *data.Set {
			format, level := shapes().Format, sets.OptionsOf(o).(*options).Level
			draw := func(n int) data.Split {
				s := data.Split{Format: format, Pixels: make([]uint8, n*format.Size()), Labels: make([]int32, n)}
				for i := range s.Pixels {
					s.Pixels[i] = uint8(level * (i + 1))
				}
				for i := range s.Labels {
					s.Labels[i] = int32(i % 2)
				}
				return s
			}
			return &data.Set{Format: format, Train: draw(40), Test: draw(10)}
		},
	})
	set, err := sets.Open(data.Options{Name: "level"}, "")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := Settings("preset=smoke", "data.name=level", "data.level_level=3", "train.epochs=1",
		"train.batch=10", "model.layers=1",
		"model.heads=4", "model.dim=8", "model.pool=4")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Settings: settings, Set: set, Root: t.TempDir()}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Set().Train.Pixels[0]; got != 3 || set.Train.Pixels[0] != 1 {
		t.Errorf("the first pixel is %d, want 3", got)
	}
	if _, err := s.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := s.Dir().Path
	s.Close()
	again, err := New(Options{Resume: dir, Extend: 1, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Set().Train.Pixels[0] != 3 {
		t.Error("the resumed run has other images")
	}
	if err := again.Begin(); err != nil {
		t.Fatal(err)
	}
	if r, err := configs.Of(again.Dir()); err != nil || r.Data.Own["level_level"] != 3 {
		t.Errorf("its configuration has %v, %v", r.Data.Own, err)
	}
}
