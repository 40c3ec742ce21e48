package model_test

import (
	"fmt"

	"github.com/attnconv/attnconv/model"
)

// The paper's network: its size is counted without making it.
func ExampleSpec() {
	spec := model.Default()
	if err := spec.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec)
	fmt.Println(spec.Params(), "parameters")
	// Output:
	// mhsa: 6 × quadratic of 9 heads, dim 400, 256 tokens
	// 12086844 parameters
}

// A small network, drawn from seed 0: two layers of four heads each.
func ExampleNew() {
	spec := model.Default()
	spec.Layers, spec.Heads = model.Equal(2), model.Ints{4}
	spec.Dim, spec.FFN, spec.Pool = 16, 32, 8
	net, err := model.New(spec, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	layers, isotropic := net.Heads()
	fmt.Println(len(net.Params), "tensors,", len(layers), "layers of", len(layers[0]), "heads, isotropic:", isotropic)
	// Output: 32 tensors, 2 layers of 4 heads, isotropic: true
}
