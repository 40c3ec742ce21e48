package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/theorem"
	"github.com/attnconv/attnconv/viz"
)

// A proofRow is the result of one experiment.
type proofRow struct {
	Kernel    int      `json:"kernel"`
	Heads     int      `json:"heads"`
	Border    string   `json:"border"`
	Type      string   `json:"dtype"`
	Alpha     float64  `json:"alpha"`
	MaxErr    measured `json:"max_err"`
	MaxRelErr measured `json:"max_rel_err"`
	Leak      float64  `json:"leak"`
	Lost      float64  `json:"lost"`
	BitEqual  bool     `json:"bit_equal"`
	Limit     float64  `json:"tolerance,omitempty"` // 0: not judged, since the heads are soft
	Pass      *bool    `json:"pass,omitempty"`
}

// proof is the output of prove --json.
type proof struct {
	V         int        `json:"v"`
	Pass      bool       `json:"pass"`
	Tolerance float64    `json:"tolerance"`
	Cases     int        `json:"cases"`
	Axes      int        `json:"axes"`
	Size      int        `json:"size"`
	Channels  [2]int     `json:"channels"`
	Seed      uint64     `json:"seed"`
	Rows      []proofRow `json:"rows"`
}

func runProve(ctx context.Context, c *cli.Console, o proveOptions) error {
	p, err := o.plan()
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
	all := p.experiments()
	found, err := theorem.RunAll(ctx, all)
	if err != nil {
		return err
	}
	r := p.judge(all, found)
	if err := o.save(r); err != nil {
		return err
	}
	if o.Plot != nil {
		borders := p.borders
		if slices.Equal(o.Border, []string{"all"}) { // the curves of all borders would hide each other
			borders = borders[:1]
		}
		drawn, err := p.figure(ctx, borders)
		if err != nil {
			return err
		}
		if _, err := figure.Write(c, drawn, ""); err != nil {
			return err
		}
	}
	if err := c.Show(r, func(c *cli.Console) error { return p.print(c, r) }); err != nil || r.Pass {
		return err
	}
	return p.unmet(r)
}

// save writes the results to --output, if given.
func (o proveOptions) save(r any) error {
	if o.Output == "" {
		return nil
	}
	return cli.WriteJSON(o.Output, r)
}

// judge compares the errors of hard heads with the tolerance.
func (p *plan) judge(all []theorem.Experiment, found []theorem.Deviation) proof {
	r := proof{V: 1, Pass: true, Cases: len(all) * p.base.Trials, Axes: p.base.Axes, Size: p.base.Size,
		Channels: [2]int{p.base.In, p.base.Out}, Seed: p.base.Seed}
	for i, e := range all {
		d := found[i]
		row := proofRow{Kernel: e.Kernel, Heads: e.HeadCount(), Border: e.Border, Type: e.Type, Alpha: e.Alpha,
			MaxErr: measured(d.Max), MaxRelErr: measured(d.Rel), Leak: d.Leak, Lost: d.Lost, BitEqual: d.Bits}
		if e.Alpha >= p.hard() && d.Lost == 0 {
			row.Limit = p.limit(e)
			pass := d.Rel <= row.Limit
			row.Pass = &pass
			r.Pass = r.Pass && pass
			r.Tolerance = max(r.Tolerance, row.Limit)
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// print writes the table: a row for each border, type and kernel, a column for each α.
func (p *plan) print(c *cli.Console, r proof) error {
	fmt.Fprintf(c.Out, "Theorem 1: a convolution as attention, one head for each entry of the kernel\n"+
		"%s pixels, %d -> %d channels, %s each; stride %d, dilation %d, seed %d\n\n",
		strings.Repeat(fmt.Sprintf("%d × ", r.Size), r.Axes-1)+fmt.Sprint(r.Size), r.Channels[0], r.Channels[1],
		cli.Count(p.base.Trials, "random kernel"), p.base.Stride, p.base.Dilation, r.Seed)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "border\tdtype\tK\theads\t")
	for _, a := range p.alphas {
		fmt.Fprintf(w, "α = %g\t", a)
	}
	some := p.base.Heads > 0 || p.base.HeadDim > 0
	if some {
		fmt.Fprint(w, "lost\t")
	}
	fmt.Fprintln(w)
	n := len(p.alphas)
	leak := make([]float64, n)
	for i := 0; i < len(r.Rows); i += n {
		row := r.Rows[i]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t", row.Border, row.Type, row.Kernel, row.Heads)
		for j, cell := range r.Rows[i : i+n] {
			fmt.Fprintf(w, "%.1e\t", cell.MaxRelErr)
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
	_, err := fmt.Fprintf(c.Out, "\n%s\n", p.verdict(r))
	return err
}

// verdict explains the table, and says whether the theorem holds.
func (p *plan) verdict(r proof) string {
	said := "Errors: largest |attention - convolution| divided by largest |convolution|, which is summed exactly.\n" +
		"Leak: largest weight that a head gives to a wrong pixel.\n"
	judged, equal := 0, 0
	for _, row := range r.Rows {
		if row.Pass != nil {
			judged += p.base.Trials
		}
		if row.Pass != nil && row.BitEqual {
			equal += p.base.Trials
		}
	}
	if judged == 0 {
		return said + "Lost: fraction of a kernel's norm that the heads cannot represent, for want of heads or of dimension."
	}
	said += fmt.Sprintf("Bit for bit equal to the convolution summed in the same order: %s of %s at α ≥ %g.\n",
		cli.Thousands(equal), cli.Count(judged, "kernel"), p.hard())
	word := map[bool]string{true: "PASS", false: "FAIL"}[r.Pass]
	return said + fmt.Sprintf("%s  %s", word, strings.Join(p.worst(r), ", "))
}

// worst formats, for each type, the largest error of hard heads and its tolerance.
func (p *plan) worst(r proof) (parts []string) {
	for _, kind := range p.types {
		var worst proofRow
		for _, row := range r.Rows {
			if row.Pass != nil && row.Type == kind && row.worse(worst) {
				worst = row
			}
		}
		parts = append(parts, fmt.Sprintf("%s: %.1e of %.1e", kind, worst.MaxRelErr, worst.Limit))
	}
	return parts
}

// worse reports whether the ratio of error to limit is at least that of s.
func (r proofRow) worse(s proofRow) bool {
	return float64(r.MaxRelErr)*s.Limit >= float64(s.MaxRelErr)*r.Limit
}

// unmet returns the error for the worst row that failed.
func (p *plan) unmet(r proof) error {
	var worst proofRow
	for _, row := range r.Rows {
		if row.Pass != nil && !*row.Pass && row.worse(worst) {
			worst = row
		}
	}
	return cli.Unmetf("attention is not the convolution: relative error %.1e with K = %d, %s, %s, α = %g; want %.1e",
		worst.MaxRelErr, worst.Kernel, worst.Border, worst.Type, worst.Alpha, worst.Limit)
}
