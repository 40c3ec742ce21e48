package vision

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
)

// stage begins the names of what is in a stage.
const stage = `(?:(?:swin\.)?encoder\.)?layers\.(\d+)\.`

// swin has stages of attention in windows, in files of timm, of its authors and of Hugging Face.
//
// Source: timm/models/swin_transformer.py; models/swin_transformer.py; transformers/models/swin/modeling_swin.py.
var swin = family{
	name: "Swin",
	marks: []string{"layers.0.blocks.0.attn.qkv.weight", "encoder.layers.0.blocks.0.attention.self.query.weight",
		"swin.encoder.layers.0.blocks.0.attention.self.query.weight"},
	eps: 1e-5, mean: imageNet[0], std: imageNet[1], crop: 0.9,
	names: renamings(
		`patch_embed\.proj\.(weight|bias)`, "stem.0.$1",
		`patch_embed\.norm\.(weight|bias)`, "stem.norm.$1",
		`(?:swin\.)?embeddings\.patch_embeddings\.projection\.(weight|bias)`, "stem.0.$1",
		`(?:swin\.)?embeddings\.norm\.(weight|bias)`, "stem.norm.$1",
		stage+`blocks\.(\d+)\.norm([12])\.(weight|bias)`, "$1.$2.norm$3.$4",
		stage+`blocks\.(\d+)\.layernorm_before\.(weight|bias)`, "$1.$2.norm1.$3",
		stage+`blocks\.(\d+)\.layernorm_after\.(weight|bias)`, "$1.$2.norm2.$3",
		stage+`blocks\.(\d+)\.attn\.(qkv|proj)\.(weight|bias)`, "$1.$2.$3.$4",
		stage+`blocks\.(\d+)\.attention\.self\.query\.(weight|bias)`, "$1.$2.q.$3",
		stage+`blocks\.(\d+)\.attention\.self\.key\.(weight|bias)`, "$1.$2.k.$3",
		stage+`blocks\.(\d+)\.attention\.self\.value\.(weight|bias)`, "$1.$2.v.$3",
		stage+`blocks\.(\d+)\.attention\.output\.dense\.(weight|bias)`, "$1.$2.proj.$3",
		stage+`blocks\.(\d+)\.(?:attn|attention\.self)\.relative_position_bias_table`, "$1.$2.table",
		stage+`blocks\.(\d+)\.(?:attn|attention\.self)\.relative_position_index`, "",
		stage+`blocks\.(\d+)\.attn_mask`, "$1.$2.mask",
		stage+`blocks\.(\d+)\.(?:mlp\.fc1|intermediate\.dense)\.(weight|bias)`, "$1.$2.fc1.$3",
		stage+`blocks\.(\d+)\.(?:mlp\.fc2|output\.dense)\.(weight|bias)`, "$1.$2.fc2.$3",
		stage+`downsample\.(norm|reduction)\.(weight|bias)`, "merge.$1.$2.$3",
		`(?:swin\.layer)?norm\.(weight|bias)`, "norm.$1",
		`layernorm\.(weight|bias)`, "norm.$1",
		`head\.(?:fc\.)?(weight|bias)`, "head.$1",
		`classifier\.(weight|bias)`, "head.$1",
	),
	build: buildSwin,
}

func buildSwin(f *family, w *weights, s settings) (*Network, error) {
	n, err := f.begin(w, s)
	if err != nil {
		return nil, err
	}
	d := n.stem[0].out
	n.normed = w.maybeNorm("stem.norm", d, f.eps)
	image := s.image
	if side := windowOf(w, "0.0"); image == 0 && w.has("0.1.mask") && side > 0 {
		image = int(math.Round(math.Sqrt(float64(w.side("0.1.mask", 0))))) * side * n.stem[0].rows
	}
	if image == 0 {
		image = 224
		n.note("the file does not say how large images are: 224 × 224 pixels are a guess")
	}
	g, err := n.see(image)
	if err != nil {
		return nil, err
	}
	first := b2i(w.has("merge.0.reduction.weight")) // its authors' files merge behind a stage
	for stage := 0; w.has(fmt.Sprintf("%d.0.norm1.weight", stage)); stage++ {
		var m *merge
		if stage > 0 {
			at := fmt.Sprintf("merge.%d", stage-first)
			if g.Rows%2 != 0 || g.Cols%2 != 0 {
				return nil, fmt.Errorf("stage %d begins with %d × %d tokens: want an even number", stage, g.Rows,
					g.Cols)
			}
			m = &merge{g, w.norm(at+".norm", 4*d, f.eps), w.linear(at+".reduction", w.side(at+".reduction.weight", 0),
				4*d)}
			d, g = m.reduction.out, analyse.Grid{Rows: g.Rows / 2, Cols: g.Cols / 2}
		}
		for j := 0; j%2 == 1 || w.has(fmt.Sprintf("%d.%d.norm1.weight", stage, j)); j++ { // blocks come in pairs
			at := fmt.Sprintf("%d.%d", stage, j)
			heads := w.side(at+".table", 1)
			b, err := w.block(at, d, heads, n.eps)
			if err != nil {
				return nil, err
			}
			b.name, b.merge, m = fmt.Sprintf("layers.%d.blocks.%d", stage, j), m, nil
			if err := b.window(w, at, g, j%2 == 1); err != nil {
				return nil, err
			}
			n.add(b, j == 0)
		}
	}
	n.Facts.Windows = windowOf(w, "0.0")
	n.note("shares, distances and taps are inside a window; windows that join distant parts of the image are left out")
	return n.end(w, s)
}

// windowOf is the side of the windows of a block; 0: its table does not fit square windows.
func windowOf(w *weights, at string) int {
	rows := w.side(at+".table", 0)
	side := (int(math.Round(math.Sqrt(float64(rows)))) + 1) / 2
	if (2*side-1)*(2*side-1) != rows {
		return 0
	}
	return side
}

// window divides the grid of a block into windows, shifted in every second block.
func (b *block) window(w *weights, at string, g analyse.Grid, shifted bool) error {
	side, a := windowOf(w, at), b.attention
	if side == 0 || g.Rows%side != 0 || g.Cols%side != 0 {
		return fmt.Errorf("%s: a table of %d rows for %d × %d tokens: want that of windows which divide the grid",
			b.name, w.side(at+".table", 0), g.Rows, g.Cols)
	}
	shift := 0
	if shifted && min(g.Rows, g.Cols) > side {
		shift = side / 2
	}
	a.all, a.grid = g, analyse.Grid{Rows: side, Cols: side}
	a.split = newWindows(g, side, shift)
	if table := w.take(at+".table", -1, a.heads); table != nil {
		a.bias = biasOf(table, side, a.heads)
	}
	w.maybe(at+".mask", -1, side*side, side*side)
	return nil
}
