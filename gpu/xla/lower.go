package xla

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// A lowering builds recorded operations as a graph of GoMLX. Some read more than their inputs: the step and the labels.
// Some have more than one result: correct and moments.
type lowering struct {
	graph   *graph.Graph
	step    *graph.Node // uint32 (2), the low half first: the number of the step, for dropout
	labels  *graph.Node // int32 (batch), for the loss; -1: the image is padding and does not count
	correct *graph.Node // float32 scalar, set by the loss: images whose largest logit is at their label
	half    bool        // factors of products are rounded to bfloat16

	nodes   map[*op.Node]*graph.Node
	moments map[*op.Moments]moments // set by batch norms
}

// moments are op.Moments as a graph of GoMLX.
type moments struct {
	rows           int
	mean, variance *graph.Node // (d)
}

// lowering returns a lowering of g, of which params holds the values of the parameters in the order of Used.
func (d Device) lowering(g *nn.Graph, params []*graph.Node) *lowering {
	l := newLowering(params[0].Graph())
	l.half = d.Half
	for i, p := range g.Used() {
		l.nodes[g.Use(p)] = params[i]
	}
	return l
}

func newLowering(g *graph.Graph) *lowering {
	return &lowering{graph: g, nodes: map[*op.Node]*graph.Node{}, moments: map[*op.Moments]moments{}}
}

// of returns n as a node of GoMLX. A leaf that nodes does not have is a constant. Panics with an *Unlowered if equation
// does not know an operation.
func (l *lowering) of(n *op.Node) *graph.Node {
	if v, ok := l.nodes[n]; ok {
		return v
	}
	var v *graph.Node
	if n.Op() != nil {
		var in []*graph.Node
		for _, c := range n.In() {
			in = append(in, l.of(c))
		}
		v = l.equation(n.Op(), in)
	} else if x := n.Elements(); x != nil {
		v = graph.Reshape(graph.Const(l.graph, x), n.Shape()...)
	}
	if v == nil {
		panic(&Unlowered{n.String()})
	}
	l.nodes[n] = v
	return v
}

// Unlowered is the error for something that runs on the CPU only.
type Unlowered struct{ What string }

func (u *Unlowered) Error() string {
	return fmt.Sprintf("%s: runs on the CPU only; internal/xla has no equation for it", u.What)
}

// equation returns the operation o of in: the forward pass, which GoMLX differentiates. It returns nil for an operation
// that only the CPU's rewrites make.
func (l *lowering) equation(o op.Op, in []*graph.Node) *graph.Node {
	switch o := o.(type) {
	case op.AddOp:
		return graph.Add(in[0], in[1])
	case op.AddToEachOp:
		return graph.Add(in[0], alike(in[1], in[0]))
	case op.AsGridOp:
		return graph.Reshape(in[0], dim(in[0], 0), o.Rows, o.Cols, dim(in[0], 2))
	case op.AsTokensOp:
		return graph.Reshape(in[0], dim(in[0], 0), dim(in[0], 1)*dim(in[0], 2), dim(in[0], 3))
	case op.AxisScoresOp:
		return axisScores(o, in[0], in[1])
	case op.BatchNormOp:
		return l.batchNorm(o, in)
	case op.ConvOp:
		return plus(l.conv(o.ConvShape, in[0], in[1]), in[2:])
	case op.DepthConvOp:
		return plus(depthConv(in[0], in[1], o.Replicate), in[2:])
	case op.BroadcastOp:
		return combine(o.Func, in[0], in[1])
	case op.MapOp:
		of := map[op.Func]func(x *graph.Node) *graph.Node{op.Exp: graph.Exp, op.Log: graph.Log, op.Sqrt: graph.Sqrt}
		return of[o.Func](in[0])
	case op.SumOp:
		return graph.ReduceSum(in[0], o.Axis)
	case op.CrossEntropyOp:
		return l.crossEntropy(o.Target.Smoothing, in[0])
	case op.FoldTableOp:
		return l.foldTable(o, in[0], in[1])
	case op.GELUOp: // x·½(1 + erf(x/√2))
		return graph.Mul(in[0], graph.MulScalar(graph.OnePlus(graph.Erf(graph.MulScalar(in[0], math.Sqrt2/2))), 0.5))
	case op.GeneralScoresOp:
		return generalScores(o, in[0], in[1])
	case op.LayerNormOp:
		return layerNorm(in[0], in[1], in[2])
	case op.LinearOp:
		return plus(l.matMul(in[0], in[1]), in[2:])
	case op.LinearTokensOp:
		b := graph.ExpandLeftToRank(graph.ExpandDims(in[2], -1), 3)
		y := l.product("btc,ot->boc", in[0], in[1])
		return graph.Add(y, graph.BroadcastToShape(b, y.Shape()))
	case op.MeanTokensOp:
		return graph.ReduceMean(graph.Reshape(in[0], dim(in[0], 0), -1, dim(in[0], -1)), 1)
	case op.MaxPoolOp:
		return maxPool(in[0], o.Rows, o.Cols)
	case op.MaxPoolAroundOp:
		return maxPoolAround(in[0], o.Size, o.Step)
	case op.MixContentOp:
		return l.mixContent(o, in)
	case op.MixHeadsOp:
		return l.mixHeads(o, in[0], in[1])
	case op.OuterOp:
		return outer(in[0], in[1])
	case op.ReLUOp:
		zero := graph.ZerosLike(in[0])
		return graph.Where(graph.LessOrEqual(in[0], zero), zero, in[0]) // NaN stays
	case op.RepeatOp:
		return graph.BroadcastPrefix(in[0], o.Batch, o.Tokens)
	case op.ReshapeOp:
		return graph.Reshape(in[0], o.To[:o.Dims]...)
	case op.ResidualNormOp:
		return layerNorm(graph.Add(in[0], l.masked(in[1], o.Drop)), in[2], in[3])
	case op.RunningNormOp:
		return runningNorm(in[0], in[1], in[2], in[3], in[4])
	case op.ScaleOp:
		return graph.MulScalar(in[0], float64(o.Factor))
	case op.ShiftScoresOp:
		return windows(graph.Reshape(in[0], o.Heads, 1, -1), 1, o.Tokens)
	case op.ShiftsOfOp:
		return l.shiftsOf(o, in[0], in[1])
	case op.SoftmaxOp:
		return graph.Softmax(in[0], -1)
	case op.PadOp:
		x := in[0]
		x = graph.GrowRight(graph.GrowRight(x, 1, o.Rows-dim(x, 1), 0), 2, o.Cols-dim(x, 2), 0)
		if more := o.Channels - dim(x, 3); more > 0 {
			x = graph.GrowRight(graph.GrowLeft(x, 3, more/2, 0), 3, more-more/2, 0)
		}
		return x
	case op.SpaceToDepthOp:
		return spaceToDepth(in[0], o.Size)
	}
	return nil
}

