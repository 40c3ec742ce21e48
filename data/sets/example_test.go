package sets_test

import (
	"fmt"
	"image"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
)

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
	all, err := sets.FromImages(images, labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	half := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	rest := []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	set, err := sets.New("squares", []string{"dark", "bright"}, all.Subset(half), all.Subset(rest), data.Split{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Kind(), set.Train.Counts(2), set.Val.Len())
	// Output: 8 × 8 grey [5 5] 10
}
