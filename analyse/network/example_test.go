package network_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/model"
)

// A network of 3 × 3 convolutions with zeros around the image is one, layer by layer.
func ExampleMeasure() {
	spec := model.Default()
	spec.Kind, spec.Border = "conv-twin", "zero"
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(2), model.Ints{9}, 8, 8, 8
	net, err := model.New(spec, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	analysis, err := network.Measure(context.Background(), network.Subject{Name: "twin", Net: net}, network.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, layer := range analysis.Layers {
		finding, _, _ := strings.Cut(layer.Sentence, ",")
		fmt.Println(finding)
	}
	// Output:
	// layer 1: 100 % of the squared norm of its operator is one 3 × 3 convolution
	// layer 2: 100 % of the squared norm of its operator is one 3 × 3 convolution
}
