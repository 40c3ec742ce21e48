package theorem

import (
	"context"
	"runtime"
	"sync"
)

// each calls f for 0 to n-1, several at a time, until ctx is done; then it returns why.
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

// first is the first error there is.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
