package theorem

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/attnconv/attnconv/internal/stream"
)

// The verdicts on a claim.
const (
	Holds          = "holds"
	HoldsIf        = "holds if"         // under a condition, and there is a counterexample without it
	FalseAsWritten = "false as written" // somebody's sentence; the condition says what is true instead
	False          = "false"            // likewise, of a sentence that nobody wrote but us
)

// Whose sentence a claim is.
const (
	Paper   = "paper"   // Cordonnier, Loukas, Jaggi 2020
	Slides  = "slides"  // talks about it
	Article = "article" // other publications
	Notes   = "notes"   // study notes on attention and convolution
	Ours    = "ours"
)

// A Claim is a sentence of the theory, what became of it, and how to find out.
type Claim struct {
	ID        string
	Statement string
	By        string // whose sentence it is
	Source    string // where it stands; of ours, what it rests on
	Verdict   string
	Condition string  // empty for Holds
	Tolerance float64 // on the largest deviation
	check     func(t *trial)
}

// A Finding is a claim after it was computed.
type Finding struct {
	Claim
	Counterexample string  // in numbers, where the claim is not simply true; of one that is, an example
	Cases          int     // how many comparisons were made
	MaxDev         float64 // the largest deviation between things that should be equal
	Wrong          string  // what was not as the ledger has it; empty if all was
}

// Pass reports whether what was computed agrees with the recorded verdict.
func (f *Finding) Pass() bool { return f.Wrong == "" }

// Ledger lists the claims, in the order of the theory. To add one, write its check and its line.
func Ledger() []Claim {
	var all []Claim
	for _, part := range [][]Claim{
		symmetries, equations, lemmas, general, precision, extensions, program, bordering, structure, sentences, shapes, convolutions, basics,
	} {
		all = append(all, part...)
	}
	return all
}

// Check computes the claims on random cases, n of each kind, several claims at a time. The result does not depend on how
// many.
func Check(ctx context.Context, claims []Claim, n int, seed uint64) ([]Finding, error) {
	found := make([]Finding, len(claims))
	err := each(ctx, len(claims), func(i int) { found[i] = claims[i].Check(n, seed) })
	return found, err
}

// Check computes the claim on n random cases of each kind.
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

// A trial is a claim's bench: its random numbers, and what was found.
type trial struct {
	n       int
	rng     *rand.Rand
	cases   int
	dev     float64
	gap     float64 // of the counterexample
	least   float64 // what gap must be; 0: there is no counterexample
	counter string
	wrong   string
}

// run computes a claim. One that breaks off, as on heads that may look at nothing, is not shown; a mistake of Go's kind stays
// a panic.
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

// equal takes note of two results that should be equal; the deviation is relative where they are large.
func (t *trial) equal(got, want []float64) {
	t.cases++
	if len(got) != len(want) {
		t.fail("%d numbers instead of %d", len(got), len(want))
		return
	}
	abs, top := distance(got, want)
	t.dev = max(t.dev, abs/max(1, top))
}

// number is equal for one number.
func (t *trial) number(got, want float64) { t.equal([]float64{got}, []float64{want}) }

// true takes note of a case that is a matter of yes and no.
func (t *trial) true(ok bool, format string, args ...any) {
	t.cases++
	if !ok {
		t.fail(format, args...)
	}
}

// differs takes note of a counterexample: gap would be 0 if the claim held without its condition. The ledger shows the
// case with the largest gap, which must be least or more.
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

// must is for what cannot fail on the claims' own cases.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// gap is the largest |a - b| over the largest |b|.
func gap(a, b []float64) float64 {
	abs, top := distance(a, b)
	return abs / max(top, math.SmallestNonzeroFloat64)
}

// between draws a whole number.
func (t *trial) between(least, most int) int { return least + t.rng.IntN(most-least+1) }

// normal draws n numbers.
func (t *trial) normal(n int) []float64 { return normal[float64](t.rng, n, 1) }

// conv draws a convolution.
func (t *trial) conv(g Geometry, in, out int) *Conv[float64] {
	c := &Conv[float64]{Geometry: g, In: in, Out: out}
	c.Random(t.rng)
	return c
}

// square is a geometry of two axes that keeps the image's size.
func square(k int, border Border) Geometry {
	g := Geometry{Kernel: []int{k, k}, Border: border}
	g.Before, g.After = Same(g.Kernel, nil)
	return g
}
