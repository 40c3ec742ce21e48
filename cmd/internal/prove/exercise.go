package prove

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/theorem"
)

// exercises is the output of prove --exercise --json.
type exercises struct {
	V         int                 `json:"v"`
	Exercises []*theorem.Exercise `json:"exercises"`
}

// runExercise works the exercise out for soft and for hard heads, or for those of --alpha.
func runExercise(c *cli.Console, o options) error {
	if o.Alpha == nil {
		o.Alpha = []float64{1, 46}
	}
	if err := cli.RefuseExisting("-o", o.Output, o.Force); err != nil {
		return err
	}
	r := exercises{V: 1}
	var b strings.Builder
	for i, alpha := range o.Alpha {
		e, err := theorem.NewExercise(alpha)
		if err != nil {
			return err
		}
		if i == 0 {
			statement(&b, e)
		}
		r.Exercises = append(r.Exercises, e)
		workedOut(&b, e)
	}
	if err := o.save(r); err != nil {
		return err
	}
	return c.Show(r, func(c *cli.Console) error {
		_, err := fmt.Fprint(c.Out, b.String())
		return err
	})
}

// statement writes the pixels, the kernel and the equations.
func statement(b *strings.Builder, e *theorem.Exercise) {
	b.WriteString("Five pixels in a row, queries 2, 3 and 4, a kernel on the shifts -1, 0, 1.\n\n")
	w := tabwriter.NewWriter(b, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "k\t1\t2\t3\t4\t5\t      δ\t-1\t0\t1\t\nx[k]\t")
	for _, x := range e.Pixels {
		fmt.Fprintf(w, "%g\t", x)
	}
	fmt.Fprint(w, "      W[δ]\t")
	for _, h := range e.Heads {
		fmt.Fprintf(w, "%g\t", h.Weight)
	}
	fmt.Fprintln(w)
	w.Flush()
	b.WriteString("\nconvolution   y[q] = Σ_h Σ_k E_h[q,k]·x[k]·W_h,  E_h[q,k] = 1 where k = q + Δ_h, else 0\n" +
		"attention     y[q] = Σ_h Σ_k P_h[q,k]·x[k]·W_h,  P_h = softmax(A_h),  A_h[q,k] = -α(k - q - Δ_h)²\n")
}

// workedOut writes convolution and attention side by side.
func workedOut(b *strings.Builder, e *theorem.Exercise) {
	fmt.Fprintf(b, "\n\nα = %g\n", e.Alpha)
	for n, h := range e.Heads {
		fmt.Fprintf(b, "\nhead %d, Δ = %d, W = %g\n", n+1, h.Shift, h.Weight)
		w := tabwriter.NewWriter(b, 0, 0, 1, ' ', tabwriter.AlignRight)
		fmt.Fprint(w, "q\t  |\tE\t\t\t\t\t E·x\t  |\tA\t\t\t\t\t  |\tP\t\t\t\t\t   P·x\t\n")
		for i, q := range e.Queries {
			fmt.Fprintf(w, "%d\t|\t%s\t%g\t|\t%s\t|\t%s\t%s\t\n", q, cells("%g", h.Selected[i]), h.Taken[i], cells("%.4g", h.Scores[i]),
				cells("%.3f", h.Weights[i]), decimal3(h.Seen[i]))
		}
		w.Flush()
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "  sums\tconvolution\tattention\n")
	for i, q := range e.Queries {
		fmt.Fprintf(w, "  y[%d]\t%s = %g\t%s = %s\n", q,
			sum(e.Heads, func(h theorem.ExerciseHead) string { return fmt.Sprintf("%g", h.Taken[i]) }), e.Convolution[i],
			sum(e.Heads, func(h theorem.ExerciseHead) string { return decimal3(h.Seen[i]) }), decimal3(e.Attention[i]))
	}
	w.Flush()
	b.WriteString("\nOne mixture Φ of the heads for all queries, E ≈ P·Φ, and the layer with W_h = Σ_δ Φ[h,δ]·W[δ]:\n")
	w = tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "Φ\tδ = -1\tδ = 0\tδ = 1\t\n")
	for h, row := range e.Phi {
		fmt.Fprintf(w, "head %d\t%s\t%s\t%s\t\n", h+1, decimal3(row[0]), decimal3(row[1]), decimal3(row[2]))
	}
	w.Flush()
	fmt.Fprintf(b, "  residual ‖E - P·Φ‖/‖E‖ = %.2g;  y = %s, %s, %s\n", e.Residual, decimal3(e.Mixed[0]), decimal3(e.Mixed[1]),
		decimal3(e.Mixed[2]))
}

// cells formats values as cells of a table.
func cells(format string, row []float64) string {
	var words []string
	for _, v := range row {
		words = append(words, fmt.Sprintf(format, v+0)) // no -0
	}
	return strings.Join(words, "\t")
}

// sum writes out Σ_h W_h·seen(h).
func sum(heads []theorem.ExerciseHead, seen func(theorem.ExerciseHead) string) string {
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
