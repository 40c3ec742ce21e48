package vision

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/visible"
)

const mostTokens = 1 << 12 // of a grid, as package analyse measures

// begin makes what all networks begin with: the map from pixels to tokens.
func (f *family) begin(w *weights, s settings) (*Network, error) {
	n := &Network{family: f, eps: f.eps}
	if f.scaledEps > 0 && w.has("0.ls1") {
		n.eps = f.scaledEps
	}
	if s.eps > 0 {
		n.eps = s.eps
	} else if f.scaledEps > 0 {
		n.note("no config.json says what norms add to the variance: %g is usual for such networks", n.eps)
	}
	n.Facts = Facts{Family: f.name, Mean: f.mean, Std: f.std, Crop: f.crop}
	if len(s.mean) > 0 {
		n.Facts.Mean, n.Facts.Std = s.mean, s.std
	} else {
		n.note("nothing says how pixels are normalized: mean %v and deviation %v are those of most such networks", f.mean,
			f.std)
	}
	if s.crop > 0 && s.crop <= 1 {
		n.Facts.Crop = s.crop
	}
	for k := 0; w.has(fmt.Sprintf("stem.%d.weight", k)); k++ {
		name := fmt.Sprintf("stem.%d", k)
		shape := w.shape(name + ".weight")
		if len(shape) != 4 || shape[0] < 1 || shape[2] < 1 || shape[3] < 1 {
			return nil, fmt.Errorf("%s %v: want (channels, colors, rows, columns)", w.called(name+".weight"), shape)
		}
		c := convolution{weight: w.take(name+".weight", shape...), bias: w.maybe(name+".bias", shape[0]), out: shape[0],
			in: shape[1], rows: shape[2], cols: shape[3], stride: [2]int{shape[2], shape[3]}}
		if f.middle && c.bias == nil {
			c.stride, c.padding, c.pooled = [2]int{max(1, c.rows/2-1), max(1, c.cols/2-1)}, max(1, c.rows/2), true
		}
		if k > 0 && n.stem[k-1].out != c.in || k == 0 && c.in != len(n.Facts.Mean) {
			return nil, fmt.Errorf("%s %v: another number of channels than in front of it", w.called(name+".weight"), shape)
		}
		n.stem = append(n.stem, c)
	}
	if len(n.stem) == 0 {
		return nil, errors.New("no map from pixels to tokens")
	}
	return n, w.err
}

func (n *Network) note(format string, args ...any) {
	n.Facts.Notes = append(n.Facts.Notes, fmt.Sprintf(format, args...))
}

// patch returns how many rows and columns of pixels a token is from the next.
func (n *Network) patch() (rows, cols int) {
	rows, cols = 1, 1
	for _, c := range n.stem {
		of := 1 + b2i(c.pooled)
		rows, cols = rows*c.stride[0]*of, cols*c.stride[1]*of
	}
	return rows, cols
}

// see sets the size of images, of so many pixels a side, and returns the grid of their tokens.
func (n *Network) see(image int) (g analyse.Grid, err error) {
	if image < 1 || image > 1<<13 {
		return g, fmt.Errorf("images of %d × %[1]d pixels", image)
	}
	rows, cols := image, image
	for _, c := range n.stem {
		if rows, cols = c.size(rows, cols); rows < 1 || cols < 1 {
			return g, fmt.Errorf("images of %d × %[1]d pixels have no tokens", image)
		}
	}
	if g = (analyse.Grid{Rows: rows, Cols: cols}); g.Tokens() > mostTokens {
		return g, fmt.Errorf("%d × %d tokens: want %d at most", rows, cols, mostTokens)
	}
	n.Facts.Image, n.Facts.Grid = [2]int{image, image}, g
	n.Facts.Patch[0], n.Facts.Patch[1] = n.patch()
	return g, nil
}

