package rewrite

import "github.com/attnconv/attnconv/nn/op"

var (
	training   = Options{Train: true, Grad: true}
	evaluation = Options{}
)

// Maps with nothing but themselves between.
var mapCases = []ruleCase{
	{"two maps of many rows", func(r *recording) []*op.Node {
		return []*op.Node{r.linear(r.linear(r.images(9, 4), "a", 6), "b", 5)}
	}, training, map[string]int{"product": 1, "linear": 2}},
	{"two maps of few rows, in training", func(r *recording) []*op.Node {
		return []*op.Node{r.linear(r.linear(r.images(4, 4), "a", 6), "b", 5)}
	}, training, map[string]int{"product": 0, "linear": 2}},
	{"two maps of few rows, else", func(r *recording) []*op.Node {
		return []*op.Node{r.linear(r.linear(r.images(4, 4), "a", 6), "b", 5)}
	}, evaluation, map[string]int{"product": 1}},
	{"a map that is read twice", func(r *recording) []*op.Node {
		a := r.linear(r.images(9, 4), "a", 6)
		return []*op.Node{op.Add(r.linear(a, "b", 6), a)}
	}, training, map[string]int{"product": 0}},
	{"a map that is read from outside", func(r *recording) []*op.Node {
		a := r.linear(r.images(9, 4), "a", 6)
		return []*op.Node{r.linear(a, "b", 5), a}
	}, training, map[string]int{"product": 0, "linear": 2}},
	{"a map of one node by itself", func(r *recording) []*op.Node {
		a := r.linear(r.images(9, 4), "a", 6)
		return []*op.Node{op.Add(a, op.GELU(a))}
	}, training, map[string]int{"linear": 1, "gelu": 1}},
	{"two thin maps, of rows and not of tokens", func(r *recording) []*op.Node {
		return []*op.Node{r.linear(r.linear(r.images(2, 2), "a", 9), "b", 5)}
	}, training, map[string]int{"product": 0, "with-one": 0, "linear": 2}},
	{"GELU between two, of what is read from outside", func(r *recording) []*op.Node {
		up := r.linear(r.images(3, 4), "a", 6)
		return []*op.Node{r.linear(op.GELU(up), "b", 5), up}
	}, training, map[string]int{"gelu-linear": 0, "gelu": 1}},
	{"GELU between two", func(r *recording) []*op.Node {
		return []*op.Node{r.linear(op.GELU(r.linear(r.images(3, 4), "a", 6)), "b", 5)}
	}, training, map[string]int{"gelu-linear": 1, "gelu": 0, "linear": 1}},
	{"GELU between two, read from outside", func(r *recording) []*op.Node {
		a := op.GELU(r.linear(r.images(3, 4), "a", 6))
		return []*op.Node{r.linear(a, "b", 5), a}
	}, training, map[string]int{"gelu-linear": 0, "gelu": 1}},
	{"algebra between two", func(r *recording) []*op.Node {
		a := r.linear(r.images(9, 4), "a", 6)
		b := op.Mul(op.Exp(a), r.param("factor", 6))
		return []*op.Node{r.linear(op.Sub(b, op.Max(a, r.param("bound", 1))), "b", 5)}
	}, training, map[string]int{"exp": 1, "times": 1, "minus": 1, "max": 1, "product": 0, "linear": 2}},
	{"GELU of a map without a bias", func(r *recording) []*op.Node {
		a := op.GELU(op.MatMul(r.images(3, 4), r.param("a", 6, 4)))
		return []*op.Node{r.linear(a, "b", 5)}
	}, training, map[string]int{"gelu-linear": 0, "gelu": 1}},
}

// mixed averages 2 × 3 tokens by two heads, and maps them.
func (r *recording) mixed(x *op.Node, separable bool, drop op.Dropout) *op.Node {
	var z *op.Node
	if separable {
		row, col := op.Softmax(r.param("row", 2, 2, 2)), op.Softmax(r.param("col", 2, 3, 3))
		z = op.MixSeparable(x, row, col, false, drop)
	} else {
		z = op.MixHeads(x, op.Softmax(r.param("full", 2, 6, 6)), false, drop)
	}
	return r.linear(z, "value", 5)
}

