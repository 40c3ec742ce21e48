package claims

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestEveryClaimIsAsTheLedgerHasIt(t *testing.T) {
	found, err := Check(t.Context(), Ledger(), 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if !f.Pass() {
			t.Errorf("%s (%s): %s", f.ID, f.Verdict, f.Wrong)
		}
	}
	second, _ := Check(t.Context(), Ledger(), 5, 1)
	if diff := cmp.Diff(found, second, cmpopts.IgnoreFields(Claim{}, "check")); diff != "" {
		t.Errorf("the same seed has other findings: %s", diff)
	}
}

func TestClaimsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Ledger() {
		if seen[c.ID] || c.ID == "" || !strings.HasSuffix(c.Statement, ".") {
			t.Errorf("%q: %q: want a unique name and a sentence", c.ID, c.Statement)
		}
		seen[c.ID] = true
		switch {
		case c.Verdict == Holds && c.Condition != "", c.Verdict != Holds && c.Condition == "",
			!slices.Contains([]string{Holds, HoldsIf, False, FalseAsWritten}, c.Verdict):
			t.Errorf("%s: verdict %q is inconsistent with condition %q", c.ID, c.Verdict, c.Condition)
		case !slices.Contains([]string{Paper, Slides, Article, Notes, Ours}, c.By),
			c.Verdict == FalseAsWritten && c.By == Ours, c.Verdict == False && c.By != Ours:
			t.Errorf("%s: verdict %q is inconsistent with origin %q", c.ID, c.Verdict, c.By)
		}
	}
}

// A claim names who states it, where, and how, or why it is ours; and every entry of the list of attributions is of a
// claim.
func TestClaimsHaveSources(t *testing.T) {
	known := map[string]bool{}
	for _, c := range Ledger() {
		known[c.ID] = true
		if c.By == Ours {
			if c.Reason == "" {
				t.Errorf("%s is ours without a reason", c.ID)
			}
		} else if len(c.Sources) == 0 || c.Sources[0].Kind != c.By {
			t.Errorf("%s is of %s; its sources are %+v", c.ID, c.By, c.Sources)
		} else if !strings.HasPrefix(c.Source(), c.Sources[0].Short+", "+c.Sources[0].At) {
			t.Errorf("%s: the source %q does not begin with the first one", c.ID, c.Source())
		}
		for _, s := range c.Sources {
			if s.Author == "" || s.Title == "" || s.Date == "" || s.Published == "" || s.At == "" ||
				!strings.HasSuffix(s.Says, ".") {
				t.Errorf("%s: %+v: want author, title, date, publication, place and a sentence", c.ID, s)
			}
		}
	}
	for id := range attributions {
		if !known[id] {
			t.Errorf("attributions has %q, which is not a claim", id)
		}
	}
}

// A result that disagrees with the recorded verdict fails.
func TestWrongVerdictsDoNotPass(t *testing.T) {
	for _, tt := range []struct {
		name    string
		verdict string
		check   func(t *trial)
		want    string
	}{
		{"deviates", Holds, func(t *trial) { t.scalar(1.1, 1) }, "deviation 0.1, want 0.01 at most"},
		{"not a number", Holds, func(t *trial) { t.scalar(math.NaN(), 1) }, "deviation +Inf, want 0.01 at most"},
		{"is shorter", Holds, func(t *trial) { t.equal(nil, []float64{1}) }, "0 values instead of 1"},
		{"is false", Holds, func(t *trial) { t.true(false, "no") }, "no"},
		{"breaks off", Holds, func(*trial) { panic("no") }, "broke off: no"},
		{"checks nothing", Holds, func(*trial) {}, "nothing was computed"},
		{"has no counterexample", False, func(t *trial) { t.scalar(1, 1) }, "no counterexample was found"},
		{"has a weak one", HoldsIf, func(t *trial) { t.differs(0.1, 0.5, "x") },
			"the counterexample is off by 0.1 only, want 0.5: x"},
	} {
		f := Claim{Verdict: tt.verdict, Tolerance: 0.01, check: tt.check}.Check(1, 0)
		if f.Pass() || f.Wrong != tt.want {
			t.Errorf("a claim that %s: %q, want %q", tt.name, f.Wrong, tt.want)
		}
	}
}
