package prove

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/figures"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/theorem"
	"github.com/attnconv/attnconv/viz"
)

// runTheorem runs the experiments, prints them, draws them, and returns an error if one fails.
func runTheorem(ctx context.Context, c *cli.Console, o options) error {
	p, err := o.proof()
	if err != nil {
		return err
	}
	figure := output.Options{Output: o.Plot, Theme: viz.Themes.Default(), Force: o.Force}
	if o.Plot != nil {
		if err := figure.Check(); err != nil {
			return err
		}
	}
	if err := cli.RefuseExisting("-o", o.Output, o.Force); err != nil {
		return err
	}
	all, err := p.Run(ctx)
	if err != nil {
		return err
	}
	r := document(p, all)
	if err := o.save(r); err != nil {
		return err
	}
	if o.Plot != nil {
		some := p
		if slices.Equal(o.Border, []string{"all"}) { // the curves of all borders would hide each other
			some.Borders = p.Borders[:1]
		}
		drawn, err := figures.Errors(ctx, some)
		if err != nil {
			return err
		}
		if _, err := figure.Write(c, drawn, ""); err != nil {
			return err
		}
	}
	if err := c.Show(r, func(c *cli.Console) error { return printProof(c, p, all) }); err != nil || r.Pass {
		return err
	}
	return unmet(all)
}

// save writes the results to --output, if given.
func (o options) save(r any) error {
	if o.Output == "" {
		return nil
	}
	return cli.WriteJSON(o.Output, r)
}

// document returns the output of --json.
func document(p theorem.Proof, all []theorem.Judged) report.Proof {
	r := report.Proof{V: 1, Pass: true, Cases: len(all) * p.Base.Trials, Axes: p.Base.Axes, Size: p.Base.Size,
		Channels: [2]int{p.Base.In, p.Base.Out}, Seed: p.Base.Seed}
	for _, j := range all {
		row := report.ProofCase{Kernel: j.Kernel, Heads: j.HeadCount(), Border: j.Border, Type: j.Type, Alpha: j.Alpha,
			MaxErr: report.Finite(j.Max), MaxRelErr: report.Finite(j.Rel), Leak: j.Leak, Lost: j.Lost, BitEqual: j.Bits, Limit: j.Limit}
		if j.Limit > 0 {
			pass := j.Pass()
			row.Pass = &pass
			r.Pass = r.Pass && pass
			r.Tolerance = max(r.Tolerance, j.Limit)
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// printProof writes the table: a row for each border, type and kernel, a column for each α.
func printProof(c *cli.Console, p theorem.Proof, all []theorem.Judged) error {
	fmt.Fprintf(c.Out, "Theorem 1: a convolution as attention, one head for each entry of the kernel\n"+
		"%s pixels, %d -> %d channels, %s each; stride %d, dilation %d, seed %d\n\n",
		strings.Repeat(fmt.Sprintf("%d × ", p.Base.Size), p.Base.Axes-1)+fmt.Sprint(p.Base.Size), p.Base.In, p.Base.Out,
		cli.Count(p.Base.Trials, "random kernel"), p.Base.Stride, p.Base.Dilation, p.Base.Seed)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "border\tdtype\tK\theads\t")
	for _, a := range p.Alphas {
		fmt.Fprintf(w, "α = %g\t", a)
	}
	some := p.Base.Heads > 0 || p.Base.HeadDim > 0
	if some {
		fmt.Fprint(w, "lost\t")
	}
	fmt.Fprintln(w)
	n := len(p.Alphas)
	leak := make([]float64, n)
	for i := 0; i < len(all); i += n {
		row := all[i]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t", row.Border, row.Type, row.Kernel, row.HeadCount())
		for j, cell := range all[i : i+n] {
			fmt.Fprintf(w, "%.1e\t", cell.Rel)
			leak[j] = max(leak[j], cell.Leak)
		}
		if some {
			fmt.Fprintf(w, "%.3f\t", row.Lost)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "leak\t\t\t\t")
	for _, l := range leak {
		fmt.Fprintf(w, "%.1e\t", l)
	}
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "\n%s\n", verdict(p, all))
	return err
}

// verdict explains the table, and says whether the theorem holds.
func verdict(p theorem.Proof, all []theorem.Judged) string {
	said := "Errors: largest |attention - convolution| divided by largest |convolution|, which is summed exactly.\n" +
		"Leak: largest weight that a head gives to a wrong pixel.\n"
	judged, equal, word := 0, 0, "PASS"
	for _, j := range all {
		if j.Limit == 0 {
			continue
		}
		if judged += p.Base.Trials; j.Bits {
			equal += p.Base.Trials
		}
		if !j.Pass() {
			word = "FAIL"
		}
	}
	if judged == 0 {
		return said + "Lost: fraction of a kernel's norm that the heads cannot represent, for want of heads or of dimension."
	}
	said += fmt.Sprintf("Bit for bit equal to the convolution summed in the same order: %s of %s at α ≥ %g.\n",
		cli.Thousands(equal), cli.Count(judged, "kernel"), p.Hard())
	var parts []string // for each type, the largest error of hard heads and its tolerance
	for _, kind := range p.Types {
		worst, _ := theorem.Worst(slices.DeleteFunc(slices.Clone(all), func(j theorem.Judged) bool { return j.Type != kind }))
		parts = append(parts, fmt.Sprintf("%s: %.1e of %.1e", kind, worst.Rel, worst.Limit))
	}
	return said + fmt.Sprintf("%s  %s", word, strings.Join(parts, ", "))
}

// unmet returns the error for the worst experiment.
func unmet(all []theorem.Judged) error {
	worst, _ := theorem.Worst(all)
	return cli.Unmetf("attention is not the convolution: relative error %.1e with K = %d, %s, %s, α = %g; want %.1e",
		worst.Rel, worst.Kernel, worst.Border, worst.Type, worst.Alpha, worst.Limit)
}
