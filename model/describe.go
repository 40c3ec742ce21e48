package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// A Part is one row in the description of a network, for one image: the operations on the parameters of one scope of
// [nn.Scope.AsPart].
type Part struct {
	Path   string // what the names of its parameters begin with, without "model."; "" where it has none
	Block  string // what the user calls the block that it belongs to: 1, or 2.1; "" outside of blocks
	Kind   string // attention, linear, norm
	Out    []int  // extent of its result: rows, columns, channels; or only channels
	Field  [2]int // rows and columns of the image that one position of the result depends on
	MACs   MACs
	Params int // learned elements
}

// MACs are the multiply-adds of one image's forward pass, counted in three ways. What depends only on parameters, such
// as scores of positions, is not work for an image. None of them counts it, except that Paper has linear maps of
// shifts.
type MACs struct {
	Definition int `json:"definition"` // as the equations say: every query weighs every key
	Run        int `json:"run"`        // as they are computed where nothing is learned
	Paper      int `json:"paper"`      // of only linear maps and convolutions: the paper's table prints twice that
}

// plus adds up two counts.
func (m MACs) plus(n MACs) MACs {
	return MACs{m.Definition + n.Definition, m.Run + n.Run, m.Paper + n.Paper}
}

// partsOf lists the parts of layer, whose parameters are params, for one image (rows, cols, channels), in the order of
// computation. It needs no values: the parameters may be those of [nn.ShapesOnly].
func partsOf(layer nn.Layer, params []*nn.Param, image [3]int) ([]Part, error) {
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		y = layer.Forward(g, g.Shaped("image", 1, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	d := &description{owner: map[*nn.Node]*nn.Param{}, rows: map[string]int{}, of: map[*nn.Node]int{},
		fields: map[*nn.Node]field{},
		reads:  map[*nn.Param]int{}}
	for _, p := range g.Used() {
		d.owner[g.Use(p)] = p
	}
	d.define(op.Order([]*nn.Node{y}), [2]int(image[:2]))
	d.run(g.Rewritten(y, false))
	for _, p := range params {
		if row, ok := d.holder(p); ok && p.Group != nn.Statistic {
			d.parts[row].Params += p.Size()
		}
	}
	return d.parts, nil
}

// A description is the parts of a graph as they are found.
type description struct {
	parts  []Part
	owner  map[*nn.Node]*nn.Param
	rows   map[string]int   // the part of a path
	of     map[*nn.Node]int // the part of a node, or none
	fields map[*nn.Node]field
	reads  map[*nn.Param]int // the part that reads a parameter without a part of its own
}

// define makes the parts of a recorded graph, with what the equations say.
func (d *description) define(all []*nn.Node, image [2]int) {
	images := op.OfImages(all)
	mapped := map[[2]*nn.Node]bool{} // one map that two terms say is one by definition
	for _, n := range all {
		d.fields[n] = field{size: 1, step: 1, grid: image}
		d.of[n] = d.place(n, images)
		row := d.of[n]
		if n.Op() == nil || row < 0 {
			continue
		}
		p, cost := &d.parts[row], n.Op().Cost(n)
		d.keep(n, row)
		if !images[n] {
			if _, ok := n.Op().(op.ShiftScoresOp); ok {
				p.MACs.Paper += cost.Paper
			}
			continue
		}
		d.fields[n] = d.see(n, cost.Field)
		p.describe(n, d.fields[n], image)
		if _, ok := n.Op().(op.LinearOp); ok {
			said := [2]*nn.Node{n.In()[0], n.In()[1]}
			if mapped[said] {
				continue
			}
			mapped[said] = true
		}
		p.MACs.Definition, p.MACs.Paper = p.MACs.Definition+cost.Definition, p.MACs.Paper+cost.Paper
	}
}

// run adds what the rewritten graph computes for an image.
func (d *description) run(all []*nn.Node) {
	images := op.OfImages(all)
	for _, n := range all {
		if _, ok := d.of[n]; !ok {
			d.of[n] = none
			if _, mean := n.Op().(op.MeanTokensOp); !mean && !thins(n) { // which are parts already
				d.of[n] = d.place(n, images)
			}
		}
		if row := d.of[n]; images[n] && n.Op() != nil && row >= 0 {
			d.parts[row].MACs.Run += n.Op().Cost(n).Run
		}
	}
}

// place returns the part of n: that of the last parameters or products of parameters that it reads, or else that of the
// input that has seen most, so that the sum of a block and its input belongs to the block. What mixes tokens or pixels
// belongs to where its weights come from, and pixels and means are parts of their own.
func (d *description) place(n *nn.Node, images map[*nn.Node]bool) int {
	switch o := n.Op().(type) {
	case nil:
		if p := d.owner[n]; p != nil && p.Part != "" {
			return d.row(p.Part)
		}
		return none
	case op.SpaceToDepthOp, op.MeanTokensOp:
		return d.row("")
	case op.PadOp:
		if o.Channels == 0 { // pixels around the image
			return d.row("")
		}
	case op.MaxPoolAroundOp:
		if thins(n) {
			return d.row("")
		}
	case op.MixHeadsOp, op.MixFullOp, op.MixSeparableOp, op.MixContentOp, op.ConvOp, op.ReadyConvOp,
		op.DepthConvOp:
		return d.of[n.In()[1]]
	}
	row, most := none, (*nn.Node)(nil)
	for _, c := range n.In() {
		switch {
		case d.of[c] == none:
		case !images[c]:
			row = d.of[c]
		case most == nil || !d.fields[most].exceeds(d.fields[c]):
			most = c
		}
	}
	if row == none && most != nil {
		return d.of[most]
	}
	return row
}

const none = -1 // no part

// thins reports whether n takes some of the pixels as they are: in a shortcut without weights.
func thins(n *nn.Node) bool {
	o, ok := n.Op().(op.MaxPoolAroundOp)
	return ok && o.Size == 1
}

// row returns the part of a path; one without a path is a new one each time.
func (d *description) row(path string) int {
	row, ok := d.rows[path]
	if !ok || path == "" {
		row = len(d.parts)
		d.rows[path] = row
		d.parts = append(d.parts, Part{Path: path, Block: blockOf(path)})
	}
	return row
}

// blockOf is the block that a path names, counted from 1: 1 of encoder.layer.0.output, 2.1 of layer2.0.conv1.
func blockOf(path string) string {
	var all []string
	names := strings.Split(path, ".")
	for i, name := range names[:len(names)-1] {
		if n, err := strconv.Atoi(name); err == nil {
			all = append(all, strconv.Itoa(n+1))
		} else if _, err := strconv.Atoi(names[i+1]); err == nil {
			all = append(all, name[len(strings.TrimRight(name, "0123456789")):])
		}
	}
	return strings.TrimPrefix(strings.Join(all, "."), ".")
}

// keep notes which part reads parameters without a part of their own: a norm's, which belongs to the convolution
// before.
func (d *description) keep(n *nn.Node, row int) {
	for _, c := range n.In() {
		if p := d.owner[c]; p != nil && p.Part == "" {
			d.reads[p] = row
		}
	}
}

// holder returns the part of a parameter.
func (d *description) holder(p *nn.Param) (row int, ok bool) {
	if p.Part == "" {
		row, ok = d.reads[p]
		return row, ok
	}
	return d.row(p.Part), true
}

// wordOf names an operation in the kind of its part; "" is for those that go without saying.
func wordOf(n *nn.Node) string {
	switch o := n.Op().(type) {
	case op.PadOp:
		if o.Channels > 0 {
			return "new channels of zeros"
		}
		return "zeros around the image"
	case op.SpaceToDepthOp:
		return "pixels to tokens"
	case op.LinearOp:
		return "linear"
	case op.LinearTokensOp:
		return "linear over tokens"
	case op.AddToEachOp:
		return "add position"
	case op.WithTokenOp:
		return "class token"
	case op.MixHeadsOp:
		return fmt.Sprintf("attention, %d heads", n.In()[1].Shape()[0])
	case op.MixContentOp:
		return fmt.Sprintf("attention, %d heads", o.Heads.Count)
	case op.GELUOp:
		return "gelu"
	case op.ResidualNormOp, op.LayerNormOp:
		return "norm"
	case op.MeanTokensOp:
		return "mean"
	case op.MaxPoolOp:
		return fmt.Sprintf("max pool %d×%d", o.Rows, o.Cols)
	case op.MaxPoolAroundOp:
		if thins(n) {
			return fmt.Sprintf("1 of %d × %[1]d pixels", o.Step)
		}
		return fmt.Sprintf("max pool %d×%[1]d, stride %d", o.Size, o.Step)
	case op.DepthConvOp:
		return fmt.Sprintf("depth-wise conv %d×%[1]d", n.In()[1].Shape()[2])
	case op.ConvOp:
		word := fmt.Sprintf("conv %d×%[1]d", n.In()[1].Shape()[2])
		if o.Stride > 1 {
			word += fmt.Sprintf(", stride %d", o.Stride)
		}
		if o.Dilation > 1 {
			word += fmt.Sprintf(", dilation %d", o.Dilation)
		}
		return word
	}
	return ""
}

// describe adds what n makes of an image to its part.
func (p *Part) describe(n *nn.Node, f field, image [2]int) {
	p.Out, p.Field = slices.Clone(n.Shape()[1:]), f.within(image)
	if len(p.Out) == 2 && p.Out[0] == f.grid[0]*f.grid[1] { // tokens
		p.Out = []int{f.grid[0], f.grid[1], p.Out[1]}
	}
	switch word := wordOf(n); {
	case word == "" || strings.HasPrefix(p.Kind, "attention"):
	case strings.HasPrefix(word, "attention"): // its maps of queries, keys and values go without saying
		p.Kind = word
	case p.Kind == "":
		p.Kind = word
	case !strings.Contains(p.Kind, word):
		p.Kind += ", " + word
	}
}

// A field is how much of the image a position has seen.
type field struct {
	size, step int // pixels that it depends on along an axis, and from one position to the next
	whole      bool
	grid       [2]int // rows and columns of positions
}

// exceeds reports whether f has seen more than g.
func (f field) exceeds(g field) bool {
	if f.whole != g.whole {
		return f.whole
	}
	return !f.whole && f.size > g.size
}

// see returns the field of n, an operation with f.
func (d *description) see(n *nn.Node, f op.Field) field {
	seen := d.fields[n.In()[0]]
	for _, c := range n.In() {
		in := d.fields[c]
		seen.size, seen.whole = max(seen.size, in.size), seen.whole || in.whole
	}
	if f.Size > 0 {
		seen.size += (f.Size - 1) * seen.step
		seen.step *= f.Step
		for i, side := range seen.grid {
			seen.grid[i] = (side + f.Step - 1) / f.Step
		}
	}
	// where no zeros are around the image, or squares do not fill it, there are fewer
	if s := n.Shape(); s.Dims() == 4 {
		seen.grid = [2]int{s[1], s[2]}
	}
	seen.whole = seen.whole || f.Whole
	return seen
}

// within is the field, which ends where the image does.
func (f field) within(image [2]int) [2]int {
	if f.whole {
		return image
	}
	return [2]int{min(f.size, image[0]), min(f.size, image[1])}
}
