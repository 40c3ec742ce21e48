package viz

import (
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"
)

// matrix returns a random confusion matrix of n classes.
func matrix(n int) (counts [][]int, classes []string) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		row := make([]int, n)
		for k := range row {
			row[k] = int(40 * rng.Float64() * rng.Float64())
		}
		row[i] = 300 + rng.IntN(300)
		counts, classes = append(counts, row), append(classes, fmt.Sprintf("class %d", i+1))
	}
	return counts, classes
}

func TestConfusionLooksAsBefore(t *testing.T) {
	counts, classes := matrix(10)
	counts[3] = make([]int, 10) // a class without images
	f, err := Confusion(counts, classes, ConfusionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	looksAsBefore(t, "confusion", f)
}

// Three of four cats are classified correctly, one as a dog. There are no dogs.
func TestConfusionTable(t *testing.T) {
	f, err := Confusion([][]int{{3, 1}, {0, 0}}, []string{"cat", "dog"}, ConfusionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "is,taken_for,images,share\ncat,cat,3,0.75\ncat,dog,1,0.25\ndog,cat,0,0\ndog,dog,0,0\n"
	if got := string(f.Data.CSV()); got != want {
		t.Errorf("values:\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(f.Alt, "cat 75.0 %, dog 0.0 %") {
		t.Errorf("description: %s", f.Alt)
	}
	for _, counts := range [][][]int{nil, {{1, 2}}, {{1}, {2}}} {
		if _, err := Confusion(counts, []string{"cat", "dog"}, ConfusionOptions{}); err == nil {
			t.Errorf("%v: want an error", counts)
		}
	}
}

// With 100 classes there is no space for percentages, nor for all names.
func TestConfusionOfMany(t *testing.T) {
	counts, classes := matrix(100)
	f, err := Confusion(counts, classes, ConfusionOptions{Width: 8.4})
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Encode("a.svg", Output{})
	if n := strings.Count(string(b), "<text"); err != nil || n > 100 {
		t.Errorf("%d texts, %v", n, err)
	}
}

func TestImagesLookAsBefore(t *testing.T) {
	var shown []Shown
	for i := range 12 {
		shown = append(shown, Shown{Image: disc(), Name: fmt.Sprintf("class %d", i)})
	}
	shown[3].Name = "a name that is longer than its image is wide"
	shown[4].Image = image.NewGray(image.Rect(0, 0, 28, 28))
	f, err := Images(shown, ImagesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	looksAsBefore(t, "images", f)
	if _, err := Images(nil, ImagesOptions{}); err == nil {
		t.Error("no images: want an error")
	}
}

// Two classes; every fourth cat is classified as a dog.
func ExampleConfusion() {
	f, err := Confusion([][]int{{75, 25}, {10, 90}}, []string{"cat", "dog"}, ConfusionOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: Confusion matrix. Correct: cat 75.0 %, dog 90.0 %.
}

func ExampleImages() {
	f, err := Images([]Shown{{Image: image.NewGray(image.Rect(0, 0, 8, 8)), Name: "black"}}, ImagesOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: 1 images: black.
}

// The color of an error says how frequent it is, whatever the other errors are: one in fifty is pale in every matrix.
func TestConfusionOfGoodNetworkIsPale(t *testing.T) {
	good, err := newConfusion([][]int{{98, 2}, {1, 99}}, []string{"cat", "dog"}, ConfusionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bad, err := newConfusion([][]int{{98, 2}, {60, 40}}, []string{"cat", "dog"}, ConfusionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if good.full != 0.2 || bad.full != 0.6 {
		t.Errorf("full color at %g and %g, want 0.2 and 0.6", good.full, bad.full)
	}
	if words := strings.Join(good.legend, " "); !strings.HasSuffix(words, "full color at 20.0 %") {
		t.Errorf("the legend says %q", words)
	}
}
