package configs

import (
	"reflect"
	"testing"

	"github.com/attnconv/attnconv/model"
)

// slowly is Parse without quick.
func slowly(text []byte) (Run, error) {
	l, err := readLayer(text, Origin{Kind: FromFile, Name: "f.yaml"})
	if err != nil {
		return Run{}, err
	}
	return decodeRun(l)
}

// What YAML writes is read quickly, and as YAML's own reader reads it.
func TestQuickReadsWhatIsWritten(t *testing.T) {
	for _, name := range append(Presets(), "") {
		r := Default()
		if name != "" {
			var err error
			if r, err = Preset(name); err != nil {
				t.Fatal(err)
			}
		}
		r.Seed, r.Train.LR, r.Model.Heads = 1<<63, 1.25e-7, append(r.Model.Heads, 4)
		if name == "" {
			r.Model.Layers = model.Layers{{Kind: "conv", Repeat: 2, Own: map[string]any{"dropout": 0.5}},
				{Repeat: 1, Own: map[string]any{"terms": []string{"qk", "vr"}, "heads": model.Ints{4}}}}
		}
		got, ok := quick(r.YAML())
		want, err := slowly(r.YAML())
		if !ok || err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v\n%s", name, ok, err, r.YAML())
		}
	}
}

func TestQuickLeavesTheRest(t *testing.T) {
	for _, text := range []string{
		"seed: 1 # comment", "seed:1", "seed:\n  1", "  seed: 1", "seed: 1\nseed: 1", "model:\n  kind: null",
		"model:\n  kind: \"a\"",
		"model:\nmodel:\n", "train.lr: 1", "train:\n  lr: x", "train:\n  lr: -", "train:\n  x: 1", "train: {lr: 1}",
		"train:\n    lr: 1",
		"train:\n  lr: .inf", "model:\n  layers: [{kind: conv}, {kind:conv}]", "model:\n  layers: [{kind: conv}",
		"model:\n  layers: [{kind: conv]]",
		"model:\n  layers: {kind: conv}", "model:\n  layers: [{kind: conv, kind: conv}]", "model:\n  layers: [{kind}]",
		"model:\n  heads: [9,9]", "model:\n  heads: [9, ~]", "model:\n  image: [1, 2]", "---\nseed: 1",
		"model:\n  kind: a b", "seed: 1\r\n", "model:\n  kind: !!str a", "model:\nseed: 1\n  kind: a",
	} {
		if r, ok := quick([]byte(text)); ok {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
}

// FuzzQuick: what quick takes, YAML's reader reads likewise.
func FuzzQuick(f *testing.F) {
	f.Add(Default().YAML())
	for _, text := range []string{
		"preset: \"\"\nseed: \"\"\n", "seed: 1\n", "model:\n  heads: [9, 9, 4]\ntrain:\n  lr: -1e-3\n",
		"data:\n  augment: []\n", "model:\n  encoding: gaussian",
		"model:\n  kind: 2026-11-22", "model:\n  kind: 0x1F", "model:\n  kind: yes", "seed: 1_000", "seed: 017",
		"train:\n\n", "model:\n  kind: a/",
		"model:\n  layers: [{kind: conv, repeat: 2}, {terms: [qk, vr], encoding: gaussian}]", "model:\n  layers: [{}]",
		"model:\n  layers: []",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := quick(text)
		if !ok {
			return
		}
		if want, err := slowly(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v, %v", text, got, want, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := Default().YAML()
	for b.Loop() {
		if _, err := Parse("config.yaml", text); err != nil {
			b.Fatal(err)
		}
	}
}
