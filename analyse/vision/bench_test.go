package vision_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/model/ckpt"
)

// vit is an untrained ViT under timm's names, with patches of 16 × 16 pixels on images of 224 × 224.
func vit(t testing.TB, d, layers, heads int) *vision.Network {
	var tensors []ckpt.Tensor
	add := func(name string, shape ...int) {
		n := 1
		for _, s := range shape {
			n *= s
		}
		tensors = append(tensors, ckpt.Tensor{Name: name, Shape: shape, Data: make([]float32, n)})
	}
	both := func(name string, out int, in ...int) {
		add(name+".weight", append([]int{out}, in...)...)
		add(name+".bias", out)
	}
	both("patch_embed.proj", d, 3, 16, 16)
	add("cls_token", 1, 1, d)
	add("pos_embed", 1, 197, d)
	for i := range layers {
		at := fmt.Sprintf("blocks.%d.", i)
		both(at+"norm1", d)
		both(at+"attn.qkv", 3*d, d)
		both(at+"attn.proj", d, d)
		both(at+"norm2", d)
		both(at+"mlp.fc1", 4*d, d)
		both(at+"mlp.fc2", d, 4*d)
	}
	both("norm", d)
	both("head", 1000, d)
	n, err := vision.New(tensors, vision.Options{Heads: heads})
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := n.Fresh(1)
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

// BenchmarkLayer is a layer of ViT-B/16 on eight images, 2.9 GFLOP each, with the patches and the classifier.
func BenchmarkLayer(b *testing.B) {
	n := vit(b, 768, 4, 12)
	image := make([]float32, 3*224*224)
	for i := range image {
		image[i] = float32(i%251)/125 - 1
	}
	images := vision.Images{Count: 8, At: func(int) []float32 { return image }}
	for b.Loop() {
		if _, err := n.Run(context.Background(), images, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*4*8), "ms/layer")
}
