package configs

import (
	"slices"
	"strings"
	"testing"
)

// The settings that differ from a run's are given again in the words of the command line, and the origin of the run's
// own value is named.
func TestRepeat(t *testing.T) {
	config, err := Preset("small/quadratic")
	if err != nil {
		t.Fatal(err)
	}
	config.Train.Epochs = 7
	s := Sources{
		Flags: []Flag{{Name: "--lr", Key: "train.lr", Text: "0.05"},
			{Name: "--heads", Key: "model.heads", Text: "[4, 9]"}},
		Set: []string{"train.clip=2"}, Env: []string{"ATTNCONV_TRAIN_MOMENTUM=0.5"},
	}
	differ, err := s.Differences(config)
	if err != nil || len(differ) != 4 {
		t.Fatalf("%v, %v: want four settings", differ, err)
	}
	if got, want := s.Repeat(differ), []string{"--heads", "[4, 9]", "--lr", "0.05", "--set",
		"train.clip=2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for key, want := range map[string]string{"train.lr": "set by preset small/quadratic",
		"train.epochs":     "given when it began",
		"train.eval_every": "set by preset small/quadratic"} {
		if got := config.SetBy(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

// The origins of values stand below each other behind a wide character also.
func TestOriginsBehindWideCharacters(t *testing.T) {
	name := Flag{Key: "data.name", Name: "--data", Text: "日本"}
	lr := Flag{Key: "train.lr", Name: "--lr", Text: "0.1"}
	r, err := Resolve(Sources{Flags: []Flag{name, lr}}, func(name string) (string, error) { return name, nil })
	if err != nil {
		t.Fatal(err)
	}
	text := r.Table(true)
	at := map[string]int{}
	for line := range strings.Lines(text) {
		if before, flag, ok := strings.Cut(line, "flag --"); ok {
			at[strings.TrimSpace(flag)] = len([]rune(before))
		}
	}
	if at["data"]+2 != at["lr"] { // 日本 is two characters and four columns
		t.Errorf("%v:\n%s", at, text)
	}
}
