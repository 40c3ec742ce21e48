package configs_test

import (
	"fmt"

	"github.com/attnconv/attnconv/configs"
)

// Settings in layers: a preset, a variable over it, and --set over both. Each value knows where it comes from.
func ExampleResolve() {
	r, err := configs.Resolve(configs.Sources{
		Flags: []configs.Flag{{Name: "--preset", Key: "preset", Text: "tiny"}},
		Env:   []string{"ATTNCONV_TRAIN_EPOCHS=3"},
		Set:   []string{"model.heads=4"},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"train.epochs", "model.heads", "train.lr"} {
		fmt.Println(key, "from", r.Origins[key])
	}
	_, err = configs.Resolve(configs.Sources{Set: []string{"model.head=4"}}, nil)
	fmt.Println(err)
	// Output:
	// train.epochs from env ATTNCONV_TRAIN_EPOCHS
	// model.heads from --set model.heads
	// train.lr from preset tiny
	// --set: unknown key "model.head"
	//   did you mean "model.heads"?
}
