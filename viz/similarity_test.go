package viz

import (
	"math"
	"strings"
	"testing"
)

func similarities(t *testing.T) *Figure {
	t.Helper()
	f, err := Similarity([][]float64{{1, 0.5, -0.02}, {0.5, 1, math.NaN()}}, []string{"1", "logits"},
		[]string{"1", "2", "logits"},
		SimilarityOptions{RowsOf: "layers of a", ColsOf: "layers of b",
			Null: [][]float64{{1, 0.72, math.NaN()}, {0.8, 0.3, 0.1}}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSimilarityLooksAsBefore(t *testing.T) { looksAsBefore(t, "similarity", similarities(t)) }

func TestSimilarityTable(t *testing.T) {
	f := similarities(t)
	if got := string(f.Data.CSV()); !strings.Contains(got, "\n1,2,0.5,0.72\n") {
		t.Error(got)
	}
	if want := "Least: -0.02, of 1 and logits."; !strings.Contains(f.Alt, want) {
		t.Error(f.Alt)
	}
	for _, bad := range [][][]float64{nil, {{1}}, {{1, 2}, {1, 1}}, {{1, math.Inf(-1)}, {1, 1}}} {
		if _, err := Similarity(bad, []string{"a", "b"}, []string{"c", "d"}, SimilarityOptions{}); err == nil {
			t.Errorf("%v: want an error", bad)
		}
	}
}
