package data_test

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
)

// From a data set to batches: shapes32 is drawn here and needs no file.
func Example() {
	set := sets.Shapes()
	train, val, test, err := set.Split(data.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(train.Len(), "to train,", val.Len(), "held out,", test.Len(), "to test; class 0 is", set.Classes[0])

	loader, err := data.NewLoader(train, data.LoaderOptions{Batch: 50, Shuffle: true, Augment: []string{"flip"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for batch := range loader.Epoch(context.Background(), 0, 0) {
		fmt.Println(loader.Batches(), "batches of", loader.Shape(), "with", len(batch.Labels), "labels")
		break
	}
	// Output:
	// 9000 to train, 1000 held out, 2000 to test; class 0 is disc
	// 180 batches of [50 32 32 3] with 50 labels
}
