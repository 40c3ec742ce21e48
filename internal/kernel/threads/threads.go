// Package threads shares work out among goroutines: by the shape of the problem, never by how many goroutines there
// are, so that no result depends on them.
package threads

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Most catches typing errors in a number of threads: no machine has so many cores.
const Most = 1024

// limit is the most goroutines that Parallel uses; 0 is one for each processor that Go may use.
var limit atomic.Int64

// SetLimit makes n the most goroutines that work at once; n < 1 is one for each processor that Go may use, the
// default. No result depends on it.
func SetLimit(n int) { limit.Store(int64(max(n, 0))) }

// Limit returns the most goroutines that work at once.
func Limit() int {
	if n := int(limit.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Parallel calls f once for every i in [0, n), on up to Limit goroutines, and returns when all calls have returned.
// A panic in f is raised again here, with its value; calls that had not begun by then may be left out.
// f must not call Parallel, nor what is built on it: inside f, work on one goroutine.
func Parallel(n int, f func(i int)) {
	goroutines := min(Limit(), n)
	if goroutines <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	t := teams.Get().(*team)
	t.f, t.n = f, int64(n)
	t.next.Store(0)
	t.state.Store(0)
	call(t, goroutines-1)
	t.work()
	t.close()
	p := t.panicked.Swap(nil)
	t.f = nil
	teams.Put(t)
	if p != nil {
		panic(p.value)
	}
}

var teams = sync.Pool{New: func() any { return &team{done: make(chan struct{}, 1)} }}

// A team is the goroutines that work on one call of Parallel: the caller and its helpers. A training step has hundreds
// of calls, so helpers stay, and poll for the next call before they sleep: waking a thread takes longer than many a
// call.
type team struct {
	f        func(i int)
	n        int64
	next     atomic.Int64 // the next i
	state    atomic.Int64 // helpers at work, less closed once the team takes no more
	done     chan struct{}
	panicked atomic.Pointer[panicValue]
}

type panicValue struct{ value any }

const (
	closed = 1 << 32
	polls  = 40_000 // of a channel before sleeping: some 200 µs; to be woken takes 100
)

// calls has the teams that want helpers, once for each; helpers counts the goroutines that answer.
var (
	calls   = make(chan *team, 256)
	helpers atomic.Int64
)

// call asks for n helpers. Those that come late find nothing to do.
func call(t *team, n int) {
	for helpers.Load() < int64(n) {
		helpers.Add(1)
		go func() {
			for {
				receive(calls).assist()
			}
		}()
	}
	for range n {
		select {
		case calls <- t:
		default: // all helpers are busy for a while
			return
		}
	}
}

func receive[T any](from chan T) T {
	for range polls {
		select {
		case v := <-from:
			return v
		default:
		}
	}
	return <-from
}

// assist works for t, unless it is closed. t may have been closed and opened for another call since it called.
func (t *team) assist() {
	for {
		s := t.state.Load()
		if s < 0 {
			return
		}
		if t.state.CompareAndSwap(s, s+1) {
			break
		}
	}
	t.work()
	if t.state.Add(-1) == -closed {
		t.done <- struct{}{}
	}
}

// close waits for the helpers at work, and lets no more in.
func (t *team) close() {
	if t.state.Add(-closed) != -closed {
		receive(t.done)
	}
}

// work takes one i after the other until none is left or f panics, and keeps the first panic for the caller.
func (t *team) work() {
	defer func() {
		if v := recover(); v != nil {
			t.panicked.CompareAndSwap(nil, &panicValue{v})
			t.next.Store(t.n)
		}
	}()
	for i := t.next.Add(1) - 1; i < t.n; i = t.next.Add(1) - 1 {
		t.f(int(i))
	}
}
