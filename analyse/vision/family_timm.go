package vision

// timm is ViT, DeiT, DeiT III, DINO and DINOv2, in timm's files and in those of their authors.
//
// Source: timm/models/vision_transformer.py, timm/models/deit.py; dinov2/models/vision_transformer.py.
var timm = family{
	name:  "ViT of timm",
	marks: []string{"blocks.0.attn.qkv.weight", "blocks.0.0.attn.qkv.weight"},
	block: "blocks.%d",
	eps:   1e-6, mean: half[0], std: half[1], crop: 0.9, twoGELU: true,
	names: renamings(
		`patch_embed\.proj\.(weight|bias)`, "stem.0.$1",
		`cls_token`, "cls", `dist_token`, "dist", `reg_token`, "reg", `register_tokens`, "registers", `pos_embed`, "pos",
		`mask_token`, "",
		`norm_pre\.(weight|bias)`, "pre.$1",
		`blocks\.(?:\d+\.)?(\d+)\.(norm[12]\.(?:weight|bias))`, "$1.$2",
		`blocks\.(?:\d+\.)?(\d+)\.attn\.((?:qkv|proj)\.(?:weight|bias))`, "$1.$2",
		`blocks\.(?:\d+\.)?(\d+)\.attn\.([qk])_norm\.(weight|bias)`, "$1.${2}norm.$3",
		`blocks\.(?:\d+\.)?(\d+)\.ls([12])\.gamma`, "$1.ls$2",
		`blocks\.(?:\d+\.)?(\d+)\.gamma_([12])`, "$1.ls$2",
		`blocks\.(?:\d+\.)?(\d+)\.mlp\.((?:fc1|fc2)\.(?:weight|bias))`, "$1.$2",
		`blocks\.(?:\d+\.)?(\d+)\.mlp\.w12\.(weight|bias)`, "$1.fc1.$2",
		`blocks\.(?:\d+\.)?(\d+)\.mlp\.w3\.(weight|bias)`, "$1.fc2.$2",
		`norm\.(weight|bias)`, "norm.$1",
		`fc_norm\.(weight|bias)`, "fcnorm.$1",
		`head\.(weight|bias)`, "head.$1",
		`head_dist\.(weight|bias)`, "headdist.$1",
	),
	build: (*family).plain,
}
