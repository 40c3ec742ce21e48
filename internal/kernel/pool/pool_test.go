package pool

import "testing"

// A buffer comes back to whoever asks for as much, small or large, and never to one who asks for more than it holds.
func TestGetReusesBuffersOfItsClass(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 1000, 1 << 14, 1<<14 + 1, 1 << 16, 1<<16 + 1} {
		b := Get(n)
		if len(*b) != n {
			t.Fatalf("Get(%d) has %d floats", n, len(*b))
		}
		Put(b)
		if more := Get(2*n + 1); len(*more) != 2*n+1 {
			t.Errorf("Get(%d) after Put of %d has %d floats", 2*n+1, n, len(*more))
		}
		if n > 1<<14 { // large buffers are never freed
			if again := Get(n); again != b {
				t.Errorf("Get(%d) made a new buffer although one of its class is free", n)
			}
		}
	}
}
