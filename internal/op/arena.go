package op

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/memory"
)

// An Arena is the memory of one graph: a slab in which the place of a result is free for others once its last
// reader has run.
type Arena struct {
	order    []*turn // as gorgonia runs them; in a mixed graph nobody knows
	mixed    bool    // operations of gorgonia's own are among them
	rehearse bool    // nothing is computed; the order is noted
	check    bool
	bad      string // while checking, the first operation whose result is not finite
	version  int    // of the parameters
	floats   int
	bind     func(slab []float32) // gives every turn its memory; nil once that is done
	watch    func(op string)      // is told of every operation that has run; may be nil
}

// A turn is one operation's turn in a run: what it fills and reads, and what it needs only while it works.
type turn struct {
	fills   []*result
	reads   []*result
	wants   []Scratch
	scratch [][]float32 // the memory for them
	inPlace int         // which of fills may be laid over dy, where dy ends; -1 for none
	dy      *result     // what a backward starts from; may be nil
	stable  bool        // it reads only parameters, in a graph that does not move them
}

// Plan finds what was emitted its places in memory. run must run the graph once: as a rehearsal, in which nothing is
// computed. Results of keep and those that nobody reads stay until the next run; all others give way, and Value refuses
// them. What depends only on params stays from run to run in a graph that does not move them.
//
// Where gorgonia's own operations stand among ours, results share no memory, and all stay: when those operations run,
// nobody here knows.
func (g *Graph) Plan(params, keep []*Node, run func() error) (*Arena, error) {
	a := &Arena{version: 1}
	nodes := g.expr.AllNodes()
	a.mixed = slices.ContainsFunc(nodes, foreign)
	trained := slices.ContainsFunc(nodes, func(n *G.Node) bool { _, ok := n.Op().(*backward); return ok })
	fixed := map[*G.Node]bool{}
	for _, p := range params {
		fixed[p.at] = !trained && !a.mixed
	}
	kept := map[*G.Node]bool{}
	for _, n := range keep {
		kept[n.at] = true
	}
	for _, n := range nodes {
		a.take(n, kept[n], onlyFixed(n, fixed))
	}
	if a.rehearse = !a.mixed; a.rehearse {
		if err := run(); err != nil {
			return nil, fmt.Errorf("rehearsal: %w", err)
		}
		a.rehearse = false
	}
	a.place()
	return a, nil
}

// take makes n's operation work in a, if it is ours. keep says that its result stays until the next run, stable from
// run to run.
func (a *Arena) take(n *G.Node, keep, stable bool) {
	if h := holder(n); h != nil {
		h.arena, h.kept = a, keep || stable || a.mixed
	}
	var t *turn
	switch o := n.Op().(type) {
	case *forward:
		t = &turn{fills: []*result{&o.result}, reads: readBy(n), wants: o.Scratch, inPlace: -1, stable: stable}
		o.turn = t
	case *backward:
		t = &turn{reads: readBy(n), wants: o.scratch, inPlace: -1, dy: holder(o.dOut)}
		o.arena, o.turn = a, t
		for i, v := range o.grads {
			if v == nil {
				continue
			}
			if o.f.InPlace && i == 0 {
				t.inPlace = len(t.fills)
			}
			t.fills = append(t.fills, &v.result)
		}
	}
	if a.mixed && t != nil { // in whatever order
		a.order = append(a.order, t)
	}
}

// foreign reports whether n is an operation of gorgonia's own that reads something.
func foreign(n *G.Node) bool {
	switch o := n.Op().(type) {
	case nil, *forward, *backward, *view:
		return false
	default:
		return o.Arity() > 0 || len(children(n)) > 0
	}
}

// ParametersMoved says that what depends only on parameters has to be recomputed.
func (a *Arena) ParametersMoved() { a.version++ }

// Bytes returns the size of the slab.
func (a *Arena) Bytes() int { return 4 * a.floats }

// FirstBad names the first operation whose result is not finite when run runs the graph once more, or "".
func (a *Arena) FirstBad(run func() error) (string, error) {
	a.ParametersMoved()
	a.check, a.bad = true, ""
	defer func() { a.check = false }()
	err := run()
	return a.bad, err
}

// Watch makes f hear of every operation when it has run, by its label; a backward's begins with "d ".
func (a *Arena) Watch(f func(op string)) { a.watch = f }

// done watches what op has filled in its turn.
func (a *Arena) done(t *turn, op string) {
	if a.watch != nil {
		a.watch(op)
	}
	for _, r := range t.fills {
		if a.check && a.bad == "" && !vec.Finite(r.buf) {
			a.bad = r.label
		}
	}
}

