package kernel

// vecSet is the part of a Set that works on rows of numbers, each on one goroutine. Slices of one call are as long as
// the first.
type vecSet struct {
	add      func(y, x []float32)                         // y += x
	addRow   func(y, x, b []float32)                      // y = x + b
	axpy     func(a float32, x, y []float32)              // y += a·x
	scale    func(a float32, x []float32)                 // x *= a
	dot      func(x, y []float32) float32                 // Σ x·y
	squares  func(x []float32) float32                    // Σ x²
	exp      func(y, x []float32, shift float32) float32  // y = exp(x - shift), returns Σ y
	gelu     func(y, x, b []float32)                      // y = g(x + b)
	geluGrad func(dx, dy, x, b []float32)                 // dx = dy·g'(x + b)
	mask     func(mask []float32, d *Dropout, row uint32) // see Dropout.Row
	norm     func(out, x, y, mask, gamma, beta []float32) (mean, rstd float32)
	normGrad func(dx, dgamma, dbeta, dout, x, y, mask, gamma []float32, mean, rstd float32)
	sgd      func(w, v, g []float32, lr, momentum, decay float32)
	adamW    func(w, m, v, g []float32, c *adamConst)
}

var vecGeneric = vecSet{
	add: addGeneric, addRow: addRowGeneric, axpy: axpyGeneric, scale: scaleGeneric, dot: dotGeneric,
	squares: squaresGeneric, exp: expGeneric, gelu: geluGeneric, geluGrad: geluGradGeneric, mask: maskGeneric,
	norm: normGeneric, normGrad: normGradGeneric, sgd: sgdGeneric, adamW: adamWGeneric,
}
