package vision_test

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/session/trained"
)

// Example reads a network of timm and asks for the attention of its layers on an image.
func Example() {
	net, err := trained.OpenVision("testdata/timm_vit.pth", "", 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %d parameters, %v heads\n", net.Facts.Family, net.Facts.Parameters, net.Facts.Heads)
	gray := make([]float32, 3*net.Facts.Image[0]*net.Facts.Image[1])
	images := vision.Images{Count: 1, At: func(int) []float32 { return gray }}
	logits, err := net.Run(context.Background(), images, func(layer, image int, s vision.Seen) error {
		n := s.Others + net.Facts.Grid.Tokens()
		sum := float32(0)
		for _, p := range s.Attention[s.Others*n:][:s.Others] { // of the first head, from the first token of the grid
			sum += p
		}
		fmt.Printf("layer %d, head 1: %.0f %% of the first token's attention is not on the grid\n", layer+1, 100*sum)
		return nil
	})
	fmt.Println(len(logits[0]), "classes", err)
	// Output:
	// ViT of timm, 6621 parameters, [3] heads
	// layer 1, head 1: 0 % of the first token's attention is not on the grid
	// layer 2, head 1: 7 % of the first token's attention is not on the grid
	// 5 classes <nil>
}
