package train

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/attnconv/attnconv/internal/mpi"
)

// Every number of ranks that divides the shards sums them up to the same bytes, which are those of the tree.
func TestTreeSum(t *testing.T) {
	for _, tt := range []struct{ shards, ranks, n int }{
		{1, 1, 3}, {2, 2, 5}, {4, 2, 1}, {6, 2, 7}, {6, 3, 7}, {6, 6, 7}, {10, 2, 3}, {10, 5, 3}, {12, 4, 100},
		{7, 7, 33}, {4, 4, chunkFloats + 6},
	} {
		random := rand.New(rand.NewPCG(1, uint64(tt.shards)))
		leaves, known := make([][]float32, tt.shards), map[span][]float32{}
		for i := range leaves {
			leaves[i] = make([]float32, tt.n)
			for j := range leaves[i] {
				leaves[i][j] = float32(random.NormFloat64())
			}
			known[span{i, i + 1}] = slices.Clone(leaves[i])
		}
		want := span{0, tt.shards}.sum(known)
		var running sync.WaitGroup
		for _, rank := range mpi.Local(tt.ranks) {
			running.Go(func() {
				s := newTreeSum(rank, tt.shards)
				var x [][]float32
				for _, node := range s.nodes[rank.Rank()] {
					known := map[span][]float32{}
					for i := node.lo; i < node.hi; i++ {
						known[span{i, i + 1}] = slices.Clone(leaves[i])
					}
					x = append(x, node.sum(known))
				}
				for range 2 { // buffers are used again
					again := [][]float32{slices.Clone(x[0])}
					if err := s.total(append(again, x[1:]...)); err != nil || !slices.Equal(again[0], want) {
						t.Errorf("%v, rank %d: %v, another sum than the tree's", tt, rank.Rank(), err)
					}
				}
			})
		}
		running.Wait()
	}
}

// The tree of five shards, and what two ranks of five of ten have of theirs.
func TestTree(t *testing.T) {
	five := span{0, 5}
	if left, right := five.children(); left != (span{0, 4}) || right != (span{4, 5}) {
		t.Errorf("children of five: %v and %v", left, right)
	}
	ten := span{0, 10}
	if got, want := ten.within(rankSpan(10, 1, 2)), []span{{5, 6}, {6, 8}, {8, 10}}; !slices.Equal(got, want) {
		t.Errorf("the second of two ranks sums %v, want %v", got, want)
	}
}