// dim returns the extent of x along an axis; -1 is the last.
func dim(x *graph.Node, axis int) int { return x.Shape().Dim(axis) }

// product returns a sum of products by an equation like "ij,kj->ik".
func (l *lowering) product(equation string, a, b *graph.Node) *graph.Node {
	return l.rounded(func(a, b *graph.Node) *graph.Node { return graph.Einsum(equation, a, b) }, a, b)
}

// rounded returns f(a, b), with both rounded to bfloat16 if half is set.
func (l *lowering) rounded(f func(a, b *graph.Node) *graph.Node, a, b *graph.Node) *graph.Node {
	if !l.half {
		return f(a, b)
	}
	half := func(x *graph.Node) *graph.Node { return graph.ConvertDType(x, dtypes.BFloat16) }
	return graph.ConvertDType(f(half(a), half(b)), dtypes.Float32)
}

// matMul returns x·Wᵀ.  x (…, in), W (out, in) -> (…, out)
func (l *lowering) matMul(x, w *graph.Node) *graph.Node {
	dims := slices.Clone(x.Shape().Dimensions)
	dims[len(dims)-1] = dim(w, 0)
	return graph.Reshape(l.product("ni,oi->no", graph.Reshape(x, -1, dim(w, 1)), w), dims...)
}

// plus returns y + b, the same for each row; y if there is no b.
func plus(y *graph.Node, b []*graph.Node) *graph.Node {
	if len(b) > 0 {
		y = graph.Add(y, alike(b[0], y))
	}
	return y
}

// alike repeats v, which has the last axes of x, to the shape of x.
func alike(v, x *graph.Node) *graph.Node {
	return graph.BroadcastToShape(graph.ExpandLeftToRank(v, x.Rank()), x.Shape())
}

// combine returns f of a and b, broadcast to a common shape.
func combine(f op.Combine, a, b *graph.Node) *graph.Node {
	rank := max(a.Rank(), b.Rank())
	a, b = graph.ExpandLeftToRank(a, rank), graph.ExpandLeftToRank(b, rank)
	dims := make([]int, rank)
	for i := range dims {
		dims[i] = max(dim(a, i), dim(b, i))
	}
	a, b = graph.BroadcastToDims(a, dims...), graph.BroadcastToDims(b, dims...)
	switch f {
	case op.Plus:
		return graph.Add(a, b)
	case op.Minus:
		return graph.Sub(a, b)
	case op.Times:
		return graph.Mul(a, b)
	case op.Over:
		return graph.Div(a, b)
	}
	return graph.Where(graph.LogicalOr(graph.GreaterOrEqual(a, b), graph.NotEqual(a, a)), a, b) // NaN stays
}

