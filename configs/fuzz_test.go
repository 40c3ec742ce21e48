package configs

import (
	"bytes"
	"errors"
	"testing"

	"github.com/attnconv/attnconv/option"
)

// FuzzParse: what Parse takes, YAML writes and Parse reads back as the same run; what it refuses is a user's mistake.
func FuzzParse(f *testing.F) {
	for _, name := range Presets() {
		text, _ := PresetText(name)
		f.Add(text)
	}
	f.Add(Default().YAML())
	for _, text := range []string{
		"", "---\n", "seed: 1\n---\n", "train: {lr: .inf}", "a: &a [*a]", "model: {heads: [9, 9, 4], image: [1, 2, 3]}",
		"data: {name: \"\\u0000\"}", "model: {encoding: window, window_side: 3}", "train: {loss: brier, brier_of: 2}", "<<: {seed: 1}", "? [a]\n: b", "train.lr: 1e400", "%YAML 1.2\n---\nseed: 1", "\xff\xfe",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse("f.yaml", text)
		if err != nil {
			var ours *Error
			var missing *option.MissingError
			if !errors.As(err, &ours) && !errors.As(err, &missing) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		again, err := Parse("f.yaml", r.YAML())
		if err != nil || !bytes.Equal(again.YAML(), r.YAML()) {
			t.Errorf("%v\n%s\n---\n%s", err, r.YAML(), again.YAML())
		}
	})
}

// FuzzSet: --set takes or refuses any text, and what it takes survives config.yaml.
func FuzzSet(f *testing.F) {
	f.Add("train.lr=0.05")
	f.Add("model.heads=[9,9,4]")
	f.Add("model.layers=[{kind: conv, repeat: 2}, {terms: [qk, vr], heads: 4}]")
	f.Add("data.augment=none")
	f.Add("data.name= # x\ny: |")
	f.Add("data.name=\xff")
	f.Add("data.name=\t# x\n") // found by fuzzing
	f.Fuzz(func(t *testing.T, text string) {
		l := layer{}
		if l.assign(text) != nil {
			return
		}
		r, err := decodeRun(l)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("f.yaml", r.YAML())
		if err != nil || !bytes.Equal(again.YAML(), r.YAML()) {
			t.Errorf("%v\n%s", err, r.YAML())
		}
	})
}

func FuzzGrid(f *testing.F) {
	for _, text := range []string{"train.lr=0.1,0.2", "model.heads=[9,9,4],[16]", "model.heads=9,16", "model.layers=6,[{kind: conv, terms: [qk, vr]}, {}]",
		"data.augment=[],[crop]", "x", "=,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fixed, axes, err := Sources{Set: []string{text}}.Grid()
		if err != nil {
			return
		}
		if len(fixed.Set)+len(axes) != 1 {
			t.Fatalf("%q became %d fixed and %d axes", text, len(fixed.Set), len(axes))
		}
		for _, a := range axes {
			for _, v := range a.Values {
				if _, again, err := (Sources{Set: []string{a.Key + "=" + v}}).Grid(); err != nil || len(again) > 0 {
					t.Errorf("%q: the value %q is several again: %v, %v", text, v, again, err)
				}
			}
		}
	})
}
