package claims

import (
	"fmt"
	"math"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
)

// ExercisesText works exercises out as a person does on paper: the pixels, the kernel and the equations, then
// convolution and attention, head by head, once for each α.
func ExercisesText(r ExerciseReport) string {
	var b strings.Builder
	for i, e := range r.Exercises {
		if i == 0 {
			statement(&b, e)
		}
		workedOut(&b, e)
	}
	return b.String()
}

// statement writes the pixels, the kernel and the equations.
func statement(b *strings.Builder, e Exercise) {
	weights := make([]float64, len(e.Heads))
	for i, h := range e.Heads {
		weights[i] = h.Weight
	}
	given := table.Right{Gap: 3}
	given.Addf("k\t1\t2\t3\t4\t5\t      δ\t-1\t0\t1")
	given.Addf("x[k]\t%s\t      W[δ]\t%s", cells("%g", e.Pixels), cells("%g", weights))
	b.WriteString("Five pixels in a row, queries 2, 3 and 4, a kernel on the shifts -1, 0, 1.\n\n" + given.String() +
		"\nconvolution   y[q] = Σ_h Σ_k E_h[q,k]·x[k]·W_h,  E_h[q,k] = 1 where k = q + Δ_h, else 0\n" +
		"attention     y[q] = Σ_h Σ_k P_h[q,k]·x[k]·W_h,  P_h = softmax(A_h),  A_h[q,k] = -α(k - q - Δ_h)²\n")
}

// workedOut writes what each head takes, by convolution and by attention, and the sums.
func workedOut(b *strings.Builder, e Exercise) {
	fmt.Fprintf(b, "\n\nα = %g\n", e.Alpha)
	for n, h := range e.Heads {
		var convolved, attended table.Right // one below the other: both together are wider than a terminal
		convolved.Gap, attended.Gap = 1, 1
		convolved.Addf("q\t  |\tE\t\t\t\t\t E·x")
		attended.Addf("q\t  |\tA\t\t\t\t\t  |\tP\t\t\t\t\t   P·x")
		for i, q := range e.Queries {
			convolved.Addf("%d\t|\t%s\t%g", q, cells("%g", h.Selected[i]), h.Taken[i])
			attended.Addf("%d\t|\t%s\t|\t%s\t%s", q, cells("%.4g", h.Scores[i]), cells("%.3f", h.Weights[i]),
				decimal3(h.Seen[i]))
		}
		fmt.Fprintf(b, "\nhead %d, Δ = %d, W = %g\n%s%s", n+1, h.Shift, h.Weight, convolved.String(), attended.String())
	}
	sums := table.Table{Columns: []table.Column{{Head: "  sums"}, {Head: "convolution"}, {Head: "attention"}}}
	for i, q := range e.Queries {
		sums.Add(table.Words(fmt.Sprintf("  y[%d]", q)),
			table.Words(sum(e.Heads, func(h ExerciseHead) string { return fmt.Sprintf("%g", h.Taken[i]) })+
				fmt.Sprintf(" = %g", e.Convolution[i])),
			table.Words(sum(e.Heads, func(h ExerciseHead) string { return decimal3(h.Seen[i]) })+
				" = "+decimal3(e.Attention[i])))
	}
	var phi table.Right
	phi.Addf("Φ\tδ = -1\tδ = 0\tδ = 1")
	for h, row := range e.Phi {
		phi.Addf("head %d\t%s\t%s\t%s", h+1, decimal3(row[0]), decimal3(row[1]), decimal3(row[2]))
	}
	fmt.Fprintf(b, "\n%s\nOne mixture Φ of the heads for all queries, E ≈ P·Φ, and the layer with W_h = Σ_δ "+
		"Φ[h,δ]·W[δ]:\n%s"+
		"  residual ‖E - P·Φ‖/‖E‖ = %.2g;  y = %s, %s, %s\n", sums.Text(0), phi.String(), e.Residual,
		decimal3(e.Mixed[0]), decimal3(e.Mixed[1]), decimal3(e.Mixed[2]))
}

// cells formats values as cells of a table.
func cells(format string, row []float64) string {
	words := make([]string, len(row))
	for i, v := range row {
		words[i] = fmt.Sprintf(format, v+0) // no -0
	}
	return strings.Join(words, "\t")
}

// sum writes out Σ_h W_h·seen(h).
func sum(heads []ExerciseHead, seen func(ExerciseHead) string) string {
	var b strings.Builder
	for i, h := range heads {
		v := seen(h)
		if strings.HasPrefix(v, "-") {
			v = "(" + v + ")"
		}
		switch {
		case i == 0:
			fmt.Fprintf(&b, "%g·%s", h.Weight, v)
		case h.Weight < 0:
			fmt.Fprintf(&b, " - %g·%s", -h.Weight, v)
		default:
			fmt.Fprintf(&b, " + %g·%s", h.Weight, v)
		}
	}
	return b.String()
}

// decimal3 formats a value with three decimals, without -0.
func decimal3(v float64) string { return fmt.Sprintf("%.3f", math.Round(v*1000)/1000+0) }
