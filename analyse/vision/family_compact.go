package vision

import (
	"math"
	"strings"
)

// compact is CCT, CVT and ViT-Lite.
//
// Source: src/cct.py, src/cvt.py, src/vit.py, src/utils/transformers.py, src/utils/tokenizer.py.
var compact = family{
	name:  "compact transformer (CCT, CVT or ViT-Lite)",
	marks: []string{"classifier.blocks.0.self_attn.qkv.weight"},
	block: "classifier.blocks.%d",
	eps:   1e-5, mean: cifar10[0], std: cifar10[1], crop: 1,
	names: renamings(
		`tokenizer\.conv_layers\.(\d+)\.0\.(weight|bias)`, "stem.$1.$2",
		`classifier\.positional_emb`, "pos", `classifier\.class_emb`, "cls",
		`classifier\.attention_pool\.(weight|bias)`, "pool.$1",
		`classifier\.blocks\.(\d+)\.pre_norm\.(weight|bias)`, "$1.norm1.$2",
		`classifier\.blocks\.(\d+)\.norm1\.(weight|bias)`, "$1.norm2.$2",
		`classifier\.blocks\.(\d+)\.self_attn\.((?:qkv|proj)\.(?:weight|bias))`, "$1.$2",
		`classifier\.blocks\.(\d+)\.linear([12])\.(weight|bias)`, "$1.fc$2.$3",
		`classifier\.norm\.(weight|bias)`, "norm.$1",
		`classifier\.fc\.(weight|bias)`, "head.$1",
	),
	build:  (*family).plain,
	middle: true,
	heads:  map[int]int{128: 2, 256: 4, 384: 6},
	draw: func(name string, shape []int) (drawing, bool) {
		switch {
		case name == "pos":
			return drawing{deviation: 0.2}, true
		case strings.HasPrefix(name, "stem.") && len(shape) == 4:
			return drawing{deviation: math.Sqrt(2 / float64(shape[1]*shape[2]*shape[3]))}, true
		}
		return drawing{}, name == "cls"
	},
}
