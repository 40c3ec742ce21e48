package theorem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/report"
)

// Claims returns the claims of the ledger with these names, in the ledger's order; without names, all. The error is an
// *option.Error for "claims".
func Claims(names ...string) ([]Claim, error) {
	all := Ledger()
	if len(names) == 0 {
		return all, nil
	}
	known := make([]string, len(all))
	for i, claim := range all {
		known[i] = claim.ID
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, option.Choice("claims", name, known)
		}
	}
	return slices.DeleteFunc(all, func(claim Claim) bool { return !slices.Contains(names, claim.ID) }), nil
}

// LedgerDocument returns what Check found with a seed as a document.
func LedgerDocument(found []Finding, seed uint64) report.Ledger {
	r := report.Ledger{V: 1, Pass: true, Seed: seed}
	for _, f := range found {
		row := report.Claim{ID: f.ID, Statement: f.Statement, By: f.By, Source: f.Source, Verdict: f.Verdict, Condition: f.Condition,
			Cases: f.Cases, MaxDev: report.Finite(f.MaxDev), Tolerance: f.Tolerance, Pass: f.Pass(), Wrong: f.Wrong}
		if f.Verdict == Holds {
			row.Example = f.Counterexample
		} else {
			row.Counterexample = f.Counterexample
		}
		r.Claims, r.Pass = append(r.Claims, row), r.Pass && row.Pass
	}
	return r
}

// LedgerVerdict returns nil if all claims are as recorded, else a *Refuted that names the others.
func LedgerVerdict(r report.Ledger) error {
	var wrong []string
	for _, c := range r.Claims {
		if !c.Pass {
			wrong = append(wrong, c.ID)
		}
	}
	if wrong == nil {
		return nil
	}
	return &Refuted{"not as recorded: " + strings.Join(wrong, ", ")}
}

// conditionWords maps a verdict to the word before its condition.
var conditionWords = map[string]string{HoldsIf: "If: ", False: "But: ", FalseAsWritten: "But: "}

// LedgerText returns a paragraph for each claim, in lines of width characters, and the totals.
func LedgerText(r report.Ledger, width int) string {
	const indent = "      "
	var b strings.Builder
	passed, verdicts := 0, map[string]int{}
	for _, claim := range r.Claims {
		is := "recorded"
		if claim.Pass {
			is = "as recorded"
			passed++
		}
		verdicts[claim.Verdict]++
		fmt.Fprintf(&b, "%s  %s, %s: %s\n", passWord(claim.Pass), claim.ID, is, strings.TrimSuffix(claim.Verdict, " if"))
		for _, part := range []struct{ label, text string }{
			{"", claim.Statement},
			{conditionWords[claim.Verdict], claim.Condition},
			{"Counterexample: ", claim.Counterexample},
			{"Example: ", claim.Example},
			{"Whose: ", claim.By + "; " + claim.Source},
			{"Checked: ", checked(claim)},
			{"Wrong: ", claim.Wrong},
		} {
			if part.text == "" {
				continue
			}
			for _, line := range table.Wrap(part.label+part.text, width-len(indent)) {
				b.WriteString(indent + line + "\n")
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d of %s as recorded: %d hold, %d hold under a condition, %d are false, %d of them as written\n", passed,
		table.Count(len(r.Claims), "claim"), verdicts[Holds], verdicts[HoldsIf], verdicts[False]+verdicts[FalseAsWritten],
		verdicts[FalseAsWritten])
	return b.String()
}

// checked says how many cases were computed, and how far off they were at most.
func checked(c report.Claim) string {
	off := orInfinite(c.MaxDev)
	if off == 0 {
		return table.Count(c.Cases, "case") + ", no deviation"
	}
	return fmt.Sprintf("%s, largest deviation %.1e; %.0e is allowed", table.Count(c.Cases, "case"), off, c.Tolerance)
}

// orInfinite returns the value of a document, in which null stands for what is not finite.
func orInfinite(x *float64) float64 {
	if x == nil {
		return math.Inf(1)
	}
	return *x
}
