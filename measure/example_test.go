package measure_test

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/measure"
	"github.com/attnconv/attnconv/model"
)

// A network of 3 × 3 convolutions with zeros around the image is one, layer by layer.
func ExampleNetwork() {
	spec := model.Default()
	spec.Kind, spec.Border = "conv-twin", "zero"
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(2), model.Ints{9}, 8, 8, 8
	net, err := model.New(spec, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	analysis, err := measure.Network(context.Background(), measure.Subject{Name: "twin", Net: net}, measure.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, layer := range analysis.Layers {
		fmt.Println(layer.Sentence)
	}
	// Output:
	// layer 1: 100 % of its operator is one 3 × 3 convolution (no null); R² on images not measured; tap score not measured; content not measured
	// layer 2: 100 % of its operator is one 3 × 3 convolution (no null); R² on images not measured; tap score not measured; content not measured
}