// Heads that mix tokens by weights of a batch.
var mixCases = []ruleCase{
	{"separable heads", func(r *recording) []*op.Node {
		return []*op.Node{r.mixed(r.images(3, 6, 4), true, r.drop(0.3, false))}
	}, training, map[string]int{"mix-separable": 1, "outer": 0, "mix-heads": 0, "linear": 0}},
	{"heads of full maps", func(r *recording) []*op.Node {
		return []*op.Node{r.mixed(r.images(3, 6, 4), false, r.drop(0.3, false))}
	}, training, map[string]int{"mix-full": 1, "mix-heads": 0, "linear": 0}},
	{"heads that are read from outside", func(r *recording) []*op.Node {
		z := op.MixHeads(r.images(3, 6, 4), op.Softmax(r.param("full", 2, 6, 6)), false, op.Dropout{})
		return []*op.Node{r.linear(z, "value", 5), z}
	}, training, map[string]int{"mix-full": 0, "mix-heads": 1}},
	{"heads with thin values of their own", func(r *recording) []*op.Node {
		v := r.linear(r.images(3, 6, 2), "value", 8)
		return []*op.Node{r.linear(op.MixHeads(v, op.Softmax(r.param("full", 2, 6, 6)), true, op.Dropout{}), "out", 5)}
	}, training, map[string]int{"mix-heads": 1, "with-one": 0}},
	{"separable heads with a mask for each image", func(r *recording) []*op.Node {
		return []*op.Node{r.mixed(r.images(3, 6, 4), true, r.drop(0.3, true))}
	}, training, map[string]int{"mix-separable": 0, "outer": 1, "mix-heads": 1}},
	{"heads with values of their own", func(r *recording) []*op.Node {
		v := r.linear(r.images(3, 6, 4), "value", 8)
		return []*op.Node{r.linear(op.MixHeads(v, op.Softmax(r.param("full", 2, 6, 6)), true, op.Dropout{}), "out", 5)}
	}, training, map[string]int{"mix-full": 0, "mix-heads": 1, "product": 0, "linear": 2}},
	{"heads and two maps", func(r *recording) []*op.Node {
		return []*op.Node{r.linear(r.mixed(r.images(3, 6, 4), true, op.Dropout{}), "dense", 5)}
	}, training, map[string]int{"mix-separable": 1, "product": 1}},
	{"heads behind a thin map", func(r *recording) []*op.Node {
		x := r.linear(r.images(3, 6, 2), "up", 7)
		return []*op.Node{op.Add(r.linear(r.mixed(x, true, op.Dropout{}), "dense", 7), x)}
	}, training, map[string]int{"mix-separable": 1, "product": 1, "with-one": 1, "fold-input": 1, "linear": 2}},
	{"full heads behind a thin map", func(r *recording) []*op.Node {
		return []*op.Node{r.mixed(r.linear(r.images(3, 6, 2), "up", 7), false, op.Dropout{})}
	}, training, map[string]int{"mix-full": 1, "with-one": 1, "fold-input": 1, "linear": 0}},
	{"masks for each image behind a thin map", func(r *recording) []*op.Node {
		return []*op.Node{r.mixed(r.linear(r.images(3, 6, 2), "up", 7), true, r.drop(0.3, true))}
	}, training, map[string]int{"mix-heads": 1, "with-one": 1, "fold-input": 1}},
	{"heads behind a map that is not thin", func(r *recording) []*op.Node {
		return []*op.Node{r.mixed(r.linear(r.images(3, 6, 2), "up", 4), true, op.Dropout{})}
	}, training, map[string]int{"with-one": 0, "fold-input": 0}},
	{"heads behind a thin map and positions", func(r *recording) []*op.Node {
		x := op.AddToEach(r.linear(r.images(3, 6, 2), "up", 7), r.param("places", 6, 7))
		return []*op.Node{r.mixed(x, true, op.Dropout{})}
	}, training, map[string]int{"with-one": 0, "fold-input": 0, "add-to-each": 1}},
	{"one node twice in one operation", func(r *recording) []*op.Node {
		x := r.linear(r.images(3, 6, 2), "up", 7)
		return []*op.Node{op.Add(x, x)}
	}, evaluation, map[string]int{"add": 1}},
}

// content mixes 2 × 3 tokens by two heads of d channels that depend on the image, and maps them. Roots next to it are
// appended to it.
func (r *recording) content(x *op.Node, d int, each bool, roots func(t op.Terms) []*op.Node) []*op.Node {
	heads, in := op.Heads{Count: 2, Rows: 2, Cols: 3}, x.Shape()[2]
	q := r.linear(x, "query", 2*d)
	t := op.Terms{Query: q, Key: op.MatMul(x, r.param("key", 2*d, in)), Scale: 0.1, Each: each}
	t.Row = op.ShiftsOf(q, r.param("rows", 3, d/2), 2, 0, 2, 0.1)
	t.Col = op.ShiftsOf(q, r.param("cols", 5, d-d/2), 2, d/2, 3, 0.1)
	v := x
	if each {
		v = r.linear(x, "value", 6)
	}
	y := r.linear(op.MixContent(t, v, heads, r.drop(0.3, true)), "out", 5)
	return append([]*op.Node{y}, roots(t)...)
}

