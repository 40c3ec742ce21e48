package op

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/memory"
)

// An Arena is the memory of one graph: a slab in which the place of a result is used again once its last reader has
// run.
type Arena struct {
	order    []*work // as gorgonia runs them; in a mixed graph nobody knows
	mixed    bool    // operations of gorgonia's own are among them
	rehearse bool    // nothing is computed; the order is noted
	check    bool
	bad      string // while checking, the first operation whose result is not finite
	version  int    // of the parameters
	floats   int
	hand     func(slab []float32) // gives every work its places; nil once that is done
	watch    func(op string)      // is told of every operation that has run; may be nil
}

// A work is one operation's turn in a run: what it fills and reads, and what it needs only while it works.
type work struct {
	fills  []*node
	reads  []*node
	rooms  []room
	lent   [][]float32 // the rooms' memory
	over   int         // which of fills may be laid over dy, where dy ends; -1 for none
	dy     *node       // what a backward starts from; may be nil
	stable bool        // it reads parameters alone, in a graph that does not move them
}

// A room is scratch memory, which an operation has while it works.
type room struct {
	floats int
	at     *[]float32
}

// Plan finds the operations of g their places in memory. run must run g once: as a rehearsal, in which nothing is computed.
// Results of keep and those that nobody reads stay until the next run; all others give way, and Value refuses them. What
// depends on params alone stays from run to run in a graph that does not move them.
//
// Where gorgonia's own operations stand among ours, results share no memory: those operations read and overwrite what
// they are given at times that nobody here knows.
func Plan(g *G.ExprGraph, params, keep []*Node, run func() error) (*Arena, error) {
	a := &Arena{version: 1}
	nodes := g.AllNodes()
	a.mixed = slices.ContainsFunc(nodes, foreign)
	trained := slices.ContainsFunc(nodes, func(n *Node) bool { _, ok := n.Op().(*backward); return ok })
	fixed := map[*Node]bool{}
	for _, p := range params {
		fixed[p] = !trained && !a.mixed
	}
	for _, n := range nodes {
		a.take(n, slices.Contains(keep, n), onlyFixed(n, fixed))
	}
	if a.rehearse = !a.mixed; a.rehearse {
		if err := run(); err != nil {
			return nil, fmt.Errorf("op: rehearsal: %w", err)
		}
		a.rehearse = false
	}
	a.place()
	return a, nil
}

// take makes n's operation work in a, if it is ours. keep says that its result stays until the next run, stable from run
// to run.
func (a *Arena) take(n *Node, keep, stable bool) {
	if h := holder(n); h != nil {
		overwritten := readByForeign(n)
		h.arena, h.kept = a, keep || stable || a.mixed && !overwritten
		if keep && overwritten {
			h.lend()
		}
	}
	var w *work
	switch o := n.Op().(type) {
	case *forward:
		w = &work{fills: []*node{&o.node}, reads: readBy(n), rooms: o.rooms, over: -1, stable: stable}
		o.work = w
	case *backward:
		w = &work{reads: readBy(n), rooms: o.rooms, over: -1, dy: holder(o.dOut)}
		o.arena, o.work = a, w
		for i, v := range o.grads {
			if v == nil {
				continue
			}
			if o.f.over && i == 0 {
				w.over = len(w.fills)
			}
			w.fills = append(w.fills, &v.node)
		}
	}
	if a.mixed && w != nil { // in whatever order
		a.order = append(a.order, w)
	}
}

// foreign reports whether n is an operation of gorgonia's own that reads something.
func foreign(n *Node) bool {
	switch o := n.Op().(type) {
	case nil, *forward, *backward, *view:
		return false
	default:
		return o.Arity() > 0 || len(children(n)) > 0
	}
}

func readByForeign(n *Node) bool {
	for parents := n.Graph().To(n.ID()); parents.Next(); {
		if foreign(parents.Node().(*Node)) {
			return true
		}
	}
	return false
}

// ParametersMoved says that what depends on parameters alone has to be computed again.
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

// done looks at what w, the work of op, has filled.
func (a *Arena) done(w *work, op string) {
	if a.watch != nil {
		a.watch(op)
	}
	for _, n := range w.fills {
		if a.check && a.bad == "" && !kernel.Finite(n.buf) {
			a.bad = n.label
		}
	}
}

