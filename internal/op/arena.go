package op

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/internal/kernel"
)

// An Arena is the memory of one graph: a slab in which the place of a result is used again once its last reader has
// run.
type Arena struct {
	order    []*work // as gorgonia runs them
	rehearse bool    // nothing is computed; the order is noted
	check    bool
	bad      string // while checking, the first operation whose result is not finite
	version  int    // of the parameters
	floats   int
	watch    func(op string) // is told of every operation that has run; may be nil
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

// Plan gives the operations of g their memory. run must run g once: as a rehearsal, in which nothing is computed.
// Results of keep and those that nobody reads stay until the next run; all others give way, and Value refuses them.
func Plan(g *G.ExprGraph, keep []*Node, run func() error) (*Arena, error) {
	a := &Arena{rehearse: true, version: 1}
	trained := slices.ContainsFunc(g.AllNodes(), func(n *Node) bool { _, ok := n.Op().(*backward); return ok })
	for _, n := range g.AllNodes() {
		if o := holder(n); o != nil {
			o.arena, o.kept = a, slices.Contains(keep, n)
		}
		switch o := n.Op().(type) {
		case *forward:
			o.work = &work{fills: []*node{&o.node}, reads: readBy(n), rooms: o.rooms, over: -1}
			o.work.stable = !trained && onlyParameters(n)
			o.kept = o.kept || o.work.stable
		case *backward:
			o.arena, o.work = a, &work{reads: readBy(n), rooms: o.f.backRooms, over: -1, dy: holder(o.dOut)}
			for i, v := range o.grads {
				if v == nil {
					continue
				}
				if o.f.over && i == 0 {
					o.work.over = len(o.work.fills)
				}
				o.work.fills = append(o.work.fills, &v.node)
			}
		}
	}
	if err := run(); err != nil {
		return nil, fmt.Errorf("op: rehearsal: %w", err)
	}
	a.rehearse = false
	a.place()
	return a, nil
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

func onlyParameters(n *Node) bool {
	return !slices.ContainsFunc(children(n), func(c *Node) bool {
		if _, ok := c.Op().(*forward); ok {
			return !onlyParameters(c)
		}
		return !c.IsVar() || isData(c)
	})
}

// place finds for every result and room the lowest place in the slab that is free for its lifetime.
func (a *Arena) place() {
	last := map[*node]int{}
	for i, w := range a.order {
		for _, n := range w.reads {
			last[n] = i
		}
	}
	var free layout
	at := map[*node]int{}
	for _, w := range a.order {
		if w.stable { // it stays from run to run, so nothing may lie there even before
			at[w.fills[0]] = free.take(w.fills[0].size())
		}
	}
	roomsAt := make([][]int, len(a.order))
	for i, w := range a.order {
		inherited := false
		for k, n := range w.fills {
			_, read := last[n]
			n.kept = n.kept || !read
			switch {
			case w.stable:
			case k == w.over && w.dy != nil && !w.dy.kept && last[w.dy] == i:
				at[n], inherited = at[w.dy], true
			default:
				at[n] = free.take(n.size())
			}
		}
		for _, r := range w.rooms {
			roomsAt[i] = append(roomsAt[i], free.take(r.floats))
		}
		for k, r := range w.rooms {
			free.give(roomsAt[i][k], r.floats)
		}
		for _, n := range w.reads {
			if last[n] == i && !n.kept && !(inherited && n == w.dy) {
				free.give(at[n], n.size())
			}
		}
	}
	a.floats = free.end
	slab := make([]float32, free.end)
	for i, w := range a.order {
		for _, n := range w.fills {
			n.hold(slab[at[n]:][:n.size():n.size()])
		}
		for k, r := range w.rooms {
			w.lent = append(w.lent, slab[roomsAt[i][k]:][:r.floats:r.floats])
		}
	}
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

// A layout knows which parts of [0, end) are free, in order and never touching.
type layout struct {
	end  int
	free []gap
}

type gap struct{ at, n int }

// take returns the lowest place of n numbers, and makes the layout longer if there is none. Places are multiples of a
// cache line.
func (l *layout) take(n int) int {
	n = lines(n)
	for i, g := range l.free {
		if g.n < n {
			continue
		}
		if l.free[i] = (gap{g.at + n, g.n - n}); g.n == n {
			l.free = slices.Delete(l.free, i, i+1)
		}
		return g.at
	}
	at := l.end
	if k := len(l.free) - 1; k >= 0 && l.free[k].at+l.free[k].n == l.end { // grow into the last gap
		at = l.free[k].at
		l.free = l.free[:k]
	}
	l.end = at + n
	return at
}

// give frees the n numbers from at on.
func (l *layout) give(at, n int) {
	if n = lines(n); n == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(l.free, at, func(g gap, at int) int { return g.at - at })
	l.free = slices.Insert(l.free, i, gap{at, n})
	for _, k := range []int{i, i - 1} { // join with the gap behind, then with the one before
		if k >= 0 && k+1 < len(l.free) && l.free[k].at+l.free[k].n == l.free[k+1].at {
			l.free[k].n += l.free[k+1].n
			l.free = slices.Delete(l.free, k+1, k+2)
		}
	}
}

func lines(n int) int { return (n + 15) / 16 * 16 }