// plain makes a network whose blocks are all on one grid.
func (f *family) plain(w *weights, s settings) (*Network, error) {
	n, err := f.begin(w, s)
	if err != nil {
		return nil, err
	}
	d := n.stem[len(n.stem)-1].out
	g, err := n.tokens(w, s, d)
	if err != nil {
		return nil, err
	}
	if w.has("pre.weight") {
		return nil, unread("a norm in front of the first block, as in CLIP, whose activation is not in the file")
	}
	if n.family.twoGELU && len(n.Facts.Others) == 0 && w.has("norm.weight") && s.architecture == "" {
		return nil, errors.New("no class token, and a norm in front of the mean: such networks have two activations, so " +
			"want config.json next to the file")
	}
	switch {
	case s.hidden != "" && s.hidden != "gelu":
		return nil, unread("the activation %s of config.json is not read here", visible.Word(s.hidden))
	case d == 1152 || slices.ContainsFunc(otherActivations, func(part string) bool {
		return strings.Contains(s.architecture, part)
	}):
		return nil, unread("networks of this kind have other activations than GELU, which the file does not name")
	}
	heads, err := n.heads(w, s, d)
	if err != nil {
		return nil, err
	}
	if w.has("0.local.weight") && !w.has("cls") {
		return nil, errors.New("cls_token is missing")
	}
	joins := !w.has("0.local.weight") // the other tokens are there from the first block on
	for i := 0; w.has(fmt.Sprintf("%d.norm1.weight", i)); i++ {
		b, err := w.block(strconv.Itoa(i), d, heads, n.eps)
		if err != nil {
			return nil, err
		}
		b.name, b.middle = fmt.Sprintf(f.block, i), f.middle
		b.attention.grid, b.attention.all = g, g
		if name := fmt.Sprintf("%d.local", i); w.has(name + ".weight") {
			weight, bias := w.take(name+".weight", heads, 3), w.take(name+".bias", heads)
			if b.attention.gate = sigmoids(w.take(fmt.Sprintf("%d.gate", i), heads)); w.err == nil {
				b.attention.local = localOf(g, weight, bias)
			}
		} else {
			joins = true
		}
		if joins {
			b.others = len(n.Facts.Others)
		}
		n.add(b, i == 0)
	}
	return n.end(w, s)
}

func sigmoids(x []float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
	return y
}

// otherActivations are parts of names of timm's networks whose activation is another one. SO400M, of 1152 channels, is
// known by its channels.
var otherActivations = []string{"quickgelu", "siglip", "aimv2"}

// tokens takes the tokens that are not on the grid, and positions, which say how large the grid is.
func (n *Network) tokens(w *weights, s settings, d int) (g analyse.Grid, err error) {
	named := [][2]string{{"cls", "class"}, {"dist", "distillation"}, {"reg", "register"}, {"registers", "register"}}
	placed := 0 // of the other tokens: those that positions may be for
	for _, name := range named {
		if !w.has(name[0]) {
			continue
		}
		t := w.take(name[0], 1, -1, d)
		for range len(t) / d {
			n.Facts.Others = append(n.Facts.Others, name[1])
		}
		if n.others = append(n.others, t...); name[0] != "registers" {
			placed = len(n.Facts.Others)
		}
	}
	if w.err != nil {
		return g, w.err
	}
	rows, cols := n.patch()
	if !w.has("pos") {
		if s.image == 0 {
			return g, errors.New("no positions and no size of images: want config.json next to the file")
		}
		return n.see(s.image)
	}
	all := w.side("pos", 1)
	in := 0 // positions of other tokens, in front
	if w.has("0.local.weight") {
		placed = 0
	}
	switch {
	case root(all) > 0 && (placed == 0 || w.has("reg") || root(all-placed) == 0):
	case root(all-placed) > 0:
		in = placed
	default:
		return g, fmt.Errorf("%d positions are not a square, with or without %d other tokens", all, placed)
	}
	side := root(all - in)
	if rows != cols {
		return g, fmt.Errorf("patches of %d × %d pixels: want squares", rows, cols)
	}
	if g, err = n.see(side * rows); err != nil {
		return g, err
	}
	if g.Rows != side {
		return g, fmt.Errorf("%d × %[1]d positions, and %d × %d tokens", side, g.Rows, g.Cols)
	}
	if s.image > 0 && s.image != side*rows {
		n.note("images are %d × %[1]d pixels by config.json, and %d × %[2]d by the positions, which are taken", s.image,
			side*rows)
	}
	if pos := w.take("pos", 1, all, d); pos != nil {
		if in > 0 {
			sum := make([]float32, in*d)
			vec.AddSerial(sum, n.others[:in*d], pos[:in*d])
			n.others = append(sum, n.others[in*d:]...)
		}
		n.place = pos[in*d:]
	}
	return g, w.err
}

