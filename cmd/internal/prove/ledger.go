package prove

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/theorem"
)

// runLedger checks all claims of the theory, or those of --claims.
func runLedger(ctx context.Context, c *cli.Console, o options) error {
	claims, err := pickClaims(o.Claims)
	if err != nil {
		return err
	}
	if err := cli.RefuseExisting("-o", o.Output, o.Force); err != nil {
		return err
	}
	found, err := theorem.Check(ctx, claims, cmp.Or(o.Trials, 50), uint64(o.Seed))
	if err != nil {
		return err
	}
	r := report.Ledger{V: 1, Pass: true, Seed: uint64(o.Seed)}
	var wrong []string
	for _, f := range found {
		row := report.Claim{ID: f.ID, Statement: f.Statement, By: f.By, Source: f.Source, Verdict: f.Verdict, Condition: f.Condition,
			Cases: f.Cases, MaxDev: report.Finite(f.MaxDev), Tolerance: f.Tolerance, Pass: f.Pass(), Wrong: f.Wrong}
		if f.Verdict == theorem.Holds {
			row.Example = f.Counterexample
		} else {
			row.Counterexample = f.Counterexample
		}
		r.Claims = append(r.Claims, row)
		if !f.Pass() {
			r.Pass = false
			wrong = append(wrong, f.ID)
		}
	}
	if err := o.save(r); err != nil {
		return err
	}
	if err := c.Show(r, func(c *cli.Console) error { return printLedger(c, r) }); err != nil || r.Pass {
		return err
	}
	return cli.Unmetf("%s", "not as recorded: "+strings.Join(wrong, ", "))
}

// pickClaims returns the named claims in the order of the ledger, or all.
func pickClaims(names []string) ([]theorem.Claim, error) {
	all := theorem.Ledger()
	if names == nil {
		return all, nil
	}
	var known []string
	for _, claim := range all {
		known = append(known, claim.ID)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, invalid.Choice("--claims", name, known)
		}
	}
	return slices.DeleteFunc(all, func(claim theorem.Claim) bool { return !slices.Contains(names, claim.ID) }), nil
}

// checked describes how many cases were computed.
func checked(c report.Claim) string {
	off := math.Inf(1)
	if c.MaxDev != nil {
		off = *c.MaxDev
	}
	if off == 0 {
		return cli.Count(c.Cases, "case") + ", no deviation"
	}
	return fmt.Sprintf("%s, largest deviation %.1e; %.0e is allowed", cli.Count(c.Cases, "case"), off, c.Tolerance)
}

// conditionWords maps a verdict to the word before its condition.
var conditionWords = map[string]string{theorem.HoldsIf: "If: ", theorem.False: "But: ", theorem.FalseAsWritten: "But: "}

// printLedger writes a paragraph for each claim, and the totals.
func printLedger(c *cli.Console, r report.Ledger) error {
	var b strings.Builder
	passed, verdicts := 0, map[string]int{}
	for _, claim := range r.Claims {
		word, is := "FAIL", "recorded"
		if claim.Pass {
			word, is = "PASS", "as recorded"
			passed++
		}
		verdicts[claim.Verdict]++
		fmt.Fprintf(&b, "%s  %s, %s: %s\n", word, claim.ID, is, strings.TrimSuffix(claim.Verdict, " if"))
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
			for _, line := range table.Wrap(part.label+part.text, cli.HelpWidth-6) {
				b.WriteString("      " + line + "\n")
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d of %s as recorded: %d hold, %d hold under a condition, %d are false, %d of them as written\n", passed,
		cli.Count(len(r.Claims), "claim"), verdicts[theorem.Holds], verdicts[theorem.HoldsIf],
		verdicts[theorem.False]+verdicts[theorem.FalseAsWritten], verdicts[theorem.FalseAsWritten])
	_, err := fmt.Fprint(c.Out, b.String())
	return err
}
