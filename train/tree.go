package train

import "github.com/attnconv/attnconv/internal/kernel/vec"

// A sum over shards is taken in the order of one binary tree, whoever has which shards: its root is all shards, and a
// node of two or more has the largest power of two below its length in its left child, the rest in its right one. Five
// shards are
//
//	((0+1)+(2+3))+4
//
// A rank adds up the largest subtrees that lie within its own shards, and what remains is added from these.

// A span is the shards [lo, hi): a node of the tree, or what a rank has.
type span struct{ lo, hi int }

// children returns the two children of a node of more than one shard.
func (s span) children() (left, right span) {
	half := 1
	for 2*half < s.hi-s.lo {
		half *= 2
	}
	return span{s.lo, s.lo + half}, span{s.lo + half, s.hi}
}

// within returns the largest nodes below s, itself included, whose shards are all in part, from left to right.
func (s span) within(part span) []span {
	switch {
	case s.hi <= part.lo || part.hi <= s.lo:
		return nil
	case part.lo <= s.lo && s.hi <= part.hi:
		return []span{s}
	}
	left, right := s.children()
	return append(left.within(part), right.within(part)...)
}

// rankSpan returns the shards of a rank: as many for each, in the order of the ranks.
func rankSpan(shards, rank, ranks int) span {
	each := shards / ranks
	return span{rank * each, (rank + 1) * each}
}

// sum adds up the known nodes below s, in the order of the tree. It overwrites some of them, and returns one.
func (s span) sum(known map[span][]float32) []float32 {
	if x, ok := known[s]; ok {
		return x
	}
	left, right := s.children()
	x := left.sum(known)
	vec.Axpy(1, right.sum(known), x)
	return x
}

// A treeSum adds up vectors of the ranks of a group, one for each of a rank's nodes: each rank sums a part of the
// elements, and they exchange the results. The elements that a rank sums do not matter: every one is summed in the
// order of the tree.
type treeSum struct {
	group      Group
	root       span
	nodes      [][]span // of each rank
	most       int      // of a rank
	send, recv []float32
	own, all   []float32
}

// chunkFloats is how many elements of a vector the ranks exchange at a time, about: more would not stay in a cache.
const chunkFloats = 1 << 20

func newTreeSum(g Group, shards int) *treeSum {
	t := &treeSum{group: g, root: span{0, shards}}
	for rank := range g.Size() {
		nodes := t.root.within(rankSpan(shards, rank, g.Size()))
		t.nodes, t.most = append(t.nodes, nodes), max(t.most, len(nodes))
	}
	return t
}

// total sets x[0] to the sum of all ranks' vectors. x has this rank's, one for each of its nodes.
func (t *treeSum) total(x [][]float32) error {
	n := len(x[0])
	ranks := t.group.Size()
	each := (min(n, chunkFloats) + ranks - 1) / ranks // elements that a rank sums at a time
	if len(t.own) != each {
		t.own, t.all = make([]float32, each), make([]float32, ranks*each)
		t.send, t.recv = make([]float32, ranks*t.most*each), make([]float32, ranks*t.most*each)
	}
	for lo := 0; lo < n; lo += ranks * each {
		hi := min(n, lo+ranks*each)
		for to := range ranks {
			for i, v := range x {
				from := min(hi, lo+to*each)
				copy(t.send[(to*t.most+i)*each:][:each], v[from:min(hi, from+each)])
			}
		}
		if err := t.group.Exchange(t.recv, t.send); err != nil {
			return err
		}
		known := map[span][]float32{}
		for rank, nodes := range t.nodes {
			for i, s := range nodes {
				known[s] = t.recv[(rank*t.most+i)*each:][:each]
			}
		}
		copy(t.own, t.root.sum(known))
		if err := t.group.Gather(t.all, t.own); err != nil {
			return err
		}
		copy(x[0][lo:hi], t.all)
	}
	return nil
}
