package network

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// A TestedAccuracy is the part of the validation images that a network classifies correctly.
type TestedAccuracy struct {
	Acc    float64        `json:"acc"`     // correct / n
	N      int            `json:"n"`       // images
	CI     stats.Interval `json:"ci"`      // Wilson's 95 % interval, over images
	Diff   null.Float     `json:"diff"`    // from the accuracy of the unmodified network; null: this is that
	DiffCI stats.Interval `json:"diff_ci"` // Newcombe's 95 % interval of the difference, paired over images
}

// Tested summarizes which of n images are classified correctly, compared with base on the same images; a nil base is
// none.
func Tested(right, base stats.Bits, n int) *TestedAccuracy {
	x := measuredOn(right, n)
	s := stats.Summarize(x)
	t := &TestedAccuracy{Acc: s.Mean, N: n, CI: s.CI, Diff: null.Unknown, DiffCI: stats.NoInterval}
	if base != nil {
		if c, err := stats.Compare(x, measuredOn(base, n), false); err == nil {
			t.Diff, t.DiffCI = null.Float(c.Diff), c.CI
		}
	}
	return t
}

func measuredOn(right stats.Bits, n int) stats.Accuracies {
	count := 0
	for i := range n {
		if right.At(i) {
			count++
		}
	}
	return stats.Accuracies{Runs: []float64{float64(count) / float64(n)}, Images: n, Right: []stats.Bits{right}}
}

func accuracyCell(a *TestedAccuracy) table.Cell {
	if a == nil {
		return dash
	}
	return table.Cell{Text: fmt.Sprintf("%.1f", 100*a.Acc), Value: a.Acc}
}