// root returns the square root of n; 0: it is not a whole number.
func root(n int) int {
	if r := int(math.Round(math.Sqrt(float64(max(0, n))))); r*r == n {
		return r
	}
	return 0
}

// odd are channels of official networks whose heads do not have 64.
var odd = map[int]int{1280: 16, 1408: 16, 1664: 16}

// heads returns how many there are: by a shape, by the user, by config.json, or a guess.
func (n *Network) heads(w *weights, s settings, d int) (heads int, err error) {
	shape := 0
	if each := w.side("0.qnorm.weight", 0); each > 0 {
		shape = d / each
	} else if w.has("0.gate") {
		shape = w.side("0.gate", 0)
	}
	switch {
	case shape > 0 && s.Heads > 0 && s.Heads != shape:
		return 0, fmt.Errorf("the file has %d heads: want it without --heads %d", shape, s.Heads)
	case shape > 0:
		heads = shape
	case s.Heads > 0:
		heads = s.Heads
	case s.heads > 0:
		heads = s.heads
	default:
		heads = n.family.heads[d]
		if heads == 0 {
			heads = odd[d]
		}
		if heads == 0 && d%64 == 0 {
			heads = d / 64
		}
		if heads == 0 {
			return 0, fmt.Errorf("%d channels: want --heads N, because the file does not say how many", d)
		}
		n.Facts.Guessed = true
		n.note("the number of heads is not in the file: %d of %d channels are a guess, and --heads N sets another", heads,
			d/heads)
	}
	if d%heads != 0 {
		return 0, fmt.Errorf("%d heads do not divide %d channels", heads, d)
	}
	return heads, nil
}

// block takes the weights of a block, except for what its attention adds to scores.
func (w *weights) block(at string, d, heads int, eps float64) (*block, error) {
	norm1 := w.norm(at+".norm1", d, eps)
	if w.err == nil && (heads < 1 || d%heads != 0) {
		return nil, fmt.Errorf("block %s: %d heads do not divide %d channels", at, heads, d)
	}
	if w.err != nil {
		return nil, w.err
	}
	a := &attention{heads: heads, channels: d, qkv: w.queries(at, d), qnorm: w.maybeNorm(at+".qnorm", d/heads, eps),
		knorm: w.maybeNorm(at+".knorm", d/heads, eps)}
	b := &block{attention: a, norm1: norm1, norm2: w.norm(at+".norm2", d, eps),
		proj: w.linear(at+".proj", d, d), scale1: w.maybe(at+".ls1", d), scale2: w.maybe(at+".ls2", d)}
	if w.has(at+".ls1") != w.has(at+".ls2") {
		return nil, fmt.Errorf("block %s has LayerScale behind one of its branches: want both, or neither", at)
	}
	wide, in := w.side(at+".fc1.weight", 0), w.side(at+".fc2.weight", 1)
	if b.gated = wide == 2*in && in > 0; !b.gated && wide != in && wide > 0 && in > 0 {
		return nil, fmt.Errorf("block %s: its second branch has %d channels behind the first map, and %d in front of the "+
			"second", at, wide, in)
	}
	b.fc1, b.fc2 = w.linear(at+".fc1", wide, d), w.linear(at+".fc2", d, in)
	return b, w.err
}