// holder returns the part of n's operation that holds its result, or nil.
func holder(n *Node) *node {
	switch o := n.Op().(type) {
	case *forward:
		return &o.node
	case *view:
		return &o.node
	}
	return nil
}

func children(n *Node) (all []*Node) {
	for c := n.Graph().From(n.ID()); c.Next(); {
		all = append(all, c.Node().(*Node))
	}
	return all
}

func readBy(n *Node) (all []*node) {
	for _, c := range children(n) {
		if o := holder(c); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// onlyFixed reports whether n is one of ours that reads nothing but leaves that are fixed, and what is made of them. fixed
// remembers.
func onlyFixed(n *Node, fixed map[*Node]bool) bool {
	if is, known := fixed[n]; known {
		return is
	}
	_, ours := n.Op().(*forward)
	is := ours && !slices.ContainsFunc(children(n), func(c *Node) bool { return !onlyFixed(c, fixed) })
	fixed[n] = is
	return is
}

// A stay is how long a result, or a room, needs its place in the slab: from turn first to turn last, both included.
type stay struct {
	first, last int
	floats, at  int
}

// place finds for every result and room a place in the slab that nothing else needs at the same time.
func (a *Arena) place() {
	last := map[*node]int{}
	for i, w := range a.order {
		for _, n := range w.reads {
			last[n] = i
		}
	}
	var all []*stay
	add := func(s stay) *stay {
		all = append(all, &s)
		return &s
	}
	stays := map[*node]*stay{}
	rooms := make([][]*stay, len(a.order))
	for i, w := range a.order {
		for k, n := range w.fills {
			end, read := last[n]
			if n.kept = n.kept || !read; n.kept {
				end = len(a.order)
			}
			switch {
			case w.stable: // it stays from run to run, so nothing may lie there even before
				stays[n] = add(stay{0, end, n.size(), 0})
			case a.mixed:
				stays[n] = add(stay{0, len(a.order), n.size(), 0})
			case k == w.over && w.dy != nil && !w.dy.kept && last[w.dy] == i:
				stays[n] = stays[w.dy]
				stays[n].last = end
			default:
				stays[n] = add(stay{i, end, n.size(), 0})
			}
		}
		for _, r := range w.rooms {
			rooms[i] = append(rooms[i], add(stay{i, i, r.floats, 0}))
		}
	}
	a.floats = settle(all)
	a.hand = func(slab []float32) {
		for i, w := range a.order {
			for _, n := range w.fills {
				n.hold(slab[stays[n].at:][:n.size():n.size()])
			}
			for _, s := range rooms[i] {
				w.lent = append(w.lent, slab[s.at:][:s.floats:s.floats])
			}
		}
	}
}

// Open makes the slab, unless it is there: whoever runs the graph calls it first. Until then an arena costs nothing, so
// that one can ask how large it would be. The error is a *memory.TooLarge.
func (a *Arena) Open() error {
	if a.hand == nil {
		return nil
	}
	slab, err := memory.Floats(a.floats)
	if err != nil {
		return err
	}
	a.hand(slab)
	a.hand = nil
	return nil
}

// settle gives every stay its place and returns how many numbers they take together. The largest come first, and each
// takes the lowest place where it meets no other of its time: small ones find room between large ones, never the other
// way round. Places are multiples of a cache line.
func settle(stays []*stay) (end int) {
	stays = slices.Clone(stays)
	slices.SortStableFunc(stays, func(s, t *stay) int { return t.floats - s.floats })
	var laid []*stay // by place
	for _, s := range stays {
		s.at = 0
		for _, t := range laid {
			switch {
			case t.last < s.first || s.last < t.first:
			case s.at+lines(s.floats) <= t.at:
			default:
				s.at = max(s.at, t.at+lines(t.floats))
			}
		}
		i, _ := slices.BinarySearchFunc(laid, s.at, func(t *stay, at int) int { return t.at - at })
		laid = slices.Insert(laid, i, s)
		end = max(end, s.at+lines(s.floats))
	}
	return end
}

// enter hands w its rooms. Without an arena each room has memory of its own.
func enter(w *work, rooms []room) {
	for k, r := range rooms {
		switch {
		case w != nil:
			*r.at = w.lent[k]
		case len(*r.at) != r.floats:
			*r.at = make([]float32, r.floats)
		}
	}
}

func lines(n int) int { return (n + 15) / 16 * 16 }
