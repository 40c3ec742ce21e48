package sets

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

type grayOptions struct {
	Level int `yaml:"level"`
}

func (o *grayOptions) Validate() error {
	if o.Level > 255 {
		return fmt.Errorf("level %d is no byte", o.Level)
	}
	return nil
}

func grayKind() Kind {
	return Kind{
		Name: "gray", Classes: []string{"a", "b"}, Train: 10, Test: 4, ValSize: 3, Options: &grayOptions{Level: 7},
		Make: func(o data.Options) *data.Set {
			level := uint8(OptionsOf(o).(*grayOptions).Level)
			image := func(n int) data.Split {
				s := noiseImages(n, 2)
				for i := range s.Pixels {
					s.Pixels[i] = level
				}
				return s
			}
			return &data.Set{Format: rgb32, Train: image(10), Test: image(4)}
		},
	}
}

func restoreKinds(t *testing.T) {
	old := Kinds
	Kinds = slices.Clone(old)
	t.Cleanup(func() { Kinds = old })
}

func TestRegisterSet(t *testing.T) {
	restoreKinds(t)
	Register(grayKind())
	o := data.Default()
	o.Name = "gray"
	if err := Validate(o); err != nil {
		t.Fatal(err)
	}
	set, err := Open(o, t.TempDir())
	if err != nil || set.Train.Pixels[0] != 7 || set.Name != "gray" || !slices.Equal(set.Classes, []string{"a", "b"}) {
		t.Fatalf("Open: %v", err)
	}
	o.Own = map[string]any{"gray_level": 9}
	with, err := With(set, o, t.TempDir())
	if err != nil || with.Train.Pixels[0] != 9 || with.Digest == set.Digest {
		t.Errorf("With: %v, a pixel is %d, want 9", err, with.Train.Pixels[0])
	}
	if !settings.Uses(o, "gray_level") || settings.Uses(data.Options{Name: "shapes32"}, "gray_level") {
		t.Error("its option is used by other sets, or not by this one")
	}
	o.Own = map[string]any{"gray_level": 256}
	if err := Validate(o); err == nil || err.Error() != "data.name gray: level 256 is no byte" {
		t.Errorf("Validate: %v", err)
	}
	o.Own = map[string]any{"gray_levle": 1}
	if err := Validate(o); err == nil || !strings.Contains(err.Error(), `did you mean "gray_level"?`) {
		t.Errorf("Validate: %v", err)
	}
}

// A set whose images do not fit its own format is an error, not a panic.
func TestRegisteredSetIsChecked(t *testing.T) {
	for want, draw := range map[string]func(data.Options) *data.Set{
		"Make returned no set": func(data.Options) *data.Set { return nil },
		"bytes of pixels; want": func(data.Options) *data.Set {
			s := &data.Set{Format: rgb32, Train: noiseImages(10, 2), Test: noiseImages(4, 2)}
			s.Train.Pixels = s.Train.Pixels[1:]
			return s
		},
	} {
		t.Run(want, func(t *testing.T) {
			restoreKinds(t)
			k := grayKind()
			k.Make = draw
			Register(k)
			_, err := Open(data.Options{Name: "gray"}, t.TempDir())
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Open: %v, want %q", err, want)
			}
		})
	}
}

func TestRegisterSetPanics(t *testing.T) {
	restoreKinds(t)
	for want, change := range map[string]func(k *Kind){
		"sets.Register: data set shapes32: the name is taken": func(k *Kind) { k.Name = "shapes32" },
		"data set gray: Make is nil":                          func(k *Kind) { k.Make = nil },
		"data set gray: Classes is empty":                     func(k *Kind) { k.Classes = nil },
		"data set gray: ValSize 10: want 1 to less than its 10": func(k *Kind) {
			k.ValSize = 10
		},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("it panics with %s, want %q", got, want)
				}
			}()
			k := grayKind()
			change(&k)
			Register(k)
		}()
	}
}
