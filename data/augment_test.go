package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"
)

// The bytes of augmented images are the same in every version: they were computed when crop, flip and cutout were
// branches of one function. A run that resumes, and a paper's numbers, depend on them.
func TestAugmentedBytes(t *testing.T) {
	for _, tt := range []struct{ augment, plain, permuted string }{
		{"", "4ab271436acfa02e", "bb35744bef5ede61"},
		{"crop", "381680472dde615f", "9bc1473825f483fe"},
		{"flip", "214bc1470186ecf9", "7ab49b61061e076e"},
		{"cutout", "f2a30f2f62e1b150", "eb6aa3536ea3c6d3"},
		{"flip,crop", "88fe747205ce3365", "1cad561e16549ffa"},
		{"crop,flip,cutout", "3d57595072bfec2b", "a9d61bba97ed227c"},
		{"cutout,flip", "1c2c3312930cafa6", "bfe0fd8adde3a38a"},
	} {
		for _, permute := range []uint64{0, 7} {
			s := noiseImages(12, 3)
			s.order = pixelOrder(s.Format, permute)
			var names []string
			if tt.augment != "" {
				names = strings.Split(tt.augment, ",")
			}
			h := sha256.New()
			l := loader(t, s, LoaderOptions{Batch: 5, Pad: true, Shuffle: true, Seed: 3, Augment: names,
				Shift: [2]int{1, -2}})
			for e := range 2 {
				for _, b := range epoch(t, l, e, 0) {
					for _, x := range b.X {
						h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
					}
				}
			}
			got, want := hex.EncodeToString(h.Sum(nil))[:16], tt.plain
			if permute != 0 {
				want = tt.permuted
			}
			if got != want {
				t.Errorf("%q, permuted by %d: %s, want %s", tt.augment, permute, got, want)
			}
		}
	}
}

// altflip mirrors each image in every second epoch, and about half of them in the first.
func TestAltFlip(t *testing.T) {
	s := noiseImages(200, 3)
	flipped := func(epochs ...int) (all [][]bool) {
		plain := epoch(t, loader(t, s, LoaderOptions{Batch: 200}), 0, 0)[0].X
		for _, e := range epochs {
			x := epoch(t, loader(t, s, LoaderOptions{Batch: 200, Seed: 5, Augment: []string{"altflip"}}), e, 0)[0].X
			each := make([]bool, 200)
			for i := range each {
				size := s.Size()
				each[i] = !slices.Equal(x[i*size:(i+1)*size], plain[i*size:(i+1)*size])
			}
			all = append(all, each)
		}
		return all
	}
	at, n := flipped(0, 1, 2, 7), 0
	for i := range at[0] {
		if at[0][i] == at[1][i] || at[0][i] != at[2][i] || at[1][i] != at[3][i] {
			t.Fatalf("image %d is mirrored in epochs 0, 1, 2, 7: %t %t %t %t", i, at[0][i], at[1][i], at[2][i],
				at[3][i])
		}
		if at[0][i] {
			n++
		}
	}
	if n < 70 || n > 130 {
		t.Errorf("%d of 200 images are mirrored in the first epoch", n)
	}
	if _, err := NewLoader(s, LoaderOptions{Batch: 5, Augment: []string{"flip", "altflip"}}); err == nil {
		t.Error("flip and altflip are taken together")
	}
}

// A line in Augmentations is all that an augmentation needs: it is validated and applied, and draws nothing that others
// draw.
func TestAugmentationAddedByALine(t *testing.T) {
	old := Augmentations
	t.Cleanup(func() { Augmentations = old })
	s, o := noiseImages(40, 3), LoaderOptions{Batch: 40, Augment: []string{"flip", "crop", "cutout"}}
	before := slices.Clone(epoch(t, loader(t, s, o), 0, 0)[0].X)
	Augmentations = append(slices.Clone(old), Augmentation{Name: "negate", Word: 2,
		Edit: func(x []float32, f Format, word uint64) {
			if len(x) != f.Size() {
				t.Errorf("%d values of an image, want %d", len(x), f.Size())
			}
			for i := range x {
				if word&1 == 1 {
					x[i] = -x[i]
				}
			}
		}})
	options := Default()
	options.Augment = append(options.Augment, "negate")
	if err := options.Validate(); err != nil {
		t.Error(err)
	}
	o.Augment = append(o.Augment, "negate")
	after, negated := epoch(t, loader(t, s, o), 0, 0)[0].X, 0
	for i := range s.Len() {
		size := s.Size()
		one, was := after[i*size:(i+1)*size], before[i*size:(i+1)*size]
		sign := float32(1)
		if !slices.Equal(one, was) {
			negated, sign = negated+1, -1
		}
		for j := range one {
			if one[j] != sign*was[j] {
				t.Fatalf("image %d, value %d: %v, want ±%v", i, j, one[j], was[j])
			}
		}
	}
	if negated < 8 || negated > 32 { // four standard deviations around 20
		t.Errorf("%d images of 40 negated, want a half", negated)
	}
	o.Augment = []string{"negat"}
	if _, err := NewLoader(s, o); err == nil || !strings.Contains(err.Error(),
		"cutmix, negate\n  did you mean \"negate\"?") {
		t.Errorf("NewLoader: %v, want negate among the choices", err)
	}
}
