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
	c.wait.Add(workers - 1)
	for range workers - 1 {
		c.call()
	}
	c.work()
	c.wait.Wait()
	p := c.panicked.Swap(nil)
	c.f = nil
	crews.Put(c)
	if p != nil {
		panic(p.value)
	}
}

var crews = sync.Pool{New: func() any { return new(crew) }}

// Blocks calls f in parallel for every block [lo, hi) of [0, n): blocks of size numbers, the last one shorter. The
// split depends on n and size alone, so a sum taken block by block, in order, never depends on the threads.
func Blocks(n, size int, f func(lo, hi int)) {
	if 0 < n && n <= size {
		f(0, n)
		return
	}
	Parallel((n+size-1)/size, func(i int) { f(i*size, min(n, (i+1)*size)) })
}

// A crew is the goroutines at work on one call of Parallel.
type crew struct {
	f        func(i int)
	n        int64
	next     atomic.Int64
	panicked atomic.Pointer[panicValue]
	wait     sync.WaitGroup
}

type panicValue struct{ value any }

// call sends c one more goroutine: one that waits for work, or else a new one. A step has hundreds of calls of Parallel,
// and a new goroutine is garbage.
func (c *crew) call() {
	select {
	case waiting <- c:
	default:
		go help(c)
	}
}

// waiting hands a crew to a goroutine that waits for one; helpers counts those.
var (
	waiting = make(chan *crew)
	helpers atomic.Int64
)

// help works on c and then on what comes, unless enough others do.
func help(c *crew) {
	c.assist()
	if helpers.Add(1) > 4*int64(runtime.GOMAXPROCS(0)) {
		helpers.Add(-1)
		return
	}
	for c := range waiting {
		c.assist()
	}
}

func (c *crew) assist() {
	defer c.wait.Done()
	c.work()
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
