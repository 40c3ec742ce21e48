package data_test

import (
	"context"
	"fmt"
	"image"

	"github.com/attnconv/attnconv/data"
)

// From a data set to batches: shapes32 is drawn here and needs no file.
func Example() {
	set := data.Shapes()
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

// A set of a program's own images: bright and dark squares, half of them held out for validation.
func ExampleNew() {
	var images []image.Image
	var labels []int32
	for i := range 20 {
		img := image.NewGray(image.Rect(0, 0, 8, 8))
		for j := range img.Pix {
			img.Pix[j] = uint8(i%2*200 + j%50)
		}
		images, labels = append(images, img), append(labels, int32(i%2))
	}
	all, err := data.FromImages(images, labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	half := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	rest := []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	set, err := data.New("squares", []string{"dark", "bright"}, all.Subset(half), all.Subset(rest), data.Split{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Kind(), set.Train.Counts(2), set.Val.Len())
	// Output: 8 × 8 grey [5 5] 10
}
