package theorem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
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
func LedgerDocument(found []Finding, seed uint64) LedgerReport {
	r := LedgerReport{V: 1, Pass: true, Seed: seed}
	for _, f := range found {
		row := ClaimReport{ID: f.ID, Statement: f.Statement, By: f.By, Source: f.Source(), Sources: f.Sources,
			Reason: f.Reason, Verdict: f.Verdict, Construction: f.Construction, Condition: f.Condition,
			Cases: f.Cases, MaxDev: null.Float(f.MaxDev), Tolerance: f.Tolerance, Pass: f.Pass(), Wrong: f.Wrong}
		if f.Verdict == Holds {
			row.Example = f.Counterexample
		} else {
			row.Counterexample = f.Counterexample
		}
		r.Claims, r.Pass = append(r.Claims, row), r.Pass && row.Pass
	}
	return r
}

// LedgerVerdict returns nil if all claims are as recorded, else a *RefutedError that names the others.
func LedgerVerdict(r LedgerReport) error {
	var wrong []string
	for _, c := range r.Claims {
		if !c.Pass {
			wrong = append(wrong, c.ID)
		}
	}
	if wrong == nil {
		return nil
	}
	return &RefutedError{"not as recorded: " + strings.Join(wrong, ", ")}
}

// conditionWords maps a verdict to the word before its condition.
var conditionWords = map[string]string{HoldsIf: "If: ", False: "But: ", FalseAsWritten: "But: "}

// LedgerText returns a paragraph for each claim, in lines of width characters, the totals, and the sources of the
// claims.
func LedgerText(r LedgerReport, width int) string {
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
		fmt.Fprintf(&b, "%s  %s, %s: %s\n", passWord(claim.Pass), claim.ID, is,
			strings.TrimSuffix(claim.Verdict, " if"))
		for _, part := range slices.Concat(
			[]labeled{
				{"", claim.Statement},
				{conditionWords[claim.Verdict], claim.Condition},
				{"By construction: ", claim.Construction},
				{"Counterexample: ", claim.Counterexample},
				{"Example: ", claim.Example},
			},
			claim.origins(),
			[]labeled{
				{"Checked: ", checked(claim)},
				{"Wrong: ", claim.Wrong},
			},
		) {
			if part.text == "" {
				continue
			}
			for _, line := range table.Wrap(part.label+part.text, width-len(indent)) {
				b.WriteString(indent + line + "\n")
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d of %s as recorded: %d hold, %d hold under a condition, %d are false, %d of them as written\n",
		passed,
		table.Count(len(r.Claims), "claim"), verdicts[Holds], verdicts[HoldsIf],
		verdicts[False]+verdicts[FalseAsWritten],
		verdicts[FalseAsWritten])
	if cited := cited(r.Claims); cited != nil {
		b.WriteString("\nSources\n")
		for _, s := range cited {
			for i, line := range table.Wrap(s.Reference(), width-len(indent)) {
				b.WriteString(map[bool]string{true: "  ", false: indent}[i == 0] + line + "\n")
			}
		}
	}
	return b.String()
}

// A labeled text is a part of a paragraph; without a text there is no such part.
type labeled struct{ label, text string }

// origins says who states the claim, where and how, or why it is ours.
func (c ClaimReport) origins() (parts []labeled) {
	label := "Source: "
	if c.By == Ours {
		label = "Compare: "
		parts = append(parts, labeled{"Ours: ", c.Reason})
	}
	for _, s := range c.Sources {
		parts = append(parts, labeled{label, s.Short + ", " + s.At + ". " + s.Says})
	}
	if c.By != Ours {
		parts = append(parts, labeled{"Added: ", c.Reason})
	}
	return parts
}

// cited returns the sources of the claims, each once.
func cited(claims []ClaimReport) (all []Source) {
	for _, c := range claims {
		for _, s := range c.Sources {
			if !slices.Contains(all, s.Source) {
				all = append(all, s.Source)
			}
		}
	}
	return all
}

// Reference returns the source as an entry of a list of references.
func (s Source) Reference() string {
	title := s.Title
	if !strings.HasSuffix(title, "?") {
		title += "."
	}
	return fmt.Sprintf("%s: %s (%s). %s %s.", s.Short, s.Author, s.Date, title, s.Published)
}

// checked says how many cases were computed, and how far off they were at most.
func checked(c ClaimReport) string {
	off := orInfinite(c.MaxDev)
	if off == 0 {
		return table.Count(c.Cases, "case") + ", no deviation"
	}
	return fmt.Sprintf("%s, largest deviation %.1e; %.0e is allowed", table.Count(c.Cases, "case"), off, c.Tolerance)
}

// orInfinite returns the value of a document, in which null stands for what is not finite.
func orInfinite(x null.Float) float64 {
	if !x.Known() {
		return math.Inf(1)
	}
	return float64(x)
}
