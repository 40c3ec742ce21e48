package heads_test

import (
	"fmt"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
)

// How a query's attention is distributed over an image's tokens, read off an untrained network.
func ExampleReader() {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(2), model.Ints{3}, 12, 16, 8
	net, err := model.New(spec, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	reader, err := heads.NewReader(net)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer reader.Close()
	scores, err := reader.Of(nil) // scores of positions are the same for every image
	if err != nil {
		fmt.Println(err)
		return
	}
	p := scores[0].Weights() // (heads, queries, keys)
	sum := float32(0)
	for _, weight := range p[:scores[0].Tokens] { // of the first head and query
		sum += weight
	}
	fmt.Printf("%d layers, %d heads, %d tokens; a query's weights sum to %.3f\n", len(scores), scores[0].Heads,
		scores[0].Tokens, sum)
	// Output: 2 layers, 3 heads, 16 tokens; a query's weights sum to 1.000
}
