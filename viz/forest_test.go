package viz

import (
	"math"
	"strings"
	"testing"
)

func forestRows() []Estimate {
	return []Estimate{
		{"resnet18", "n 5, p 0.004", 0.021, 0.009, 0.033},
		{"learned", "n 5, p 0.61", -0.004, -0.017, 0.009},
		{"quadratic-general", "n 1", -0.012, math.NaN(), math.NaN()},
		{"sinusoidal", "", -0.03, -0.041, -0.019},
	}
}

// Differences have the baseline as a line at 0; accuracies have none.
func TestForestLooksAsBefore(t *testing.T) {
	o := ForestOptions{What: "difference of test accuracy, in percentage points", Percent: true, From: "quadratic"}
	f, err := Forest(forestRows(), o)
	if err != nil {
		t.Fatal(err)
	}
	looksAsBefore(t, "forest", f)
	want := "Difference of test accuracy, in percentage points: resnet18 +2.10 [+0.90, +3.30]; learned -0.40 " +
		"[-1.70, +0.90]; quadratic-general -1.20; sinusoidal -3.00 [-4.10, -1.90]."
	if f.Alt != want {
		t.Errorf("%q, want %q", f.Alt, want)
	}
	if csv := string(f.Data.CSV()); !strings.HasPrefix(csv,
		"name,value,lo,hi\nresnet18,0.021,0.009,0.033\n") || !strings.Contains(csv, "quadratic-general,-0.012,,\n") {
		t.Error(csv)
	}
	plain, err := Forest(forestRows()[:1], ForestOptions{What: "test accuracy", Percent: true})
	if err != nil || plain.Alt != "Test accuracy: resnet18 2.10 [0.90, 3.30]." {
		t.Errorf("%q, %v", plain.Alt, err)
	}
}

// What cannot be drawn is an error: no value, or one outside of its interval.
func TestForestErrors(t *testing.T) {
	nan := math.NaN()
	for _, rows := range [][]Estimate{nil, {{"a", "", nan, nan, nan}}, {{"a", "", 1, 2, 3}}, {{"a", "", 4, 2, 3}},
		{{"a", "", 1, 0, math.Inf(1)}}} {
		if f, err := Forest(rows, ForestOptions{}); err == nil {
			t.Errorf("%v is drawn: %s", rows, f.Alt)
		}
	}
}
