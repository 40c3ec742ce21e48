package null_test

import (
	"encoding/json"
	"fmt"

	"github.com/attnconv/attnconv/null"
)

func Example() {
	b, err := json.Marshal([]null.Float{0.75, null.Unknown})
	if err != nil {
		fmt.Println(err)
	}
	var back []null.Float
	if err := json.Unmarshal(b, &back); err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(b), back[0].Known(), back[1].Known())
	// Output: [0.75,null] true false
}
