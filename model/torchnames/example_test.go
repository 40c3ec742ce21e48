package torchnames_test

import (
	"fmt"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/torchnames"
)

// Weights of a residual network under torchvision's names, and back into a network whose size is inferred from them.
func Example() {
	spec := model.Default()
	spec.Kind, spec.Width = "resnet10", 4
	net, err := model.New(spec, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	theirs := torchnames.Export(net)
	fmt.Println(theirs[0].Name, theirs[0].Shape)

	weights, left := torchnames.Adopt(&ckpt.File{Tensors: theirs}, nil)
	found, err := model.Infer(weights, model.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Kind, "of width", found.Width, "with", len(left.Left), "tensors left")
	// Output:
	// conv1.weight [4 3 3 3]
	// resnet10 of width 4 with 0 tensors left
}
