package network

import (
	"cmp"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// dash is the cell of a value that there is not.
var dash = table.Cell{Text: "–"}

// rounded formats a value by analyse.Percent or analyse.Hundredths; an unknown one is a dash.
func rounded(v null.Float, how func(float64) string) table.Cell { return table.Float(v, how) }

// number formats a value; an unknown one is a dash.
func number(v null.Float, format string) table.Cell {
	return table.Float(v, func(v float64) string { return fmt.Sprintf(format, v) })
}

// spread formats a mean, rounded, with its deviation, if there is one.
func spread(b analyse.Band, how func(float64) string) table.Cell {
	cell := rounded(b.Mean, how)
	if b.Mean.Known() && b.Std.Known() {
		cell.Text += " ± " + how(float64(b.Std))
	}
	return cell
}

// NullTest is a value of a network, next to the same value of untrained networks.
type NullTest struct {
	Value     null.Float    `json:"value"`     // of the network; null: not defined
	Untrained *analyse.Band `json:"untrained"` // null: unknown
}

// bandOr is a band, without values if it is nil.
func bandOr(b *analyse.Band) analyse.Band { return *cmp.Or(b, &noBand) }

var noBand = analyse.NewBand(nil)

// bandOf is the band of a value of untrained networks; nil if it is defined for none.
func bandOf[T any](fresh []T, of func(T) float64) *analyse.Band {
	var draws []float64
	for _, s := range fresh {
		if v := of(s); !math.IsNaN(v) {
			draws = append(draws, v)
		}
	}
	if len(draws) == 0 {
		return nil
	}
	return new(analyse.NewBand(draws))
}

func mean[T any](list []T, of func(T) float64) (m float64) {
	for _, v := range list {
		m += of(v) / float64(len(list))
	}
	return m
}