func none(op.Terms) []*op.Node { return nil }

var contentCases = []ruleCase{
	{"content of wide heads", func(r *recording) []*op.Node { return r.content(r.images(3, 6, 4), 9, false, none) },
		training, map[string]int{"fold-key": 2, "fold-table": 4, "shifts-of": 0, "mix-content": 1}},
	{"content of narrow heads", func(r *recording) []*op.Node { return r.content(r.images(3, 6, 12), 2, false, none) },
		training, map[string]int{"fold-key": 0, "fold-table": 4, "shifts-of": 0}},
	{"content with queries read from outside", func(r *recording) []*op.Node {
		return r.content(r.images(3, 6, 4), 9, false, func(t op.Terms) []*op.Node { return []*op.Node{t.Query} })
	}, training, map[string]int{"fold-key": 0, "fold-table": 4}},
	{"content with keys read from outside", func(r *recording) []*op.Node {
		return r.content(r.images(3, 6, 4), 9, false, func(t op.Terms) []*op.Node { return []*op.Node{t.Key} })
	}, training, map[string]int{"fold-key": 0, "fold-table": 4}},
	{"content with thin values of heads", func(r *recording) []*op.Node {
		x := r.images(3, 6, 2)
		t := op.Terms{Query: op.MatMul(x, r.param("query", 4, 2)), Key: op.MatMul(x, r.param("key", 4, 2)), Scale: 0.1,
			Each: true}
		y := op.MixContent(t, r.linear(x, "value", 10), op.Heads{Count: 2, Rows: 2, Cols: 3}, op.Dropout{})
		return []*op.Node{r.linear(y, "out", 5)}
	}, training, map[string]int{"with-one": 0, "fold-input": 0}},
	{"content with scores read from outside", func(r *recording) []*op.Node {
		return r.content(r.images(3, 6, 4), 9, false, func(t op.Terms) []*op.Node {
			return []*op.Node{op.ContentScores(t, op.Heads{Count: 2, Rows: 2, Cols: 3})}
		})
	}, evaluation, map[string]int{"fold-key": 0, "content-scores": 1}},
	{"content behind a thin map", func(r *recording) []*op.Node {
		return r.content(r.linear(r.images(3, 6, 1), "up", 18), 9, false, none)
	}, training, map[string]int{"fold-input": 3, "with-one": 1, "fold-key": 0, "fold-table": 4, "shifts-of": 0}},
	{"values of their own behind a thin map", func(r *recording) []*op.Node {
		return r.content(r.linear(r.images(3, 6, 1), "up", 18), 9, true, none)
	}, training, map[string]int{"fold-input": 3, "with-one": 1, "mix-content": 1}},
	{"shifts of what is no map", func(r *recording) []*op.Node {
		q := op.GELU(r.linear(r.images(3, 6, 4), "query", 8))
		return []*op.Node{op.ShiftsOf(q, r.param("rows", 3, 4), 2, 0, 2, 0.7)}
	}, training, map[string]int{"shifts-of": 1, "fold-table": 0}},
	{"one query for all tokens", func(r *recording) []*op.Node {
		x := r.images(3, 6, 4)
		q := op.Repeat(r.param("query", 18), 3, 6)
		t := op.Terms{Query: q, Key: op.MatMul(x, r.param("key", 18, 4)), Scale: 0.1}
		return []*op.Node{op.MixContent(t, x, op.Heads{Count: 2, Rows: 2, Cols: 3}, op.Dropout{})}
	}, training, map[string]int{"fold-key": 1, "repeat": 1}},
}

// unit is a convolution with a norm by running statistics, or by those of the batch.
func (r *recording) unit(x *op.Node, name string, train bool) *op.Node {
	d := x.Shape()[3]
	y := op.Conv(x, r.param(name, d, d, 3, 3), nil, op.ConvShape{Stride: 1})
	gamma, beta := r.param(name+".gamma", d), r.param(name+".beta", d)
	if train {
		return op.BatchNorm(y, gamma, beta, nil, false, &op.Moments{})
	}
	return op.RunningNorm(y, gamma, beta, r.param(name+".mean", d), r.param(name+".variance", d))
}

