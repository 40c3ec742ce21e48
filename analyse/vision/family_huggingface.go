package vision

import "strings"

// front is what a network with a classifier has in front of the names of the others.
const front = `(?:(?:vit|dinov2|dinov2_with_registers)\.)?`

// huggingface is ViT, DINOv2, and DINOv2 with registers.
//
// Source: transformers/models/vit/modeling_vit.py, dinov2/modeling_dinov2.py,
// dinov2_with_registers/modeling_dinov2_with_registers.py.
var huggingface = family{
	name: "ViT of Hugging Face",
	marks: []string{"encoder.layer.0.attention.attention.query.weight",
		"vit.encoder.layer.0.attention.attention.query.weight", "dinov2.encoder.layer.0.attention.attention.query.weight",
		"dinov2_with_registers.encoder.layer.0.attention.attention.query.weight"},
	block: "encoder.layer.%d",
	eps:   1e-12, scaledEps: 1e-6, mean: half[0], std: half[1], crop: 1,
	names: renamings(
		front+`embeddings\.cls_token`, "cls",
		front+`embeddings\.position_embeddings`, "pos",
		front+`embeddings\.register_tokens`, "registers",
		front+`embeddings\.mask_token`, "",
		front+`embeddings\.patch_embeddings\.projection\.(weight|bias)`, "stem.0.$1",
		front+`encoder\.layer\.(\d+)\.(?:layernorm_before|norm1)\.(weight|bias)`, "$1.norm1.$2",
		front+`encoder\.layer\.(\d+)\.(?:layernorm_after|norm2)\.(weight|bias)`, "$1.norm2.$2",
		front+`encoder\.layer\.(\d+)\.attention\.attention\.query\.(weight|bias)`, "$1.q.$2",
		front+`encoder\.layer\.(\d+)\.attention\.attention\.key\.(weight|bias)`, "$1.k.$2",
		front+`encoder\.layer\.(\d+)\.attention\.attention\.value\.(weight|bias)`, "$1.v.$2",
		front+`encoder\.layer\.(\d+)\.attention\.output\.dense\.(weight|bias)`, "$1.proj.$2",
		front+`encoder\.layer\.(\d+)\.layer_scale([12])\.lambda1`, "$1.ls$2",
		front+`encoder\.layer\.(\d+)\.(?:intermediate\.dense|mlp\.fc1|mlp\.weights_in)\.(weight|bias)`, "$1.fc1.$2",
		front+`encoder\.layer\.(\d+)\.(?:output\.dense|mlp\.fc2|mlp\.weights_out)\.(weight|bias)`, "$1.fc2.$2",
		front+`layernorm\.(weight|bias)`, "norm.$1",
		front+`pooler\.dense\.(weight|bias)`, "logits.$1",
		`classifier\.(weight|bias)`, "head.$1",
	),
	build: (*family).plain,
	draw: func(name string, shape []int) (drawing, bool) {
		if name == "stem.0.weight" || name == "cls" || name == "registers" {
			return drawing{deviation: 0.02}, true
		}
		return drawing{}, name == "stem.0.bias" || strings.HasSuffix(name, ".bias")
	},
}
