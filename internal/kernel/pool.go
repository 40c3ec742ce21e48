package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// threads is the most goroutines that Parallel uses; 0 is one for each processor that Go may use.
var threads atomic.Int64

// SetThreads makes n the most goroutines that work at once; n < 1 is one for each processor that Go may use, the
// default. No result depends on it.
func SetThreads(n int) { threads.Store(int64(max(n, 0))) }

// Threads returns the most goroutines that work at once.
func Threads() int {
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Parallel calls f once for every i in [0, n), on up to Threads goroutines, and returns when all calls have returned.
// A panic in f is raised again here, with its value; calls that had not begun by then may be left out.
// f must not call Parallel, nor what is built on it: inside f, work on one goroutine.
func Parallel(n int, f func(i int)) {
	workers := min(Threads(), n)
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	c := crews.Get().(*crew)
	c.f, c.n = f, int64(n)
	c.next.Store(0)
	c.state.Store(0)
	call(c, workers-1)
	c.work()
	c.close()
	p := c.panicked.Swap(nil)
	c.f = nil
	crews.Put(c)
	if p != nil {
		panic(p.value)
	}
}

var crews = sync.Pool{New: func() any { return &crew{done: make(chan struct{}, 1)} }}

// Blocks calls f in parallel for every block [lo, hi) of [0, n): blocks of size numbers, the last one shorter. The
// split depends on n and size alone, so a sum taken block by block, in order, never depends on the threads.
func Blocks(n, size int, f func(lo, hi int)) {
	if 0 < n && n <= size {
		f(0, n)
		return
	}
	Parallel((n+size-1)/size, func(i int) { f(i*size, min(n, (i+1)*size)) })
}

// A crew is the goroutines at work on one call of Parallel. A step has hundreds of calls, so its helpers stay, and look
// out for the next one for a moment before they sleep: waking a thread takes longer than many a call.
type crew struct {
	f        func(i int)
	n        int64
	next     atomic.Int64
	state    atomic.Int64 // helpers at work, less closed once the crew takes no more
	done     chan struct{}
	panicked atomic.Pointer[panicValue]
}

type panicValue struct{ value any }

const (
	closed  = 1 << 32
	lookout = 10_000 // looks at a channel before sleeping: some 50 µs
)

// calls has the crews that want helpers, once for each; helpers counts the goroutines that answer.
var (
	calls   = make(chan *crew, 256)
	helpers atomic.Int64
)

// call asks for n helpers. Those that come late find nothing to do.
func call(c *crew, n int) {
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
		case calls <- c:
		default: // all helpers are busy for a while
			return
		}
	}
}

func receive[T any](from chan T) T {
	for range lookout {
		select {
		case v := <-from:
			return v
		default:
		}
	}
	return <-from
}

// assist works for c, unless it is closed. c may have been closed and opened for another call since it called.
func (c *crew) assist() {
	for {
		s := c.state.Load()
		if s < 0 {
			return
		}
		if c.state.CompareAndSwap(s, s+1) {
			break
		}
	}
	c.work()
	if c.state.Add(-1) == -closed {
		c.done <- struct{}{}
	}
}

// close waits for the helpers that have come, and lets no more in.
func (c *crew) close() {
	if c.state.Add(-closed) != -closed {
		receive(c.done)
	}
}

// work takes numbers until none is left or f panics, and keeps the first panic for the caller.
func (c *crew) work() {
	defer func() {
		if v := recover(); v != nil {
			c.panicked.CompareAndSwap(nil, &panicValue{v})
			c.next.Store(c.n)
		}
	}()
	for i := c.next.Add(1) - 1; i < c.n; i = c.next.Add(1) - 1 {
		c.f(int(i))
	}
}