// queries takes the maps to queries, keys and values as one.
func (w *weights) queries(at string, d int) linear {
	if w.has(at + ".qkv.weight") {
		return w.linear(at+".qkv", 3*d, d)
	}
	parts := []linear{}
	if w.has(at + ".qk.weight") {
		parts = append(parts, w.linear(at+".qk", 2*d, d))
	} else {
		parts = append(parts, w.linear(at+".q", d, d), w.linear(at+".k", d, d))
	}
	parts = append(parts, w.linear(at+".v", d, d))
	all := linear{out: 3 * d, in: d, bias: make([]float32, 0, 3*d)}
	for _, p := range parts {
		all.weight = append(all.weight, p.weight...)
		if p.bias == nil {
			p.bias = make([]float32, p.out)
		}
		all.bias = append(all.bias, p.bias...)
	}
	return all
}

// like returns an error for a config.json of another network.
func (n *Network) like(s settings) error {
	registers, last := 0, n.Facts.Channels[len(n.Facts.Channels)-1]
	for _, other := range n.Facts.Others {
		registers += b2i(other == "register")
	}
	for _, size := range []struct {
		key string
		is  int
	}{{"num_hidden_layers", n.Facts.Blocks}, {"hidden_size", last}, {"num_features", last},
		{"num_register_tokens", registers}, {"patch_size", n.Facts.Patch[0]}, {"window_size", n.Facts.Windows}} {
		want, ok := s.sizes[size.key]
		if stages := size.key == "num_hidden_layers" && len(n.Facts.Channels) > 1; ok && want != size.is && !stages {
			return fmt.Errorf("config.json next to the weights is of another network: %s %d, and here it is %d", size.key, want,
				size.is)
		}
	}
	return nil
}

// add appends a block, which may begin a stage.
func (n *Network) add(b *block, stage bool) {
	n.blocks = append(n.blocks, b)
	n.Facts.Blocks++
	if stage {
		n.Facts.Channels = append(n.Facts.Channels, b.attention.channels)
		n.Facts.Heads = append(n.Facts.Heads, b.attention.heads)
	}
}

// end takes what is behind the last block, and checks that nothing is left.
func (n *Network) end(w *weights, s settings) (*Network, error) {
	if len(n.blocks) == 0 {
		return nil, errors.New("no blocks")
	}
	d, last := n.blocks[len(n.blocks)-1].attention.channels, n.blocks[len(n.blocks)-1]
	n.norm, n.pooled.norm = w.maybeNorm("norm", d, n.eps), w.maybeNorm("fcnorm", d, n.eps)
	n.pooled.token = last.others > 0 && n.pooled.norm == nil && n.Facts.Others[0] == "class"
	switch s.pool {
	case "token":
		n.pooled.token = last.others > 0
	case "avg":
		n.pooled.token = false
	}
	if n.family.middle && w.has("pool.weight") == w.has("cls") {
		return nil, errors.New("a class token and a map that weighs tokens: want one of them")
	}
	if w.has("pool.weight") {
		pool := w.linear("pool", 1, d)
		n.pooled.weight = &pool
	}
	in := d
	if w.has("logits.weight") {
		hidden := w.linear("logits", w.side("logits.weight", 0), d)
		n.pooled.hidden, in = &hidden, hidden.out
	}
	if w.side("head.weight", 1) == 2*d && last.others > 0 {
		n.pooled.both, in = true, 2*d
	}
	for _, name := range []string{"head", "headdist"} {
		if w.has(name + ".weight") {
			n.Facts.Classes = w.side(name+".weight", 0)
			n.pooled.heads = append(n.pooled.heads, w.linear(name, n.Facts.Classes, in))
		}
	}
	distilled := w.has("dist")
	if len(n.pooled.heads) > 0 && distilled != (len(n.pooled.heads) == 2) {
		return nil, errors.New("a distillation token and its classifier: want both, or neither")
	}
	for _, t := range w.all {
		n.Facts.Parameters += len(t.Data)
	}
	if err := w.check(); err != nil {
		return nil, err
	}
	return n, n.like(s)
}
