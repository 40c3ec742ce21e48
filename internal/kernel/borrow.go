package kernel

import (
	"math/bits"
	"sync"
)

// Borrow lends scratch memory for n numbers until GiveBack, so that it is not made anew for every use. What it holds is
// anybody's. There is one shelf for each power of two: a small buffer never stands where a large one is wanted.
func Borrow(n int) *[]float32 {
	class := bits.Len(uint(max(n, 1) - 1))
	var b *[]float32
	if class < large {
		b, _ = small[class].Get().(*[]float32)
	} else {
		b = shelves[class].take()
	}
	if b == nil {
		s := make([]float32, 1<<class)
		b = &s
	}
	*b = (*b)[:n]
	return b
}

// GiveBack ends the loan of b.
func GiveBack(b *[]float32) {
	if class := bits.Len(uint(cap(*b) - 1)); class < large {
		small[class].Put(b)
	} else {
		shelves[class].put(b)
	}
}

// Small buffers come and go with every tile, from pools without locks; those that the garbage collector throws away are
// cheap. Large ones are never thrown away: there are no more than were ever lent at once.
const large = 15

var (
	small   [large]sync.Pool
	shelves [bits.UintSize]shelf
)

type shelf struct {
	sync.Mutex
	free []*[]float32
}

func (s *shelf) take() *[]float32 {
	s.Lock()
	defer s.Unlock()
	k := len(s.free) - 1
	if k < 0 {
		return nil
	}
	b := s.free[k]
	s.free = s.free[:k]
	return b
}

func (s *shelf) put(b *[]float32) {
	s.Lock()
	defer s.Unlock()
	s.free = append(s.free, b)
}
