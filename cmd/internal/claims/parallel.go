package claims

import (
	"context"
	"runtime"
	"sync"
)

// each calls f(0), …, f(n-1) in parallel until ctx is done, and returns the cause if it is.
func each(ctx context.Context, n int, f func(i int)) error {
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				if ctx.Err() == nil {
					f(i)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// first returns the first error that is not nil.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
