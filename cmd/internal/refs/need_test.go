package refs

import (
	"testing"

	"github.com/attnconv/attnconv/run"
)

// What a run lacks is said in the words of the need, and how to train it follows from what was sought.
func TestNeeds(t *testing.T) {
	entry := func(kind, encoding string) run.Entry {
		return run.Entry{Status: run.Status{Model: kind, Encoding: encoding}}
	}
	for _, tt := range []struct {
		need  Need
		entry run.Entry
		lacks string
	}{
		{NeedHeads, entry("mhsa", "learned"), ""},
		{NeedHeads, entry("resnet18", ""), "heads"},
		{NeedCenters, entry("mhsa", "learned"), "Gaussian heads"},
		{NeedCenters, entry("mhsa", "learned+quadratic"), ""}, // of blocks that differ
		{NeedConv, entry("resnet18", ""), ""},
		{NeedConv, entry("convnet", ""), "residual blocks"},
		{NeedConv, entry("mhsa", "quadratic"), "residual blocks"},
	} {
		if got := tt.need.Lookup("runs").Missing(tt.entry); got != tt.lacks {
			t.Errorf("a run of %s %s lacks %q, want %q", tt.entry.Status.Model, tt.entry.Status.Encoding, got, tt.lacks)
		}
	}
	for args, missing := range map[string]run.NotFoundError{
		"--model resnet18":                {What: "run", With: "residual blocks"},
		"--encoding learned":              {What: "run", Ref: "learned"},
		"--preset paper":                  {What: "preset or run", Ref: "paper"},
		"--model resnet18 --data cifar10": {What: "run", Ref: "resnet18", On: "cifar10"},
		"--encoding quadratic":            {What: "run"},
		"":                                {What: "checkpoint"},
	} {
		if got := TrainArgs(&missing); got != args {
			t.Errorf("for %+v: train %s, want %q", missing, got, args)
		}
	}
	if words := AnyRun.Lookup("runs").Word; words("mhsa") == nil || !words("mhsa")(run.Status{Model: "mhsa"}) ||
		words("k3f9") != nil {
		t.Error("mhsa describes runs of that kind, k3f9 none")
	}
}
