// Package claims checks every claim of the theory on random cases. Ledger and Check are about the claims; Experiment
// and Sites are what attnconv prove runs.
package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/theorem"
)

// The verdicts on a claim.
const (
	Holds          = "holds"
	HoldsIf        = "holds if"         // under a condition, and there is a counterexample without it
	FalseAsWritten = "false as written" // a published sentence; the condition says what is true instead
	False          = "false"            // a sentence of ours; likewise
)

// Origins of claims.
const (
	Paper   = "paper"   // Cordonnier, Loukas, Jaggi 2020
	Slides  = "slides"  // talks about it
	Article = "article" // the article "Attention", and other publications
	Notes   = "notes"   // study notes on attention and convolution
	Ours    = "ours"
)

// A Claim is a sentence of the theory with its verdict and its check.
type Claim struct {
	ID           string
	Statement    string
	By           string        // origin
	Sources      []Attribution // the first one is the origin; a claim of ours has related sentences
	Reason       string        // for a claim of ours; or what we add to the sources
	Verdict      string
	Construction string  // why the claim holds by construction: a check can only find a mistake in formula or code
	Condition    string  // empty for Holds
	Tolerance    float64 // of the largest deviation
	check        func(t *trial)
}

// Source returns the place of the statement, or the reason for a claim of ours.
func (c Claim) Source() string {
	if c.By == Ours {
		return c.Reason
	}
	place := c.Sources[0].Short + ", " + c.Sources[0].At
	if c.Reason != "" {
		place += "; " + c.Reason
	}
	return place
}

// A Finding is the result of checking a claim.
type Finding struct {
	Claim
	Counterexample string  // with its values; for a claim that holds, an example
	Cases          int     // number of comparisons
	MaxDev         float64 // largest deviation between values that should be equal
	Wrong          string  // disagreement with the ledger, or ""
}

// Pass reports whether the result agrees with the recorded verdict.
func (f *Finding) Pass() bool { return f.Wrong == "" }

// chapters divide the ledger. A new claim is a check, an entry of one of these lists and, if it is not ours,
// an entry of attributions.
var chapters = []struct {
	title  string
	claims []Claim
}{
	{"Order and position", symmetries},
	{"The paper's equations", equations},
	{"The theorem and its lemmas", lemmas},
	{"Heads that attend to several shifts", general},
	{"Floating-point arithmetic", precision},
	{"Other kernels", extensions},
	{"This program", program},
	{"Borders", bordering},
	{"What attention can express", structure},
	{"What measures rest on", measures},
	{"Common sentences", sentences},
	{"Other heads", shapes},
	{"Convolutions", convolutions},
	{"Parts of attention", basics},
}

// Ledger lists the claims, in the order of the theory.
func Ledger() []Claim {
	var all []Claim
	for _, part := range chapters {
		for _, claim := range part.claims {
			claim.Sources = attributions[claim.ID]
			all = append(all, claim)
		}
	}
	return all
}

// Check checks the claims on random cases, n of each kind, in parallel. The result does not depend on the number of
// threads.
func Check(ctx context.Context, claims []Claim, n int, seed uint64) ([]Finding, error) {
	found := make([]Finding, len(claims))
	err := each(ctx, len(claims), func(i int) { found[i] = claims[i].Check(n, seed) })
	return found, err
}

// Check checks the claim on n random cases of each kind.
func (c Claim) Check(n int, seed uint64) Finding {
	t := &trial{n: n, rng: stream.Rand(seed, "claim/"+c.ID)}
	t.run(c.check)
	f := Finding{Claim: c, Counterexample: t.counter, Cases: t.cases, MaxDev: t.dev, Wrong: t.wrong}
	switch {
	case f.Wrong != "":
	case t.cases == 0:
		f.Wrong = "nothing was computed"
	case !(t.dev <= c.Tolerance):
		f.Wrong = fmt.Sprintf("deviation %.2g, want %.2g at most", t.dev, c.Tolerance)
	case t.least > 0 && !(t.gap >= t.least):
		f.Wrong = fmt.Sprintf("the counterexample is off by %.2g only, want %.2g: %s", t.gap, t.least, t.counter)
	case c.Verdict != Holds && t.counter == "":
		f.Wrong = "no counterexample was found"
	}
	return f
}

// A trial is the state of a check.
type trial struct {
	n       int
	rng     *rand.Rand
	cases   int
	dev     float64
	gap     float64 // of the counterexample
	least   float64 // smallest gap to accept; 0: there is no counterexample
	counter string
	wrong   string
}

// run runs a check. A panic of this package, as of a softmax without keys, fails the claim; a runtime error is a bug
// and remains a panic.
func (t *trial) run(check func(t *trial)) {
	defer func() {
		r := recover()
		if _, bug := r.(runtime.Error); bug {
			panic(r)
		}
		if r != nil {
			t.fail("broke off: %v", r)
		}
	}()
	check(t)
}

// equal compares two results; the deviation is relative to the largest value if that exceeds 1.
func (t *trial) equal(got, want []float64) {
	t.cases++
	if len(got) != len(want) {
		t.fail("%d values instead of %d", len(got), len(want))
		return
	}
	abs, top := distance(got, want)
	t.dev = max(t.dev, abs/max(1, top))
}

// scalar is equal for one value.
func (t *trial) scalar(got, want float64) { t.equal([]float64{got}, []float64{want}) }

// true records a case that is right or wrong, without a deviation.
func (t *trial) true(ok bool, format string, args ...any) {
	t.cases++
	if !ok {
		t.fail(format, args...)
	}
}

// differs records a counterexample: gap would be 0 if the claim held without its condition. The ledger shows the case
// with the largest gap, which must be at least least.
func (t *trial) differs(gap, least float64, format string, args ...any) {
	t.cases++
	t.least = least
	if gap > t.gap || t.counter == "" {
		t.gap, t.counter = gap, fmt.Sprintf(format, args...)
	}
}

func (t *trial) fail(format string, args ...any) {
	if t.wrong == "" {
		t.wrong = fmt.Sprintf(format, args...)
	}
}

// must returns v, and panics on an error, which the cases of a claim cannot cause.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// gap returns max|a - b| / max|b|.
func gap(a, b []float64) float64 {
	abs, top := distance(a, b)
	return abs / max(top, math.SmallestNonzeroFloat64)
}

// between draws an integer from least to most.
func (t *trial) between(least, most int) int { return least + t.rng.IntN(most-least+1) }

func (t *trial) normal(n int) []float64 { return normal[float64](t.rng, n, 1) }

func (t *trial) conv(g theorem.Geometry, in, out int) *theorem.Conv[float64] {
	c := &theorem.Conv[float64]{Geometry: g, In: in, Out: out}
	randomize(c, t.rng)
	return c
}

// square returns a geometry of two axes that keeps the image's size.
func square(k int, border theorem.Border) theorem.Geometry {
	g := theorem.Geometry{Kernel: []int{k, k}, Border: border}
	g.Before, g.After = theorem.Same(g.Kernel, nil)
	return g
}