// positions returns 0, 1, 2, … along one axis.
func positions(g *graph.Graph, axis int, dims ...int) *graph.Node {
	return graph.Iota(g, shapes.Make(dtypes.Float32, dims...), axis)
}

// rsqrt returns 1/√(variance + eps).
func rsqrt(variance *graph.Node, eps float64) *graph.Node {
	return graph.Reciprocal(graph.Sqrt(graph.AddScalar(variance, eps)))
}

// layerNorm returns γ·(z - μ)/√(σ² + eps) + β, with μ and σ² over the last axis.
func layerNorm(z, gamma, beta *graph.Node) *graph.Node {
	centered := graph.Sub(z, graph.ReduceAndKeep(z, graph.ReduceMean, -1))
	// rounding error of μ far from 0
	centered = graph.Sub(centered, graph.ReduceAndKeep(centered, graph.ReduceMean, -1))
	variance := graph.ReduceAndKeep(graph.Square(centered), graph.ReduceMean, -1)
	y := graph.Mul(centered, rsqrt(variance, vec.NormEps))
	return graph.Add(graph.Mul(y, alike(gamma, z)), alike(beta, z))
}

// batchNorm returns γ·(x - μ)/√(σ² + eps) + β, with μ and σ² over all axes but the last.
func (l *lowering) batchNorm(o op.BatchNormOp, in []*graph.Node) *graph.Node {
	if o.Add || o.ReLU {
		return nil
	}
	x, gamma, beta := in[0], in[1], in[2]
	rows := graph.Reshape(x, -1, dim(x, -1))
	mean := graph.ReduceMean(rows, 0)
	centered := graph.Sub(rows, alike(mean, rows))
	rest := graph.ReduceMean(centered, 0) // rounding error of μ far from 0
	centered, mean = graph.Sub(centered, alike(rest, rows)), graph.Add(mean, rest)
	variance := graph.ReduceMean(graph.Square(centered), 0)
	l.moments[o.Moments] = moments{dim(rows, 0), mean, variance}
	scale := graph.Mul(gamma, rsqrt(variance, op.BatchNormEps))
	y := graph.Add(graph.Mul(centered, alike(scale, rows)), alike(beta, rows))
	return graph.Reshape(y, x.Shape().Dimensions...)
}

// runningNorm returns batchNorm by given μ and σ².
func runningNorm(x, gamma, beta, mean, variance *graph.Node) *graph.Node {
	scale := graph.Mul(gamma, rsqrt(variance, op.BatchNormEps))
	shift := graph.Sub(beta, graph.Mul(mean, scale))
	return graph.Add(graph.Mul(x, alike(scale, x)), alike(shift, x))
}

// crossEntropy returns the mean of -Σ_c q[c]·log softmax(logits)[c] over the rows that count, with q the smoothed
// label.
func (l *lowering) crossEntropy(smoothing float32, logits *graph.Node) *graph.Node {
	classes := dim(logits, 1)
	counts := graph.ConvertDType(graph.GreaterOrEqual(l.labels, graph.ZerosLike(l.labels)), dtypes.Float32)
	right := graph.Equal(graph.ArgMax(logits, 1), l.labels)
	l.correct = graph.ReduceAllSum(graph.ConvertDType(right, dtypes.Float32))
	q := graph.MulScalar(graph.OneHot(l.labels, classes, dtypes.Float32), 1-smoothing)
	q = graph.AddScalar(q, smoothing/float32(classes))
	each := graph.ReduceSum(graph.Mul(q, graph.LogSoftmax(logits, 1)), 1)
	n := graph.Max(graph.ReduceAllSum(counts), graph.ScalarOne(l.graph, dtypes.Float32))
	return graph.Neg(graph.Div(graph.ReduceAllSum(graph.Mul(each, counts)), n))
}

// spaceToDepth returns each s × s square of pixels as one token.
func spaceToDepth(x *graph.Node, s int) *graph.Node {
	batch, rows, cols, channels := dim(x, 0), dim(x, 1)/s, dim(x, 2)/s, dim(x, 3)
	squares := graph.Reshape(x, batch, rows, s, cols, s, channels)
	return graph.Reshape(graph.TransposeAllAxes(squares, 0, 1, 3, 2, 4, 5), batch, rows*cols, s*s*channels)
}

// maxPool returns the largest of each square of rows × cols pixels. Pixels of all squares are compared one after
// another, so that of equal ones the first has the gradient.
func maxPool(x *graph.Node, rows, cols int) *graph.Node {
	height, width := dim(x, 1)/rows*rows, dim(x, 2)/cols*cols
	return largest(rows, cols, func(i, j int) *graph.Node {
		return graph.Slice(x, graph.AxisRange(), graph.AxisRange(i, height).Stride(rows),
			graph.AxisRange(j, width).Stride(cols))
	})
}

