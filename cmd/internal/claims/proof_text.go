package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// A RefutedError is the error of a check that failed: attention is not the convolution, or a claim is not as the ledger
// says.
type RefutedError struct{ Reason string }

func (e *RefutedError) Error() string { return e.Reason }
func (e *RefutedError) ExitCode() int { return fault.Check }

// Verdict returns nil if all experiments that are judged pass, else a *RefutedError for the worst of them.
func (p *Proof) Verdict(all []Judged) error {
	worst, ok := Worst(all)
	if !ok || worst.Pass() {
		return nil
	}
	return &RefutedError{fmt.Sprintf("attention is not the convolution: relative error %.1e with K = %d, %s, %s, α = %g; "+
		"want %.1e",
		worst.Rel, worst.Kernel, worst.Border, worst.Type, worst.Alpha, worst.Limit)}
}

// Document returns the experiments as a document.
func (p *Proof) Document(all []Judged) ProofReport {
	r := ProofReport{V: 1, Pass: true, Cases: len(all) * p.Base.Trials, Axes: p.Base.Axes, Size: p.Base.Size,
		Channels: [2]int{p.Base.In, p.Base.Out}, Seed: p.Base.Seed}
	for _, j := range all {
		row := ProofCase{Kernel: j.Kernel, Heads: j.HeadCount(), Border: j.Border, Type: j.Type, Alpha: j.Alpha,
			MaxErr: null.Float(j.Max), MaxRelErr: null.Float(j.Rel), Leak: j.Leak, Lost: j.Lost, BitEqual: j.Bits,
			Limit: j.Limit}
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

// Screen says in two lines whether attention is the convolution, and draws how the error falls over α.
func (p *Proof) Screen(all []Judged) string {
	passed, judged, lost, soft := 0, 0, 0.0, 0.0
	worst, hard := map[string][]float64{}, map[string]float64{} // largest errors of each type: at each α, of hard heads
	for i, j := range all {
		if worst[j.Type] == nil {
			worst[j.Type] = make([]float64, len(p.Alphas))
		}
		at := &worst[j.Type][i%len(p.Alphas)]
		*at, lost = max(*at, j.Rel), max(lost, j.Lost)
		if j.Alpha >= p.Hard() {
			hard[j.Type] = max(hard[j.Type], j.Rel)
		} else if j.Alpha == p.Alphas[0] {
			soft = max(soft, j.Rel)
		}
		if j.Limit > 0 {
			judged += p.Base.Trials
		}
		if j.Limit > 0 && j.Pass() {
			passed += p.Base.Trials
		}
	}
	text := fmt.Sprintf("%s  Attention with α ≥ %g is the convolution in %s of %s.\n", passWord(passed == judged),
		p.Hard(), table.Thousands(passed), table.Count(judged, "random case"))
	if judged == 0 {
		text = fmt.Sprintf("NONE  Not judged: heads or dimensions are too few and lose up to %.3f of a kernel.\n", lost)
	}
	var errors []string
	for _, kind := range p.Types {
		errors = append(errors, fmt.Sprintf("%.1e in %s", hard[kind], kind))
	}
	text += "      Largest relative error " + strings.Join(errors, ", ")
	if soft > 0 {
		text += fmt.Sprintf("; at α = %g: %.2g", p.Alphas[0], soft)
	}
	return text + ".\n\n" + p.picture(worst)
}

// picture draws the largest relative errors as bars from 1e-17 to 1, a row for each α.
func (p *Proof) picture(worst map[string][]float64) string {
	const decades, most = 17, 26 // of the scale; characters of a bar
	text := fmt.Sprintf("%9s", "α")
	for _, kind := range p.Types {
		text += fmt.Sprintf("  %-*s", most+8, kind)
	}
	for i, alpha := range p.Alphas {
		text = strings.TrimRight(text, " ") + fmt.Sprintf("\n%9g", alpha)
		for _, kind := range p.Types {
			e := worst[kind][i]
			cells := min(max(1, int(most*(decades+math.Log10(e))/decades)), most)
			text += fmt.Sprintf("  %.1e %s", e, strings.Repeat("█", cells)+strings.Repeat(" ", most-cells))
		}
	}
	return strings.TrimRight(text, " ") + "\n"
}

// Text returns the experiments as a table, a row for each border, type and kernel and a column for each α, and what
// they are below.
func (p *Proof) Text(all []Judged) string {
	e, n := p.Base, len(p.Alphas)
	some := e.Heads > 0 || e.HeadDim > 0
	head := []string{"border", "dtype", "K", "heads"}
	for _, a := range p.Alphas {
		head = append(head, fmt.Sprintf("α = %g", a))
	}
	if some {
		head = append(head, "lost")
	}
	var w table.Right
	w.Add(head...)
	leak := make([]float64, n)
	for cells := range slices.Chunk(all, n) {
		row := []string{cells[0].Border, cells[0].Type, fmt.Sprint(cells[0].Kernel), fmt.Sprint(cells[0].HeadCount())}
		for i, cell := range cells {
			row = append(row, fmt.Sprintf("%.1e", cell.Rel))
			leak[i] = max(leak[i], cell.Leak)
		}
		if some {
			row = append(row, fmt.Sprintf("%.3f", cells[0].Lost))
		}
		w.Add(row...)
	}
	last := []string{"leak", "", "", ""}
	for _, l := range leak {
		last = append(last, fmt.Sprintf("%.1e", l))
	}
	w.Add(last...)
	return fmt.Sprintf("Theorem 1: a convolution as attention, one head for each entry of the kernel\n"+
		"%s pixels, %d -> %d channels, %s each; stride %d, dilation %d, seed %d\n\n%s\n%s\n",
		strings.Repeat(fmt.Sprintf("%d × ", e.Size), e.Axes-1)+fmt.Sprint(e.Size), e.In, e.Out,
		table.Count(e.Trials, "random kernel"),
		e.Stride, e.Dilation, e.Seed, w.String(), p.legend(all))
}

// legend explains the table.
func (p *Proof) legend(all []Judged) string {
	said := "Errors: largest |attention - convolution| divided by largest |convolution|, which is summed exactly.\n" +
		"Leak: largest weight that a head gives to a wrong pixel.\n"
	judged, equal := 0, 0
	for _, j := range all {
		if j.Limit == 0 {
			continue
		}
		if judged += p.Base.Trials; j.Bits {
			equal += p.Base.Trials
		}
	}
	if judged == 0 {
		return said + "Lost: fraction of a kernel's norm that the heads cannot represent, for want of heads or of " +
			"dimension."
	}
	return said + fmt.Sprintf("Bit for bit equal to the convolution summed in the same order: %s of %s at α ≥ %g.",
		table.Thousands(equal), table.Count(judged, "kernel"), p.Hard())
}

func passWord(pass bool) string {
	if pass {
		return "PASS"
	}
	return "FAIL"
}
