package option_test

import (
	"fmt"

	"github.com/attnconv/attnconv/option"
)

// Window is the options of a kind called window.
type Window struct {
	Side int `yaml:"side" help:"tokens along a side of the window"`
}

// Validate names the option as its tag does.
func (w *Window) Validate() error {
	if w.Side%2 == 0 {
		return option.Errorf("side", "%d: want an odd number", w.Side)
	}
	return nil
}

func ExampleErrorf() {
	fmt.Println((&Window{Side: 4}).Validate())
	// Output: side 4: want an odd number
}
