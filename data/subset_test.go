package data

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/option"
)

// uneven is a set of n training images, of which the first class has only three.
func uneven(n int) *Set {
	s := numbered(n)
	s.Format, s.Classes = rgb32, strings.Fields("a b c d e f g h i j")
	for i := range s.Train.Labels {
		s.Train.Labels[i] = int32(i % 10)
		if i%10 == 0 && i >= 30 {
			s.Train.Labels[i] = 1
		}
	}
	return s
}

func TestTrainSizeTakesClassesAlikeAndNests(t *testing.T) {
	s := uneven(300)
	took := func(n int, seed uint64, protocol string) (Split, map[int]bool) {
		t.Helper()
		train, val, test, err := s.Split(Options{Protocol: protocol, ValSize: 40, TrainSize: n, SubsetSeed: seed})
		if err != nil || train.Len() != n || test.Len() != 5 || protocol == Holdout && val.Len() != 40 {
			t.Fatalf("%v: %d + %d + %d images, want %d + 40 + 5", err, train.Len(), val.Len(), test.Len(), n)
		}
		numbers := map[int]bool{}
		for i := range train.Len() {
			numbers[int(train.Bytes(i)[0])+int(train.Bytes(i)[1])<<8] = true
		}
		return train, numbers
	}
	for _, protocol := range Protocols.Names() {
		var smaller map[int]bool
		for _, n := range []int{1, 7, 20, 50, 133, 260} {
			train, numbers := took(n, 0, protocol)
			if len(numbers) != n {
				t.Errorf("%d of %d images differ", len(numbers), n)
			}
			for k := range smaller {
				if !numbers[k] {
					t.Errorf("%d images leave out number %d, which fewer hold", n, k)
				}
			}
			smaller = numbers
			if counts := train.Counts(10)[1:]; n <= 133 && slices.Max(counts)-slices.Min(counts) > 1 {
				t.Errorf("%d images: %v of the classes that have enough", n, counts)
			}
		}
	}
	_, first := took(20, 0, Holdout)
	_, again := took(20, 0, Holdout)
	_, other := took(20, 1, Holdout)
	same := func(a, b map[int]bool) (n int) {
		for k := range a {
			if b[k] {
				n++
			}
		}
		return n
	}
	if same(first, again) != 20 || same(first, other) > 15 {
		t.Errorf("%d of 20 with the same seed, %d with another", same(first, again), same(first, other))
	}
	var bad *option.Error
	if _, _, _, err := s.Split(Options{Protocol: Holdout, ValSize: 40, TrainSize: 261}); !errors.As(err, &bad) ||
		bad.Key != "data.train_size" || !strings.Contains(err.Error(), "261: want 1 to 260") {
		t.Errorf("more than there are: %v", err)
	}
}

func TestPermuteMovesThePixelsOfAllImagesAlike(t *testing.T) {
	s := numbered(30)
	s.Format = rgb32
	plain, _, _, err := s.Split(Options{Protocol: paper})
	if err != nil {
		t.Fatal(err)
	}
	train, val, test, err := s.Split(Options{Protocol: Holdout, ValSize: 5, Permute: 3, TrainSize: 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []Split{train, val, test} {
		if !slices.Equal(part.order, train.order) {
			t.Fatal("the splits' permutations differ")
		}
	}
	moved := plain
	moved.order = train.order
	o := LoaderOptions{Batch: 4, Augment: []string{"crop", "flip", "cutout"}, Seed: 9}
	a, b := epoch(t, loader(t, plain, o), 1, 0), epoch(t, loader(t, moved, o), 1, 0)
	for k := range a {
		for i, x := range b[k].X { // augmentation first: the same images, pixel by pixel elsewhere
			image, at, ch := i/3072, i%3072/3, i%3
			if want := a[k].X[image*3072+train.order[at]*3+ch]; x != want {
				t.Fatalf("batch %d, image %d, pixel %d, channel %d: %v, want %v", k, image, at, ch, x, want)
			}
		}
	}
	r, _, _, _ := moved.Image(2).At(7, 3).RGBA()
	if want := plain.Bytes(2)[train.order[3*32+7]]; uint8(r>>8) != want {
		t.Errorf("Image shows %d at row 3, column 7, want %d", uint8(r>>8), want)
	}
	if other := pixelOrder(rgb32, 4); slices.Equal(other, train.order) {
		t.Error("seeds 3 and 4 move pixels alike")
	}
}

func TestShiftMovesImagesDownAndRight(t *testing.T) {
	s := noiseImages(2, 2)
	plain := epoch(t, loader(t, s, LoaderOptions{Batch: 2}), 0, 0)[0].X
	moved := epoch(t, loader(t, s, LoaderOptions{Batch: 2, Shift: [2]int{2, -3}}), 0, 0)[0].X
	for i, x := range moved {
		image, row, col, ch := i/3072, i%3072/96, i%96/3, i%3
		want := float32(-float64(s.Mean[ch]) / float64(s.Std[ch])) // black
		if from, at := row-2, col+3; from >= 0 && at < 32 {
			want = plain[image*3072+(from*32+at)*3+ch]
		}
		if math.Abs(float64(x-want)) > 1e-6 {
			t.Fatalf("image %d, row %d, column %d, channel %d: %v, want %v", image, row, col, ch, x, want)
		}
	}
}
