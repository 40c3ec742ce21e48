package convert_test

import (
	"fmt"
	"log"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/convert"
)

// The matched convolutional network becomes attention: nine soft heads for each 3 × 3 convolution.
func Example() {
	spec := model.Default()
	spec.Kind, spec.Layers, spec.Dim, spec.FFN = "conv-twin", model.Equal(2), 16, 32
	net, err := model.New(spec, 0)
	if err != nil {
		log.Fatal(err)
	}
	attends, layers, err := convert.ToAttention(net, convert.Options{Alpha: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, condition %.0f\n", attends.Spec, layers[0].Condition)
	heads, _ := attends.Heads()
	fmt.Println(heads[0][0].Center)
	back, _, err := convert.ToConvolution(attends)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Spec)
	// Output:
	// mhsa: 2 × quadratic of 9 heads in windows of 3 × 3, dim 16, 256 tokens, condition 95
	// [-1 -1]
	// conv-twin: 2 × convolution 3 × 3, dim 16, 256 tokens
}
