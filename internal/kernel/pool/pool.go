// Package pool keeps pools of float32 buffers, so that scratch memory is not allocated for every use.
package pool

import (
	"math/bits"
	"sync"
)

// Get returns a buffer of n floats, with any content, that is the caller's until Put. There is a pool for each power of
// two: a small buffer never takes the place of a large one.
func Get(n int) *[]float32 {
	class := bits.Len(uint(max(n, 1) - 1))
	var b *[]float32
	if class < large {
		b, _ = small[class].Get().(*[]float32)
	} else {
		b = pools[class].get()
	}
	if b == nil {
		s := make([]float32, 1<<class)
		b = &s
	}
	*b = (*b)[:n]
	return b
}

// Put returns b to its pool. The caller must not use it any more.
func Put(b *[]float32) {
	if class := bits.Len(uint(cap(*b) - 1)); class < large {
		small[class].Put(b)
	} else {
		pools[class].put(b)
	}
}

// large is the first class whose buffers are never freed: there are no more of them than were ever in use at once.
// Smaller ones come and go with every tile, so they have pools without locks, which the garbage collector may empty.
const large = 15

var (
	small [large]sync.Pool
	pools [bits.UintSize]pool
)

type pool struct {
	sync.Mutex
	free []*[]float32
}

func (p *pool) get() *[]float32 {
	p.Lock()
	defer p.Unlock()
	k := len(p.free) - 1
	if k < 0 {
		return nil
	}
	b := p.free[k]
	p.free = p.free[:k]
	return b
}

func (p *pool) put(b *[]float32) {
	p.Lock()
	defer p.Unlock()
	p.free = append(p.free, b)
}
