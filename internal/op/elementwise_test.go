package op

import (
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// Results and gradients have the same bytes on any number of threads, of more elements than a task has.
func TestAlgebraOnThreads(t *testing.T) {
	defer threads.SetLimit(0)
	for _, c := range []Case{
		{MapOp{Exp}, []Shape{{3, mapBlock}}}, {MapOp{Log}, []Shape{{3*mapBlock + 7}}},
		{MapOp{Sqrt}, []Shape{{2*mapBlock - 1}}},
		{BroadcastOp{Times}, []Shape{{3, mapBlock}, {3, 1}}}, {BroadcastOp{Over}, []Shape{{mapBlock}, {3, mapBlock}}},
		{SumOp{0}, []Shape{{5, mapBlock}}},
	} {
		threads.SetLimit(1)
		want := resultsOf(t, c)
		for _, n := range []int{2, 4} {
			threads.SetLimit(n)
			for i, got := range resultsOf(t, c) {
				if !slices.Equal(got, want[i]) {
					t.Errorf("%v on %d threads: result %d (gradients from 1 on) differs", c.Op, n, i)
				}
			}
		}
	}
}