// residual is relu(b(relu(a(x))) + c(x)).
func (r *recording) residual(train bool) []*op.Node {
	x := r.images(2, 4, 5, 3)
	y := op.ReLU(r.unit(x, "a", train))
	return []*op.Node{op.ReLU(op.Add(r.unit(y, "b", train), r.unit(x, "c", train)))}
}

var convCases = []ruleCase{
	{"a residual block in training", func(r *recording) []*op.Node { return r.residual(true) },
		training, map[string]int{"batch-norm": 3, "conv": 3, "add": 0, "relu": 0}},
	{"a residual block else", func(r *recording) []*op.Node { return r.residual(false) },
		evaluation, map[string]int{"running-norm": 0, "fold-norm": 3, "prepare-conv": 3, "conv": 3, "add": 0,
			"relu": 0}},
	{"a residual block else, differentiated", func(r *recording) []*op.Node { return r.residual(false) },
		Options{Grad: true}, map[string]int{"running-norm": 3, "prepare-conv": 0, "add": 1, "relu": 2}},
	{"a sum of what is read from outside", func(r *recording) []*op.Node {
		x := r.images(2, 4, 5, 3)
		a := r.unit(x, "a", false)
		return []*op.Node{op.Add(a, x), a}
	}, evaluation, map[string]int{"add": 1, "fold-norm": 1}},
	{"a convolution that is read before its norm", func(r *recording) []*op.Node {
		y := op.Conv(r.images(2, 4, 5, 3), r.param("a", 4, 3, 3, 3), nil, op.ConvShape{Stride: 1})
		return []*op.Node{op.RunningNorm(y, r.param("g", 4), r.param("h", 4), r.param("m", 4), r.param("variance", 4)),
			y}
	}, evaluation, map[string]int{"running-norm": 1, "fold-norm": 0}},
	{"two sums behind a norm", func(r *recording) []*op.Node {
		x := r.images(2, 4, 5, 3)
		return []*op.Node{op.Add(op.Add(r.unit(x, "a", true), x), r.images(2, 4, 5, 3))}
	}, training, map[string]int{"add": 1, "batch-norm": 1}},
	{"two sums behind a folded norm", func(r *recording) []*op.Node {
		x := r.images(2, 4, 5, 3)
		return []*op.Node{op.Add(op.Add(r.unit(x, "a", false), x), r.images(2, 4, 5, 3))}
	}, evaluation, map[string]int{"add": 1, "fold-norm": 1}},
	{"ReLU of a convolution alone", func(r *recording) []*op.Node {
		return []*op.Node{op.ReLU(op.Conv(r.images(2, 4, 5, 3), r.param("a", 4, 3, 3, 3), nil,
			op.ConvShape{Stride: 1}))}
	}, evaluation, map[string]int{"relu": 1, "prepare-conv": 1}},
	{"a norm behind a bias", func(r *recording) []*op.Node {
		y := op.Conv(r.images(2, 4, 5, 3), r.param("a", 4, 3, 3, 3), r.param("b", 4), op.ConvShape{Stride: 2})
		return []*op.Node{op.RunningNorm(y, r.param("g", 4), r.param("h", 4), r.param("m", 4), r.param("variance", 4))}
	}, evaluation, map[string]int{"running-norm": 1, "prepare-conv": 1}},
	{"a convolution and a map, many pixels", func(r *recording) []*op.Node {
		y := op.Conv(r.images(3, 4, 5, 2), r.param("a", 4, 2, 3, 3), r.param("b", 4),
			op.ConvShape{Stride: 1, Replicate: true})
		return []*op.Node{r.linear(y, "dense", 5)}
	}, training, map[string]int{"product": 1, "conv": 1}},
	{"a convolution and a map, few pixels", func(r *recording) []*op.Node {
		y := op.Conv(r.images(1, 3, 3, 2), r.param("a", 4, 2, 3, 3), r.param("b", 4), op.ConvShape{Stride: 1})
		return []*op.Node{r.linear(y, "dense", 5)}
	}, training, map[string]int{"product": 0, "conv": 1, "linear": 1}},
	// as the first layer of a conv-twin, where the map is thin
	{"a convolution behind a thin map", func(r *recording) []*op.Node {
		x := op.AsGrid(r.linear(r.images(2, 12, 2), "up", 9), 3, 4)
		return []*op.Node{op.Conv(x, r.param("a", 4, 9, 3, 3), r.param("b", 4), op.ConvShape{Stride: 1})}
	}, training, map[string]int{"with-one": 0, "fold-input": 0, "conv": 1, "linear": 1}},
}