// holder returns the part of n's operation that holds its result, or nil.
func holder(n *G.Node) *result {
	switch o := n.Op().(type) {
	case *forward:
		return &o.result
	case *view:
		return &o.result
	}
	return nil
}

func children(n *G.Node) (all []*G.Node) {
	for c := n.Graph().From(n.ID()); c.Next(); {
		all = append(all, c.Node().(*G.Node))
	}
	return all
}

func readBy(n *G.Node) (all []*result) {
	for _, c := range children(n) {
		if o := holder(c); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// onlyFixed reports whether n is one of ours that reads nothing but leaves that are fixed, and what is made of them.
// fixed remembers.
func onlyFixed(n *G.Node, fixed map[*G.Node]bool) bool {
	if is, known := fixed[n]; known {
		return is
	}
	_, ours := n.Op().(*forward)
	is := ours && !slices.ContainsFunc(children(n), func(c *G.Node) bool { return !onlyFixed(c, fixed) })
	fixed[n] = is
	return is
}

// An interval is how long a result, or scratch, is live: from turn first to turn last, both included.
type interval struct {
	first, last int
	floats, at  int
}

// place finds for every result and all scratch a place in the slab that nothing else needs at the same time.
func (a *Arena) place() {
	last := map[*result]int{}
	for i, t := range a.order {
		for _, r := range t.reads {
			last[r] = i
		}
	}
	var all []*interval
	add := func(s interval) *interval {
		all = append(all, &s)
		return &s
	}
	lives := map[*result]*interval{}
	scratch := make([][]*interval, len(a.order))
	for i, t := range a.order {
		for k, r := range t.fills {
			end, read := last[r]
			if r.kept = r.kept || !read; r.kept {
				end = len(a.order)
			}
			switch {
			case t.stable: // it stays from run to run, so nothing may lie there even before
				lives[r] = add(interval{0, end, r.size(), 0})
			case a.mixed:
				lives[r] = add(interval{0, len(a.order), r.size(), 0})
			case k == t.inPlace && t.dy != nil && !t.dy.kept && last[t.dy] == i:
				lives[r] = lives[t.dy]
				lives[r].last = end
			default:
				lives[r] = add(interval{i, end, r.size(), 0})
			}
		}
		for _, s := range t.wants {
			scratch[i] = append(scratch[i], add(interval{i, i, s.Floats, 0}))
		}
	}
	a.floats = layOut(all)
	a.bind = func(slab []float32) {
		for i, t := range a.order {
			for _, r := range t.fills {
				r.bind(slab[lives[r].at:][:r.size():r.size()])
			}
			for _, s := range scratch[i] {
				t.scratch = append(t.scratch, slab[s.at:][:s.floats:s.floats])
			}
		}
	}
}

// Open makes the slab, unless it is there: whoever runs the graph calls it first. Until then an arena costs nothing, so
// that one can ask how large it would be. The error is a *memory.TooLargeError.
func (a *Arena) Open() error {
	if a.bind == nil {
		return nil
	}
	slab, err := memory.Floats(a.floats)
	if err != nil {
		return err
	}
	a.bind(slab)
	a.bind = nil
	return nil
}

// layOut gives every interval its place and returns how many floats they take together. The largest come first, and
// each takes the lowest place where it meets no other of its time: small ones fit between large ones, never the other
// way round. Places are multiples of a cache line.
func layOut(all []*interval) (end int) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(s, t *interval) int { return t.floats - s.floats })
	var laid []*interval // by place
	for _, s := range all {
		s.at = 0
		for _, t := range laid {
			switch {
			case t.last < s.first || s.last < t.first:
			case s.at+wholeLines(s.floats) <= t.at:
			default:
				s.at = max(s.at, t.at+wholeLines(t.floats))
			}
		}
		i, _ := slices.BinarySearchFunc(laid, s.at, func(t *interval, at int) int { return t.at - at })
		laid = slices.Insert(laid, i, s)
		end = max(end, s.at+wholeLines(s.floats))
	}
	return end
}

// bindScratch gives an operation its scratch of turn t. Without an arena it has memory of its own.
func bindScratch(t *turn, wants []Scratch) {
	for k, s := range wants {
		switch {
		case t != nil:
			*s.At = t.scratch[k]
		case len(*s.At) != s.Floats:
			*s.At = make([]float32, s.Floats)
		}
	}
}

// wholeLines rounds n floats up to whole cache lines.
func wholeLines(n int) int { return (n + 15) / 16 * 16 }
