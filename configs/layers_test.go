package configs

import (
	"strings"
	"testing"
)

// A list of blocks comes from a file or is typed; what is wrong in it is said with its place and with where it was
// said.
func TestLayers(t *testing.T) {
	write(t, map[string]string{
		"list.yaml":  "model:\n  layers:\n    - kind: conv\n      repeat: 2\n    - encoding: gaussian\n",
		"wrong.yaml": "model:\n  dim: 48\n  layers: [{kind: conv}, {heads: 0}]\n",
		"alias.yaml": "model:\n  layers: [&a {kind: conv}, *a]\n",
	})
	const list = "[{kind: conv, repeat: 2}, {encoding: quadratic}]"
	for name, s := range map[string]Sources{
		"a file":                  {Files: []string{"list.yaml"}},
		"--set":                   {Set: []string{"model.layers=" + list}},
		"a flag":                  {Flags: []Flag{{"--layers", "model.layers", list}}},
		"a variable, over a file": {Files: []string{"wrong.yaml"}, Env: []string{"ATTNCONV_MODEL_LAYERS=" + list}},
	} {
		r, err := Resolve(s, here("cifar10"))
		if err != nil || r.Run.Model.Layers.String() != list {
			t.Errorf("%s: layers %v, %v; want %s", name, r, err, list)
			continue
		}
		if all, err := s.Differences(r.Run); err != nil || len(s.Files) == 0 && len(all) > 0 {
			t.Errorf("%s differs from its own run: %v, %v", name, all, err)
		}
		other := r.Run
		other.Model.Layers = Default().Model.Layers
		if all, err := s.Differences(other); err != nil || all[len(all)-1].Key != "model.layers" ||
			all[len(all)-1].Given != list {
			t.Errorf("%s: differences %v, %v; want one of model.layers", name, all, err)
		}
	}
	for want, s := range map[string]Sources{
		"wrong.yaml:3: model.layers[1].heads 0: want 1 to":      {Files: []string{"wrong.yaml"}},
		"alias.yaml:2: model.layers: anchors, aliases and tags": {Files: []string{"alias.yaml"}},
		`--layers: model.layers[0] unknown key "model.layers[0].head"`: {Flags: []Flag{{"--layers",
			"model.layers", "[{head: 9}]"}}},
		"--set model.layers: model.layers[0].border a block of kind attention has none": {Set: []string{"model.layers=[{border: zero}, {}]"}},
		"--layers \"[{kind: conv\": want a whole number or a list of blocks": {Flags: []Flag{{"--layers",
			"model.layers", "[{kind: conv"}}},
	} {
		if _, err := Resolve(s, here("cifar10")); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Words are the list that they stand for, wherever they are said.
func TestLayersInWords(t *testing.T) {
	write(t, map[string]string{"words.yaml": "model:\n  layers: conv*2, attention,gaussian\n"})
	const words, list = "conv*2, depthwise,learned,learned", "[{kind: conv, repeat: 2}, {kind: depthwise}, " +
		"{kind: attention, repeat: 2, encoding: learned}]"
	for _, s := range []Sources{
		{Flags: []Flag{{"--layers", "model.layers", words}}},
		{Set: []string{"model.layers=" + words}},
		{Env: []string{"ATTNCONV_MODEL_LAYERS=" + words}},
	} {
		r, err := Resolve(s, here("cifar10"))
		if err != nil || r.Run.Model.Layers.String() != list {
			t.Errorf("%+v: layers %v, %v; want %s", s, r, err, list)
			continue
		}
		if all, err := s.Differences(r.Run); err != nil || len(all) > 0 {
			t.Errorf("%+v differs from its own run: %v, %v", s, all, err)
		}
	}
	for want, s := range map[string]Sources{
		`words.yaml:2: model.layers "conv*2, attention,gaussian": want a whole number`: {Files: []string{"words.yaml"}},
		`--layers "conv*0": behind conv* want a number from 1 to 1000`: {Flags: []Flag{{"--layers", "model.layers",
			"conv*0"}}},
		`--layers "conv*two": behind conv* want a number`: {Flags: []Flag{{"--layers", "model.layers", "conv*two"}}},
		`--layers "conv,,conv": want a whole number`:      {Flags: []Flag{{"--layers", "model.layers", "conv,,conv"}}},
	} {
		if _, err := Resolve(s, here("cifar10")); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, err := Resolve(Sources{Flags: []Flag{{"--layers", "model.layers", "conv,lerned"}}}, here("cifar10"))
	if err == nil || !strings.Contains(err.Error(), "pointwise, convmixer") || !strings.HasSuffix(err.Error(),
		"\n  did you mean \"learned\"?") {
		t.Errorf("%v, want all names and the nearest", err)
	}
}

// An axis of numbers of layers, of lists, or of both.
func TestGridOfLayers(t *testing.T) {
	const text = "model.layers=4, [{kind: conv}, {terms: [qk, vr]}],[{}]"
	_, axes, err := Sources{Set: []string{text}}.Grid()
	if err != nil || len(axes) != 1 || strings.Join(axes[0].Values, "|") != "4|[{kind: conv}, {terms: [qk, vr]}]|[{}]" {
		t.Errorf("%s is %v, %v", text, axes, err)
	}
}
