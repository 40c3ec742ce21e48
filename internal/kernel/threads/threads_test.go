package threads

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// onThreads runs f with each number of threads, and puts the number back.
func onThreads(t *testing.T, counts []int, f func(t *testing.T, threads int)) {
	before := limit.Load()
	defer limit.Store(before)
	for _, n := range counts {
		SetLimit(n)
		f(t, n)
	}
}

func TestParallelCallsEachOnce(t *testing.T) {
	onThreads(t, []int{1, 2, 4, 7}, func(t *testing.T, threads int) {
		for _, n := range []int{0, 1, 2, 3, 7, 8, 1000} {
			calls := make([]atomic.Int32, n)
			Parallel(n, func(i int) { calls[i].Add(1) })
			for i := range calls {
				if got := calls[i].Load(); got != 1 {
					t.Errorf("%d threads, n=%d: %d was called %d times", threads, n, i, got)
				}
			}
		}
	})
}

func TestParallelRaisesThePanicAgain(t *testing.T) {
	want := errors.New("stop")
	onThreads(t, []int{1, 4}, func(t *testing.T, threads int) {
		var running atomic.Int32
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%d threads: panicked with %v, want %v", threads, got, want)
				}
				if n := running.Load(); n != 0 {
					t.Errorf("%d threads: %d calls still running after the panic", threads, n)
				}
			}()
			Parallel(100, func(i int) {
				running.Add(1)
				defer running.Add(-1)
				if i == 17 {
					panic(want)
				}
			})
		}()
	})
}

func TestBlocksSplitByShapeAlone(t *testing.T) {
	for _, tt := range []struct {
		n, size int
		want    string
	}{
		{0, 4, "[]"},
		{1, 4, "[[0 1]]"},
		{4, 4, "[[0 4]]"},
		{9, 4, "[[0 4] [4 8] [8 9]]"},
	} {
		onThreads(t, []int{1, 2, 4, 7}, func(t *testing.T, threads int) {
			var mu sync.Mutex
			got := [][2]int{}
			Blocks(tt.n, tt.size, func(lo, hi int) {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, [2]int{lo, hi})
			})
			slices.SortFunc(got, func(a, b [2]int) int { return a[0] - b[0] })
			if fmt.Sprint(got) != tt.want {
				t.Errorf("%d threads: Blocks(%d, %d) = %v, want %s", threads, tt.n, tt.size, got, tt.want)
			}
		})
	}
}

func TestSetLimit(t *testing.T) {
	defer SetLimit(int(limit.Load()))
	if SetLimit(3); Limit() != 3 {
		t.Errorf("Limit() = %d after SetLimit(3)", Limit())
	}
	if SetLimit(0); Limit() < 1 {
		t.Errorf("Limit() = %d after SetLimit(0), want the processors", Limit())
	}
}

// BenchmarkParallel is what one call costs when there is next to nothing to do.
func BenchmarkParallel(b *testing.B) {
	for _, n := range []int{1, 4, 64} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parallel(n, func(int) {})
			}
		})
	}
}
