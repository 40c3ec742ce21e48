package vision

import (
	"math"
	"strings"
)

// torchvision is its ViT.
//
// Source: torchvision/models/vision_transformer.py.
var torchvision = family{
	name:  "ViT of torchvision",
	marks: []string{"encoder.layers.encoder_layer_0.self_attention.in_proj_weight"},
	block: "encoder.layers.encoder_layer_%d",
	eps:   1e-6, mean: imageNet[0], std: imageNet[1], crop: 0.875,
	names: renamings(
		`conv_proj\.(weight|bias)`, "stem.0.$1",
		`class_token`, "cls", `encoder\.pos_embedding`, "pos",
		`encoder\.layers\.encoder_layer_(\d+)\.ln_([12])\.(weight|bias)`, "$1.norm$2.$3",
		`encoder\.layers\.encoder_layer_(\d+)\.self_attention\.in_proj_(weight|bias)`, "$1.qkv.$2",
		`encoder\.layers\.encoder_layer_(\d+)\.self_attention\.out_proj\.(weight|bias)`, "$1.proj.$2",
		`encoder\.layers\.encoder_layer_(\d+)\.mlp\.(?:0|linear_1)\.(weight|bias)`, "$1.fc1.$2",
		`encoder\.layers\.encoder_layer_(\d+)\.mlp\.(?:3|linear_2)\.(weight|bias)`, "$1.fc2.$2",
		`encoder\.ln\.(weight|bias)`, "norm.$1",
		`heads\.head\.(weight|bias)`, "head.$1",
		`heads\.pre_logits\.(weight|bias)`, "logits.$1",
	),
	build: (*family).plain,
	draw: func(name string, shape []int) (drawing, bool) {
		switch {
		case strings.HasSuffix(name, ".qkv.weight"), strings.HasSuffix(name, ".fc1.weight"),
			strings.HasSuffix(name, ".fc2.weight"):
			return drawing{uniform: math.Sqrt(6 / float64(shape[0]+shape[1]))}, true
		case strings.HasSuffix(name, ".proj.weight"):
			return drawing{uniform: 1 / math.Sqrt(float64(shape[1]))}, true
		case strings.HasSuffix(name, ".fc1.bias"), strings.HasSuffix(name, ".fc2.bias"):
			return drawing{deviation: 1e-6}, true
		case name == "stem.0.weight":
			return drawing{deviation: 1 / math.Sqrt(float64(shape[1]*shape[2]*shape[3]))}, true
		case name == "stem.0.bias", name == "cls", name == "head.weight":
			return drawing{}, true
		}
		return drawing{}, false
	},
}
