package data

import (
	"errors"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/option"
)

// Which images are held out depends neither on the size of the subset that is trained on nor on its seed, and none of
// them is trained on.
func TestHeldOutWhateverTheSubset(t *testing.T) {
	s := uneven(300)
	number := func(p Split, i int) int { return int(p.Bytes(i)[0]) + int(p.Bytes(i)[1])<<8 }
	_, want, _, err := s.Split(Options{Protocol: Holdout, ValSize: 40})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 50, 260} {
		for seed := range uint64(3) {
			train, val, _, err := s.Split(Options{Protocol: Holdout, ValSize: 40, TrainSize: size, SubsetSeed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(val.Pixels, want.Pixels) || !slices.Equal(val.Labels, want.Labels) {
				t.Errorf("%d images of subset seed %d: other images are held out", size, seed)
			}
			held := map[int]bool{}
			for i := range val.Len() {
				held[number(val, i)] = true
			}
			for i := range train.Len() {
				if held[number(train, i)] {
					t.Errorf("%d images of subset seed %d: image %d is trained on and held out", size, seed,
						number(train, i))
				}
			}
		}
	}
}

// numbered is a set whose image i of the training images starts with the bytes of i.
func numbered(n int) *Set {
	s := &Set{
		Name: "numbered", Train: noiseImages(n, 10), Test: noiseImages(5, 5),
		HeldOut: n / 10, Stream: "holdout/numbered",
	}
	for i := range n {
		s.Train.Bytes(i)[0], s.Train.Bytes(i)[1] = byte(i), byte(i>>8)
	}
	return s
}

func TestSplit(t *testing.T) {
	s := numbered(300)
	number := func(p Split) (out []int) {
		for i := range p.Len() {
			out = append(out, int(p.Bytes(i)[0])+int(p.Bytes(i)[1])<<8)
		}
		return out
	}
	train, val, test, err := s.Split(Options{Protocol: Holdout, ValSize: 40})
	if err != nil || train.Len() != 260 || val.Len() != 40 || test.Len() != 5 {
		t.Fatalf("%v: %d + %d + %d images, want 260 + 40 + 5", err, train.Len(), val.Len(), test.Len())
	}
	all := append(number(train), number(val)...)
	slices.Sort(all)
	for i, k := range all {
		if i != k {
			t.Fatalf("image %d is not in exactly one of train and val", i)
		}
	}
	if got := number(val)[:4]; !slices.Equal(got, heldOut) {
		t.Errorf("held out %v, want %v: the hold-out is to be the same for ever", got, heldOut)
	}
	for i := range val.Len() {
		if k := number(val)[i]; val.Labels[i] != s.Train.Labels[k] {
			t.Errorf("image %d has label %d, want %d", k, val.Labels[i], s.Train.Labels[k])
		}
	}
	if _, val, _, _ := s.Split(Options{Protocol: Holdout}); val.Len() != 30 {
		t.Errorf("the set's own hold-out has %d images, want 30", val.Len())
	}
	train, val, _, err = s.Split(Options{Protocol: paper, ValSize: 40})
	if err != nil || train.Len() != 300 || !slices.Equal(number(val), number(s.Test)) {
		t.Errorf("paper: %v, %d training images, want all 300, and the test images to validate", err, train.Len())
	}
	var bad *option.Error
	_, _, _, err = s.Split(Options{Protocol: Holdout, ValSize: 300})
	if !errors.As(err, &bad) || bad.Key != "data.val_size" {
		t.Errorf("hold-out of everything: %v, want an *option.Error on data.val_size", err)
	}
	s.Val = s.Train.Subset([]int{7})
	train, val, _, err = s.Split(Options{Protocol: Holdout, ValSize: 40})
	if err != nil || train.Len() != 300 || number(val)[0] != 7 {
		t.Errorf("a set with validation images of its own: %v, want those", err)
	}
}

// heldOut are the first of the 40 images of 300 that were held out when this was first written.
var heldOut = []int{3, 7, 18, 28}

// TrainLen counts what Split returns.
func TestTrainLen(t *testing.T) {
	own := uneven(300)
	own.Val = own.Train.Subset([]int{7})
	for _, s := range []*Set{uneven(300), own} {
		for _, o := range []Options{{Protocol: Holdout}, {Protocol: Holdout, ValSize: 40},
			{Protocol: paper, ValSize: 40},
			{Protocol: Holdout, TrainSize: 20}, {Protocol: paper, TrainSize: 20}} {
			train, _, _, err := s.Split(o)
			if got := s.TrainLen(o); err != nil || got != train.Len() {
				t.Errorf("%+v: %d images, %v; Split has %d", o, got, err, train.Len())
			}
		}
	}
}
