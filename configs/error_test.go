package configs

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
)

// Each mistake, and the words for it: where it is, what came, what was wanted, what was probably meant.
func TestMistakes(t *testing.T) {
	file := func(text string) Sources {
		if err := os.WriteFile("my.yaml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return Sources{Files: []string{"my.yaml"}}
	}
	flag := func(name, key, text string) Sources { return Sources{Flags: []Flag{{"--" + name, key, text}}} }
	set := func(text string) Sources { return Sources{Set: []string{text}} }
	encodings, presets := strings.Join(posenc.Kinds.Names(), ", "), strings.Join(PresetChoices(), ", ")
	write(t, nil)
	for _, tt := range []struct {
		name string
		s    func() Sources
		want string
	}{
		{"unknown key", func() Sources { return file("\n\ntrain:\n  epochs: 3\n\n\n  learning_rate: 1\n") },
			"my.yaml:7: unknown key \"train.learning_rate\"\n  did you mean \"train.lr\"?"},
		{"misspelled key", func() Sources { return file("model: {heds: 1}") },
			"my.yaml:1: unknown key \"model.heds\"\n  did you mean \"model.heads\"?"},
		{"wrong section", func() Sources { return file("optim:\n  lr: 1") },
			"my.yaml:1: unknown key \"optim\"\n  the groups of keys are model, data and train"},
		{"key of another section", func() Sources { return file("model:\n  lr: 1") },
			"my.yaml:2: unknown key \"model.lr\"\n  did you mean \"train.lr\"?"},
		{"key without its section", func() Sources { return file("epochs: 1") },
			"my.yaml:1: unknown key \"epochs\"\n  did you mean \"train.epochs\"?"},
		{"word for number", func() Sources { return file("train:\n  lr: fast\n") },
			"my.yaml:2: train.lr \"fast\": want a number"},
		{"quoted number", func() Sources { return file("train: {epochs: \"5\"}") },
			"my.yaml:1: train.epochs \"5\": want a whole number"},
		{"fraction for whole", func() Sources { return file("train: {epochs: 1.5}") },
			"my.yaml:1: train.epochs 1.5: want a whole number"},
		{"octal", func() Sources { return file("train: {epochs: 0o17}") },
			"my.yaml:1: train.epochs 0o17: want a whole number"},
		{"infinite", func() Sources { return file("train: {lr: .inf}") },
			"my.yaml:1: train.lr .inf: want a number"},
		{"not a number", func() Sources { return file("train: {lr: .NaN}") },
			"my.yaml:1: train.lr .NaN: want a number"},
		{"yes for true", func() Sources { return file("train: {early: yes}") },
			"my.yaml:1: train.early \"yes\": want true or false"},
		{"nothing", func() Sources { return file("train: {lr: }") },
			"my.yaml:1: train.lr nothing: want a number"},
		{"list for number", func() Sources { return file("train: {lr: [1, 2]}") },
			"my.yaml:1: train.lr [1, 2]: want a number"},
		{"group for number", func() Sources { return file("seed: {a: 1}") },
			"my.yaml:1: seed a group of keys: want a whole number from 0"},
		{"number for group", func() Sources { return file("train: 3") },
			"my.yaml:1: train: want keys below it, got 3"},
		{"no keys", func() Sources { return file("- 1\n- 2\n") },
			"my.yaml:1: want keys such as \"train:\", got [1, 2]"},
		{"short list", func() Sources { return file("train: {betas: [0.9]}") },
			"my.yaml:1: train.betas [0.9]: want a list of 2 numbers"},
		{"twice", func() Sources { return file("train:\n  lr: 1\n  epochs: 2\n  lr: 2\n") },
			"my.yaml:4: key \"train.lr\" is given twice, first on line 2"},
		{"twice, once dotted", func() Sources { return file("train.lr: 1\ntrain:\n  lr: 2\n") },
			"my.yaml:3: key \"train.lr\" is given twice, first on line 1"},
		{"section twice", func() Sources { return file("train: {lr: 1}\ntrain: {epochs: 1}\n") },
			"my.yaml:2: key \"train\" is given twice, first on line 1"},
		{"two documents", func() Sources { return file("seed: 1\n---\nseed: 2\n") },
			"my.yaml:2: want one YAML document, got a second one"},
		{"alias", func() Sources { return file("seed: &a 1\ntrain: {lr: *a}\n") },
			"my.yaml:1: seed: anchors, aliases and tags (&, * and !) are not used here: write it out\n" +
				"  my.yaml:2: train.lr: anchors, aliases and tags (&, * and !) are not used here: write it out"},
		{"several mistakes", func() Sources { return file("model: {heds: 1}\nseed: x\ntrain:\n  lr: fast\n  epochs: 1\n") },
			"my.yaml:1: unknown key \"model.heds\"\n  did you mean \"model.heads\"?\n" +
				"  my.yaml:2: seed \"x\": want a whole number from 0\n  my.yaml:4: train.lr \"fast\": want a number"},
		{"hundreds of mistakes", func() Sources { return file(strings.Repeat("? []\n: 1\n", 300)) },
			"my.yaml:1: want a word as key, got []" + manyMistakes() + "\n  and 290 more"},
		{"a value out of range in two sections",
			func() Sources { return file("model: {layers: 0}\ntrain: {lr: -1}\n") },
			"my.yaml:1: model.layers 0: want 1 to 1000\n  my.yaml:2: train.lr -1: want 0 to 1000000"},
		{"a word of other programs", func() Sources { return flag("model", "model.kind", "vit") },
			"--model \"vit\": not one of " + strings.Join(model.Kinds.Names(), ", ") + "\n  did you mean \"mhsa\"?"},
		{"a choice of another flag", func() Sources { return flag("model", "model.kind", "quadratic") },
			"--model \"quadratic\": not one of " + strings.Join(model.Kinds.Names(), ", ") +
				"\n  did you mean --encoding quadratic?"},
		{"a choice of another key", func() Sources { return file("model: {encoding: resnet18}") },
			"my.yaml:1: model.encoding \"resnet18\": not one of " + encodings +
				"\n  did you mean model.kind: resnet18?"},
		{"anchored section", func() Sources { return file("model: &a {layers: 1}\n") },
			"my.yaml:1: anchors and aliases (& and *) are not used here: write the value out"},
		{"tag", func() Sources { return file("data: {name: !!binary aGk=}\n") },
			"my.yaml:1: data.name: anchors, aliases and tags (&, * and !) are not used here: write it out"},
		{"syntax", func() Sources { return file("train:\n  lr: [1\n") },
			"my.yaml:2: not YAML: did not find expected ',' or ']'"},
		{"syntax at the end", func() Sources { return file("train: {lr: 1\n") },
			"my.yaml:2: not YAML: did not find expected ',' or '}'"},
		{"tab", func() Sources { return file("train:\n\tlr: 1\n") },
			`my.yaml:2: a tab in front of "lr: 1": want spaces`},
		{"tab, old line ends", func() Sources { return file("seed: 1\rtrain:\r\tlr: 1\r") },
			`my.yaml:3: a tab in front of "lr: 1": want spaces`},
		{"no-break space", func() Sources { return file("train:\n  lr:\u00a01e-3\n  epochs: 2\n") },
			"my.yaml:2: the character U+00A0, which looks like a space: want a space"},
		{"no-break space in the last line", func() Sources { return file("train:\n  lr:\u00a01e-3\n") },
			"my.yaml:2: the character U+00A0, which looks like a space: want a space"},
		{"no-break space in front", func() Sources { return file("train:\n\u00a0\u00a0lr: 1e-3\n  epochs: 2\n") },
			"my.yaml:2: the character U+00A0, which looks like a space: want a space"},
		{"no-break space in a word", func() Sources { return file("# a\u00a0b\nseed: 1\ntrain: a\u00a0b\n") },
			`my.yaml:3: train: want keys below it, got "a\u00a0b"`},
		{"too large", func() Sources { return file(strings.Repeat("#", maxFile+1)) },
			"my.yaml: want at most 65536 bytes, and it has more"},
		{"no file", func() Sources { return Sources{Files: []string{"none.yaml"}} },
			"none.yaml: no such file or directory\n  to begin with the settings of a preset: attnconv config cp tiny " +
				"none.yaml"},
		{"misspelled file", func() Sources { file("seed: 1"); return Sources{Files: []string{"mi.yaml"}} },
			"mi.yaml: no such file or directory\n  did you mean \"my.yaml\"?"},
		{"preset as a file", func() Sources { return Sources{Files: []string{"fast/convnet"}} },
			"fast/convnet: no such file or directory\n  a preset is not a file: --preset fast/convnet"},
		{"bad value in a file", func() Sources { return file("\n\nmodel: {encoding: quad}\n") },
			"my.yaml:3: model.encoding \"quad\": not one of " + encodings + "\n  did you mean \"quadratic\"?"},
		{"bad value in a flag", func() Sources { return flag("encoding", "model.encoding", "quad") },
			"--encoding \"quad\": not one of " + encodings + "\n  did you mean \"quadratic\"?"},
		{"number out of range in a flag", func() Sources { return flag("layers", "model.layers", "0") },
			"--layers 0: want 1 to 1000"},
		{"wrong type in a flag", func() Sources { return flag("lr", "train.lr", "fast") },
			"--lr \"fast\": want a number"},
		{"infinite flag", func() Sources { return flag("lr", "train.lr", "Inf") },
			"--lr Inf: want a number"},
		{"half a list", func() Sources { return flag("heads", "model.heads", "[9,9") },
			"--heads \"[9,9\": want a whole number or a list such as [9, 9, 4]"},
		{"wrong type in a variable", func() Sources { return Sources{Env: []string{"ATTNCONV_TRAIN_LR=fast"}} },
			"ATTNCONV_TRAIN_LR \"fast\": want a number"},
		{"wrong type in set", func() Sources { return set("train.lr=fast") },
			"--set train.lr \"fast\": want a number"},
		{"unknown key in set", func() Sources { return set("train.batch_size=3") },
			"--set: unknown key \"train.batch_size\"\n  did you mean \"train.batch\"?"},
		{"no value in set", func() Sources { return set("train.lr") },
			"--set train.lr: want key=value, such as train.lr=0.05"},
		{"group in set", func() Sources { return set("train=3") },
			"--set train: is a group of keys: want one of them, such as train.epochs"},
		{"unknown preset", func() Sources { return flag("preset", "preset", "smal") },
			"--preset \"smal\": not one of " + presets + "\n  did you mean \"small\"?"},
		{"unknown preset in a file", func() Sources { return file("preset: smoky\n") },
			"my.yaml:1: preset \"smoky\": not one of " + presets + "\n  did you mean \"smoke\"?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Resolve(tt.s(), here("cifar10"))
			if err == nil {
				t.Fatal("no error")
			}
			var ours *Error
			if !errors.As(err, &ours) {
				t.Errorf("%T is not *Error", err)
			}
			if err.Error() != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", err, tt.want)
			}
		})
	}
}

// manyMistakes are the second to the tenth line of the error for a file with three hundred keys that are no words.
func manyMistakes() (text string) {
	for line := 3; line < 21; line += 2 {
		text += fmt.Sprintf("\n  my.yaml:%d: want a word as key, got []", line)
	}
	return text
}

// A tower of aliases would be 10⁹ values if it were ever written out.
func TestAliasBombIsRefused(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 10) + "]\n"
	}
	deep := "data: {name: &a [" + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "]}"
	for _, text := range []string{bomb, deep} {
		if _, err := Parse("bomb.yaml", []byte(text)); err == nil {
			t.Error("taken")
		}
	}
}