// maxPoolAround returns the largest of size × size pixels around every step-th one.
func maxPoolAround(x *graph.Node, size, step int) *graph.Node {
	var ends [3]int // behind the last window's first pixel
	for axis := 1; axis <= 2; axis++ {
		ends[axis] = (dim(x, axis)-1)/step*step + 1
		x = graph.GrowLeft(graph.GrowRight(x, axis, size/2, math.Inf(-1)), axis, size/2, math.Inf(-1))
	}
	return largest(size, size, func(i, j int) *graph.Node {
		return graph.Slice(x, graph.AxisRange(), graph.AxisRange(i, i+ends[1]).Stride(step),
			graph.AxisRange(j, j+ends[2]).Stride(step))
	})
}

// largest returns the largest of rows × cols nodes, element by element; of equal ones the first has the gradient.
func largest(rows, cols int, at func(i, j int) *graph.Node) (y *graph.Node) {
	for i := range rows {
		for j := range cols {
			v := at(i, j)
			if y == nil {
				y = v
				continue
			}
			y = graph.Where(graph.LogicalOr(graph.GreaterThan(v, y), graph.NotEqual(v, v)), v, y) // NaN stays
		}
	}
	return y
}

// conv returns the convolution of x by W. GoMLX's gradient (v0.28.2) is wrong for an even size: such a W gets a row and
// a column of zeros in front.
func (l *lowering) conv(o op.ConvShape, x, w *graph.Node) *graph.Node {
	size, zeros := dim(w, 2), 0
	if size%2 == 0 {
		zeros = 1
		size++
		w = graph.GrowLeft(graph.GrowLeft(w, 2, 1, 0), 3, 1, 0)
	}
	apart := max(1, o.Dilation)
	before, size := (size-1)/2*apart, (size-1)*apart+1
	pad := func(n int) [2]int {
		if o.Valid {
			return [2]int{zeros, 0}
		}
		out := (n + o.Stride - 1) / o.Stride
		return [2]int{before, max(0, (out-1)*o.Stride+size-before-n)}
	}
	rows, cols := pad(dim(x, 1)), pad(dim(x, 2))
	if o.Replicate {
		x = repeatEdge(repeatEdge(x, 1, rows), 2, cols)
		rows, cols = [2]int{}, [2]int{}
	}
	return l.rounded(func(x, w *graph.Node) *graph.Node {
		c := graph.Convolve(x, w).AxesConfig(graph.ConvolveAxesConfig{
			InputSpatial: []int{1, 2}, InputChannels: 3,
			KernelInputChannels: 1, KernelSpatial: []int{2, 3},
			OutputSpatial: []int{1, 2}, OutputChannels: 3,
		}).Strides(o.Stride).PaddingPerDim([][2]int{rows, cols})
		if apart > 1 {
			c = c.Dilations(apart)
		}
		return c.Done()
	}, x, w)
}

// depthConv returns the convolution of each channel of x by its filter, tap by tap.
func depthConv(x, w *graph.Node, replicate bool) *graph.Node {
	size, rows, cols := dim(w, 2), dim(x, 1), dim(x, 2)
	around := [2]int{(size - 1) / 2, size / 2}
	for axis := 1; axis <= 2; axis++ {
		if replicate {
			x = repeatEdge(x, axis, around)
		} else {
			x = graph.GrowRight(graph.GrowLeft(x, axis, around[0], 0), axis, around[1], 0)
		}
	}
	var y *graph.Node
	for u := range size {
		for v := range size {
			tap := graph.Slice(w, graph.AxisRange(), graph.AxisElem(0), graph.AxisElem(u), graph.AxisElem(v))
			seen := graph.Slice(x, graph.AxisRange(), graph.AxisRange(u, u+rows), graph.AxisRange(v, v+cols))
			term := graph.Mul(seen, alike(graph.Reshape(tap, -1), seen))
			if y != nil {
				term = graph.Add(y, term)
			}
			y = term
		}
	}
	return y
}

// repeatEdge repeats the first and the last element along an axis of x, times[0] times before it and times[1] behind.
func repeatEdge(x *graph.Node, axis int, times [2]int) *graph.Node {
	n := dim(x, axis)
	at := func(i int) *graph.Node { return graph.SliceAxis(x, axis, graph.AxisRange(i, i+1)) }
	parts := slices.Repeat([]*graph.Node{at(0)}, times[0])
	parts = append(parts, x)
	parts = append(parts, slices.Repeat([]*graph.Node{at(n - 1)}, times[1])...)
	if len(parts) == 1 {
		return x
	}
	return graph.Concatenate(parts, axis)
}
