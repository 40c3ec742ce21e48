package op

import "github.com/attnconv/attnconv/internal/op"

// SpaceToDepth turns each s × s square of pixels into one token, without loss:
//
//	y[b, I·(cols/s)+J, (dh·s+dw)·ch + c] = x[b, s·I+dh, s·J+dw, c],  0 ≤ dh, dw < s
//
// x (batch, rows, cols, ch), with rows and cols divisible by s -> y (batch, rows/s · cols/s, s²·ch)
func SpaceToDepth(x *Node, s int) *Node { return op.Apply(op.SpaceToDepthOp{Size: s}, x) }

// Pad puts zeros below images and to their right, so that they have the given numbers of rows and columns. In
// normalized images zero is the mean color.
//
// x (batch, r, s, ch), r ≤ rows, s ≤ cols -> y (batch, rows, cols, ch)
func Pad(x *Node, rows, cols int) *Node { return op.Apply(op.PadOp{Rows: rows, Cols: cols}, x) }

// PadChannels adds channels of zeros, half of them before those of x, p = ⌊(channels-d)/2⌋, and half behind them:
//
//	y[b, i, j, c] = x[b, i, j, c-p],  p ≤ c < p+d,  else 0
//
// x (batch, rows, cols, d) -> y (batch, rows, cols, channels)
func PadChannels(x *Node, channels int) *Node {
	return op.Apply(op.PadOp{Rows: x.Shape()[1], Cols: x.Shape()[2], Channels: channels}, x)
}

// AsGrid gives tokens their rows and columns back.
//
// x (batch, rows·cols, d) -> y (batch, rows, cols, d)
func AsGrid(x *Node, rows, cols int) *Node { return op.Apply(op.AsGridOp{Rows: rows, Cols: cols}, x) }

// Reshape gives the elements of x, in their order, other extents, of which there are at most 6. The Field of what reads
// it is told as if no position had moved.
//
// x (…) -> y (shape…), as many elements
func Reshape(x *Node, shape ...int) *Node {
	o := op.ReshapeOp{Dims: len(shape)}
	copy(o.To[:], shape)
	return op.Apply(o, x)
}

// AsTokens lists tokens row by row.
//
// x (batch, rows, cols, d) -> y (batch, rows·cols, d)
func AsTokens(x *Node) *Node { return op.Apply(op.AsTokensOp{}, x) }

// MaxPool returns the largest of each rows × cols pixels, channel by channel; what does not fill such a window is left
// out. Of equal ones the gradient goes to the first.
//
//	y[b, i, j, c] = max x[b, rows·i+u, cols·j+v, c],  0 ≤ u < rows, 0 ≤ v < cols
//
// x (batch, R, C, ch) -> y (batch, ⌊R/rows⌋, ⌊C/cols⌋, ch), for images of rows × cols pixels or more
func MaxPool(x *Node, rows, cols int) *Node { return op.Apply(op.MaxPoolOp{Rows: rows, Cols: cols}, x) }

// MaxPoolAround returns the largest of size × size pixels, size odd, around every step-th pixel, channel by channel;
// pixels outside of the image do not count. Of equal ones the gradient goes to the first.
//
//	y[b, i, j, c] = max x[b, step·i+u-p, step·j+v-p, c],  0 ≤ u, v < size,  p = (size-1)/2
//
// x (batch, R, C, ch) -> y (batch, ⌈R/step⌉, ⌈C/step⌉, ch)
func MaxPoolAround(x *Node, size, step int) *Node {
	return op.Apply(op.MaxPoolAroundOp{Size: size, Step: step}, x)
}

// MeanTokens returns the mean of the tokens or pixels of each image.
//
// x (batch, …, d) -> y (batch, d)
func MeanTokens(x *Node) *Node { return op.Apply(op.MeanTokensOp{}, x) }

// A ConvShape is how a convolution goes over images.
type ConvShape struct {
	Stride    int  // pixels from one result to the next, along each axis: 1 or more
	Dilation  int  // d, pixels from one tap to the next; 0: 1
	Replicate bool // the edge of an image is repeated around it; else there are zeros
	Valid     bool // patches inside the image alone, without Replicate and Dilation: there is nothing around it
}

// Conv returns the convolution of images, channels last, + b unless b is nil:
//
//	y[n, i, j, o] = Σ_{u,v,c} W[o, c, u, v]·x[n, s·i+d(u-p), s·j+d(v-p), c] + b[o],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// x (batch, rows, cols, in), W (out, in, k, k), b (out) -> y (batch, ⌈rows/s⌉, ⌈cols/s⌉, out)
//
// Of a valid one, p = 0 and y (batch, ⌊(rows-k)/s⌋+1, ⌊(cols-k)/s⌋+1, out), for images of k × k pixels or more.
func Conv(x, w, b *Node, over ConvShape) *Node {
	shape := op.ConvShape{Stride: over.Stride, Dilation: over.Dilation, Replicate: over.Replicate,
		Valid: over.Valid}
	return op.Apply(op.ConvOp{ConvShape: shape}, op.NotNil(x, w, b)...)
}

// DepthConv returns the convolution of each channel by a filter of its own, + b unless b is nil. Around images there
// are zeros, or, with replicate, their edge again:
//
//	y[n, i, j, c] = Σ_{u,v} W[c, 0, u, v]·x[n, i+u-p, j+v-p, c] + b[c],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// x (batch, rows, cols, channels), W (channels, 1, k, k), b (channels) -> y like x
func DepthConv(x, w, b *Node, replicate bool) *Node {
	return op.Apply(op.DepthConvOp{Replicate: replicate}, op.NotNil(x, w, b)...)
}
