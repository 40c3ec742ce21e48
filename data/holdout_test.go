package data

import (
	"slices"
	"testing"
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
