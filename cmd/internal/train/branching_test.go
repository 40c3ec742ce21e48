package train

import (
	"testing"

	"github.com/attnconv/attnconv/configs"
)

// The command that branches off can be pasted into a shell, and the origin of the run's own value is named.
func TestBranching(t *testing.T) {
	config, err := configs.Preset("small/quadratic")
	if err != nil {
		t.Fatal(err)
	}
	config.Train.Epochs = 7
	o := Options{Sources: configs.Sources{
		Flags: []configs.Flag{{Name: "--lr", Key: "train.lr", Text: "0.05"}, {Name: "--heads", Key: "model.heads", Text: "[4, 9]"}},
		Set:   []string{"train.clip=2"},
	}}
	differ, err := o.Sources.Differences(config)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.branching("k3f9", differ), "attnconv train --from k3f9 --heads '[4, 9]' --lr 0.05 --set train.clip=2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for key, want := range map[string]string{"train.lr": "set by preset small/quadratic", "train.epochs": "given when it began",
		"train.eval_every": "set by preset small/quadratic"} {
		if got := setBy(config, key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
