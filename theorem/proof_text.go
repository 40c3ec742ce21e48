package theorem

import (
	"fmt"
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

// Text returns the experiments as a table, a row for each border, type and kernel and a column for each α, with the
// verdict below.
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
		e.Stride, e.Dilation, e.Seed, w.String(), p.verdict(all))
}

// verdict explains the table, and says whether the theorem holds.
func (p *Proof) verdict(all []Judged) string {
	said := "Errors: largest |attention - convolution| divided by largest |convolution|, which is summed exactly.\n" +
		"Leak: largest weight that a head gives to a wrong pixel.\n"
	judged, equal, word := 0, 0, passWord(p.Verdict(all) == nil)
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
	said += fmt.Sprintf("Bit for bit equal to the convolution summed in the same order: %s of %s at α ≥ %g.\n",
		table.Thousands(equal), table.Count(judged, "kernel"), p.Hard())
	var parts []string // for each type, the largest error of hard heads and its tolerance
	for _, kind := range p.Types {
		worst, _ := Worst(slices.DeleteFunc(slices.Clone(all), func(j Judged) bool { return j.Type != kind }))
		parts = append(parts, fmt.Sprintf("%s: %.1e of %.1e", kind, worst.Rel, worst.Limit))
	}
	return said + fmt.Sprintf("%s  %s", word, strings.Join(parts, ", "))
}

func passWord(pass bool) string {
	if pass {
		return "PASS"
	}
	return "FAIL"
}
