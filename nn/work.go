package nn

// A Worker is a network that counts its own work.
type Worker interface {
	// Work returns what an image's forward pass needs; train says whether dropout is on.
	Work(train bool) (Work, error)
}

// A Work is what the forward pass of one image needs, in multiply-adds: not what some program spends on it. What is
// computed again to save memory does not count, and maps that can be folded into one count as one. The backward pass
// needs twice as much: one product for each factor of each product.
type Work struct {
	Maps    float64 // linear maps
	Mixing  float64 // of tokens, by the weights of attention
	Dropped float64 // (query, key) pairs that dropout takes out again, the number that is expected
	Product [3]int  // the largest product (m, k) · (k, n) of one image; m grows with the batch
}

// Map counts a product (m, k) · (k, n).
func (w *Work) Map(m, k, n int) {
	w.Maps += float64(m) * float64(k) * float64(n)
	if p := w.Product; m*k*n > p[0]*p[1]*p[2] {
		w.Product = [3]int{m, k, n}
	}
}

// MACs is the whole of it.
func (w Work) MACs() float64 { return w.Maps + w.Mixing + w.Dropped }
