package rewrite

import "github.com/attnconv/attnconv/internal/op"

// fixed reports whether products of parameters are made once for many runs, and nothing is differentiated: an operation
// without a gradient will do.
func (v *view) fixed() bool { return !v.Train && !v.Grad }

// normIntoConv folds a norm by running statistics into the convolution before it:
//
//	γ·(W∗x - μ)·r + β = (γ·r·W)∗x + (β - μ·γ·r),  r = 1/√(σ² + 1e-5)
//
// It always pays where the graph does not train. A convolution with a bias of its own stays as it is.
func normIntoConv(v *view, n *op.Node) *op.Node {
	if _, ok := is[op.RunningNormOp](n); !ok || !v.fixed() {
		return nil
	}
	c := n.In()[0]
	o, ok := is[op.ConvOp](c)
	if !ok || len(c.In()) > 2 || !v.alone(c) {
		return nil
	}
	x, w, in := c.In()[0], c.In()[1], n.In()
	norm := op.Apply(op.FoldNormOp{}, in[1], in[2], in[3], in[4])
	packed := op.PrepareConv(x, w, norm, o.ConvShape).InPlaceOf(c)
	return op.ReadyConv(x, packed, norm, nil, w.Shape(), o.ConvShape, false).InPlaceOf(c)
}

// packedConv packs a convolution's weights once for all runs. It always pays where the graph does not train.
func packedConv(v *view, n *op.Node) *op.Node {
	o, ok := is[op.ConvOp](n)
	if !ok || !v.fixed() {
		return nil
	}
	x, w := n.In()[0], n.In()[1]
	return op.ReadyConv(x, op.PrepareConv(x, w, nil, o.ConvShape), at(n, 2), nil, w.Shape(), o.ConvShape, false)
}

// addIntoNorm lets a batch norm, or a convolution with a norm in it or with a bias, add what is added to its result: it
// always pays, by one pass over the data. Where both terms could, the first one does.
func addIntoNorm(v *view, n *op.Node) *op.Node {
	if _, ok := is[op.AddOp](n); !ok {
		return nil
	}
	a, b := n.In()[0], n.In()[1]
	if m := v.tail(a, b, false); m != nil {
		return m
	}
	return v.tail(b, a, false)
}

// reluIntoNorm lets the same cut off what is negative.
func reluIntoNorm(v *view, n *op.Node) *op.Node {
	if _, ok := is[op.ReLUOp](n); !ok {
		return nil
	}
	return v.tail(n.In()[0], nil, true)
}

// tail is y with add added behind it, if it is not nil, and then cut off if relu; or nil where y cannot do that.
func (v *view) tail(y, add *op.Node, relu bool) *op.Node {
	if !v.alone(y) {
		return nil
	}
	switch o := y.Op().(type) {
	case op.BatchNormOp:
		if o.ReLU || o.Add && add != nil {
			return nil
		}
		in := y.In()
		if add == nil {
			add = at(y, 3)
		}
		norm := op.BatchNormOp{Add: add != nil, ReLU: relu, Moments: o.Moments}
		return op.Apply(norm, op.NotNil(in[0], in[1], in[2], add)...)
	case op.ReadyConvOp:
		if o.ReLU || !o.Shift || o.Add && add != nil {
			return nil
		}
		in := y.In()
		if add == nil {
			add = at(y, 3)
		}
		return op.ReadyConv(in[0], in[1], in[2], add, o.W[:], o.ConvShape, relu)
	}
	return nil
}
