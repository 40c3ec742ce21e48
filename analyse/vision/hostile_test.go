package vision_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/internal/torch"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/torchnames"
	"github.com/attnconv/attnconv/session/trained"
)

// tensorsOf reads a network of testdata.
func tensorsOf(t *testing.T, name string) []ckpt.Tensor {
	t.Helper()
	tensors, err := read(filepath.Join("testdata", name+".pth"))
	if err != nil {
		t.Fatal(err)
	}
	return tensors
}

// read reads the tensors of the network in a file, without the path in front of their names.
func read(path string) ([]ckpt.Tensor, error) {
	var set *torchnames.Set
	f, err := torch.Read(path, func(names []string) (_ map[string]bool, err error) {
		set, err = torchnames.Choose(names, "", vision.Marks()...)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return set.Cut(f.Tensors), nil
}

func named(all []ckpt.Tensor, name string) *ckpt.Tensor {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	panic("no " + name)
}

// an edit changes the tensors of a network.
type edit = func(all []ckpt.Tensor) []ckpt.Tensor

// reshape cuts or repeats the numbers of a tensor.
func reshape(name string, shape ...int) edit {
	return func(all []ckpt.Tensor) []ckpt.Tensor {
		n := 1
		for _, s := range shape {
			n *= s
		}
		x := named(all, name)
		for len(x.Data) < n {
			x.Data = append(x.Data, x.Data...)
		}
		x.Shape, x.Data = shape, x.Data[:n]
		return all
	}
}

func add(name string, shape ...int) edit {
	return func(all []ckpt.Tensor) []ckpt.Tensor {
		all = append(all, ckpt.Tensor{Name: name, Data: make([]float32, 1)})
		return reshape(name, shape...)(all)
	}
}

func rename(old, name string) edit {
	return func(all []ckpt.Tensor) []ckpt.Tensor {
		for i := range all {
			all[i].Name = strings.Replace(all[i].Name, old, name, 1)
		}
		return all
	}
}

func remove(part string) edit {
	return func(all []ckpt.Tensor) []ckpt.Tensor {
		return slices.DeleteFunc(all, func(x ckpt.Tensor) bool { return strings.Contains(x.Name, part) })
	}
}

func put(name string, v float64) edit {
	return func(all []ckpt.Tensor) []ckpt.Tensor {
		named(all, name).Data[1] = float32(v)
		return all
	}
}

// TestHostileWeights says for files that are wrong or of another network what the message names.
func TestHostileWeights(t *testing.T) {
	for _, c := range []struct {
		of   string
		edit edit
		want string
	}{
		{"timm_small", reshape("blocks.0.mlp.fc1.weight", 16, 24), "16"},
		{"timm_small", reshape("blocks.0.attn.qkv.weight", 47, 16), "qkv.weight"},
		{"timm_small", reshape("blocks.0.norm1.weight", 15), "norm1.weight"},
		{"timm_small", reshape("pos_embed", 1, 15, 16), "15"}, // neither 15 nor 14 is a square
		{"timm_small", reshape("pos_embed", 1, 0, 16), "0"},
		{"timm_small", reshape("pos_embed", 1, 17), "pos"},
		{"timm_small", reshape("patch_embed.proj.weight", 16, 3, 4, 5), "4 × 5"},
		{"timm_small", reshape("patch_embed.proj.weight", 0, 3, 4, 4), "[0 3 4 4]"},
		{"timm_small", reshape("head.weight", 5, 17), "head.weight"},
		{"timm_small", put("blocks.0.attn.proj.weight", math.NaN()), "proj.weight"},
		{"timm_small", put("blocks.0.mlp.fc2.bias", math.Inf(1)), "fc2.bias"},
		{"timm_small", put("pos_embed", math.NaN()), "pos"},
		{"timm_small", remove("blocks.0.norm2"), "norm2"},
		{"timm_small", remove("patch_embed.proj.weight"), ""},
		{"timm_small", add("blocks.0.attn.gate.weight", 16, 16), "attn.gate"},
		{"timm_small", add("blocks.0.attn.norm.weight", 16), "attn.norm"},
		{"timm_small", add("blocks.0.mlp.norm.weight", 24), "mlp.norm"},
		{"timm_small", add("blocks.0.attn1.qkv.weight", 48, 16), "attn1"}, // DeiT's blocks of two attentions
		{"timm_small", add("attn_pool.latent", 1, 1, 16), "attn_pool"},    // SigLIP
		{"timm_small", add("blocks.0.attn.relative_position_bias_table", 52, 2), "relative_position_bias_table"},
		{"timm_small", add("blocks.0.attn.q_norm.weight", 8), ""},
		{"timm_small", rename("patch_embed.proj.", "patch_embed.proj.0."), "patch_embed.proj"}, // DeiT's hMLP stem
		{"timm_small", add("blocks.1000000.norm1.weight", 16), "1000000"},
		{"timm_small", add("blocks.99999999999999999999.norm1.weight", 16), "99999999999999999999"},
		{"timm_small", add("blocks.-1.norm1.weight", 16), "blocks.-1"},
		{"timm_vit", remove("blocks.0."), ""},
		{"timm_vit", remove("blocks.1.mlp.fc1.weight"), "blocks.1.mlp.fc1.weight"},
		{"deit3", remove("gamma_2"), "LayerScale"},
		{"convit", remove("cls_token"), "cls_token"},
		{"cct", add("classifier.class_emb", 1, 1, 16), "one of them"},
		{"cct", remove("attention_pool"), "one of them"},
		{"swin", remove("layers.1.blocks.1."), "layers.1.blocks.1.norm1.weight"},
		{"timm_vit", rename("blocks.1.", "blocks.2."), "2."},
		{"timm_fc_norm", reshape("blocks.0.attn.k_norm.weight", 4), "norm.weight"},
		{"dinov2_chunks", rename("blocks.1.1.", "blocks.1.2."), "2."},
		{"hf_vit", remove("vit.encoder.layer.0."), ""},
		{"hf_vit", reshape("vit.encoder.layer.1.attention.attention.key.weight", 17, 18), "[17 18]"},
		{"torchvision", rename("encoder_layer_1", "encoder_layer_2"), "2."},
		{"convit", reshape("blocks.0.attn.gating_param", 5), "5"},
		{"convit", reshape("blocks.0.attn.pos_proj.weight", 4, 4), "[4 4]"},
		{"cct", remove("tokenizer.conv_layers.0"), ""},
		{"swin", rename("relative_position_bias_table", "logit_scale"), "logit_scale"}, // Swin v2
		{"swin", add("layers.0.blocks.0.attn.cpb_mlp.0.weight", 512, 2), "cpb_mlp"},
		{"swin", reshape("layers.0.blocks.0.attn.relative_position_bias_table", 48, 2), "48 rows"},
		{"swin", remove("layers.1.downsample"), ""},
		{"swin", add("absolute_pos_embed", 1, 64, 8), "absolute_pos_embed"},
		{"swin", remove("layers.0.blocks.0."), ""},
		{"swin", rename("layers.", "stages."), ""}, // MaxViT begins with stages
	} {
		e := networks(t)[c.of]
		heads := 0
		if e.Files["config.json"] == nil && c.of != "convit" {
			heads = e.Heads[0]
		}
		_, err := vision.New(c.edit(tensorsOf(t, c.of)), vision.Options{Heads: heads, Config: e.Files["config.json"]})
		check(t, fmt.Sprintf("%s, %s", c.of, c.want), err, c.want)
	}
}

func check(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: not refused", what)
	} else if line, _, _ := strings.Cut(err.Error(), "\n"); !strings.Contains(line, want) || len([]rune(line)) > 200 {
		t.Errorf("%s: %q", what, err)
	}
}

// TestHostileConfigurations changes one value of config.json.
func TestHostileConfigurations(t *testing.T) {
	for _, c := range []struct {
		of, key string
		value   any
	}{
		{"hf_vit", "num_attention_heads", 4}, {"hf_vit", "num_attention_heads", 0}, {"hf_vit", "num_attention_heads", -3},
		{"hf_vit", "num_attention_heads", "3"}, {"hf_vit", "num_attention_heads", 1e18},
		{"hf_vit", "num_hidden_layers", 3}, {"hf_vit", "hidden_size", 768}, {"hf_vit", "patch_size", 16},
		{"hf_dinov2_reg4", "num_register_tokens", 2}, {"timm_vit", "num_features", 192}, {"timm_vit", "global_pool", "map"},
		{"timm_vit", "model_args", map[string]any{"act_layer": "relu"}},
		{"hf_vit", "layer_norm_eps", -1e-6}, {"hf_vit", "layer_norm_eps", 1e300}, {"hf_vit", "hidden_act", "relu"},
		{"swin", "pretrained_cfg", map[string]any{"input_size": []int{3, 1 << 40, 1 << 40}}},
	} {
		e := networks(t)[c.of]
		var config map[string]any
		if err := json.Unmarshal(e.Files["config.json"], &config); err != nil {
			t.Fatal(err)
		}
		config[c.key] = c.value
		text, err := json.Marshal(config)
		if err != nil {
			t.Fatal(err)
		}
		_, err = vision.New(tensorsOf(t, c.of), vision.Options{Config: text})
		check(t, fmt.Sprintf("%s, %s %v", c.of, c.key, c.value), err, "")
	}
	for _, text := range []string{"", "{", "[]", "3", `{"model_type": "vit"`} {
		_, err := vision.New(tensorsOf(t, "hf_vit"), vision.Options{Config: []byte(text)})
		check(t, text, err, "config.json")
	}
	for _, heads := range []int{-1, 3, 17, 1 << 40} {
		_, err := vision.New(tensorsOf(t, "timm_small"), vision.Options{Heads: heads})
		check(t, fmt.Sprint(heads, " heads"), err, "heads")
	}
}

// TestTruncatedFiles reads the first part of a file.
func TestTruncatedFiles(t *testing.T) {
	b, err := os.ReadFile("testdata/timm_small.pth")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 100, len(b) / 2, len(b) - 1} {
		path := filepath.Join(t.TempDir(), "short.pth")
		if err := os.WriteFile(path, b[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := trained.OpenVision(path, "", 2); err == nil {
			t.Errorf("%d bytes are read", n)
		}
	}
}
