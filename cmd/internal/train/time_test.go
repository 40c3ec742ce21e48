package train

import (
	"testing"

	"github.com/attnconv/attnconv/configs"
)

// The estimates for the fast presets agree with runs on one machine: bench/README.md has 557 images a second of
// small/quadratic on 2 cores, and the files of the presets have 34 and 15 minutes.
func TestFastPresetsTakeMinutes(t *testing.T) {
	small, err := configs.Preset("small/quadratic")
	if err != nil {
		t.Fatal(err)
	}
	const images = 45000
	speed := work(small, images) / (60 * images / 557.)
	for name, minutes := range map[string]float64{"fast/quadratic": 34, "fast/convnet": 15} {
		r, err := configs.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := work(r, images) / speed / 60; got < minutes*0.7 || got > minutes*1.4 {
			t.Errorf("%s: %.1f minutes, where a run took %g", name, got, minutes)
		}
	}
}

// The result of a run is broken between its parts, and not within words and brackets.
func TestOutcomeIsFoldedBetweenParts(t *testing.T) {
	const line = "test acc 31.20 % (on 1,000 of 2,000 test images)   loss 1.912   " +
		"best epoch 2 of 2 (val acc 30.10 %)   1 min 12 s"
	for width, want := range map[int]string{
		0: line, 200: line,
		80: "test acc 31.20 % (on 1,000 of 2,000 test images)   loss 1.912\n" +
			"  best epoch 2 of 2 (val acc 30.10 %)   1 min 12 s",
		60: "test acc 31.20 % (on 1,000 of 2,000 test images)\n" +
			"  loss 1.912   best epoch 2 of 2 (val acc 30.10 %)\n  1 min 12 s",
	} {
		if got := folded(line, width); got != want {
			t.Errorf("at %d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
}
