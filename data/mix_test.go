package data

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// mixedEpoch returns the only batch of an epoch with and without the augmentations that mix, in one order.
func mixedEpoch(t *testing.T, s Split, mix string) (plain, mixed Batch) {
	t.Helper()
	o := LoaderOptions{Batch: s.Len(), Seed: 9, Shuffle: true, Augment: []string{"crop", "flip"}}
	plain = epoch(t, loader(t, s, o), 3, 0)[0]
	o.Augment = append(strings.Split(mix, ","), o.Augment...)
	return plain, epoch(t, loader(t, s, o), 3, 0)[0]
}

// sharesOf returns how much of each class the label of image i has.
func sharesOf(b Batch, i, classes int) []float64 {
	q := make([]float64, classes)
	q[b.Labels[i]] += 1 - float64(b.Shares[i])
	q[b.Others[i]] += float64(b.Shares[i])
	return q
}

// hasShares reports whether the label of image i is 1 - share of one class and share of another.
func hasShares(b Batch, i int, own, other int32, share float64, classes int) bool {
	want := make([]float64, classes)
	want[own] += 1 - share
	want[other] += share
	for c, q := range sharesOf(b, i, classes) {
		if math.Abs(q-want[c]) > 1e-4 {
			return false
		}
	}
	return b.Shares[i] <= 0.5
}

// Of images without noise in common, the other image and its share follow from the pixels alone: by least squares, for
// each image of the epoch in turn. Labels have the same share.
func TestMixUp(t *testing.T) {
	s := noiseImages(23, 23)
	plain, mixed := mixedEpoch(t, s, "mixup=1")
	size, partners, large := s.Size(), map[int]bool{}, 0
	for i := range s.Len() {
		x, own, found := mixed.X[i*size:(i+1)*size], plain.X[i*size:(i+1)*size], false
		for j := range s.Len() {
			other := plain.X[j*size : (j+1)*size]
			var along, square, rest float64
			for k := range x {
				d := float64(other[k]) - float64(own[k])
				along, square = along+d*(float64(x[k])-float64(own[k])), square+d*d
			}
			share := along / max(square, 1e-9)
			for k := range x {
				rest = max(rest, math.Abs(float64(x[k])-float64(own[k])-share*(float64(other[k])-float64(own[k]))))
			}
			if rest > 1e-4 {
				continue
			}
			if found = true; i != j && !hasShares(mixed, i, plain.Labels[i], plain.Labels[j], share, 23) {
				t.Errorf("image %d has the share %v of image %d; its label has %d, %d with %v", i, share, j,
					mixed.Labels[i], mixed.Others[i], mixed.Shares[i])
			}
			if partners[j] = true; share > 0.5 {
				large++
			}
			break
		}
		if !found {
			t.Errorf("image %d is no mean of two images", i)
		}
	}
	if len(partners) < 10 || large < 5 || large > 18 {
		t.Errorf("%d partners of 23 images, %d with the larger share", len(partners), large)
	}
}

// The pixels of the other image are a rectangle, whose area is the share of the label.
func TestCutMix(t *testing.T) {
	s := noiseImages(23, 23)
	plain, mixed := mixedEpoch(t, s, "cutmix")
	size, areas := s.Size(), map[int]bool{}
	for i := range s.Len() {
		x, own, found := mixed.X[i*size:(i+1)*size], plain.X[i*size:(i+1)*size], slices.Equal(
			mixed.X[i*size:(i+1)*size], plain.X[i*size:(i+1)*size])
		if found && mixed.Shares[i] > 0 && mixed.Labels[i] != mixed.Others[i] {
			t.Errorf("image %d is unchanged, and its label is not", i)
		}
		for j := 0; j < s.Len() && !found; j++ {
			other := plain.X[j*size : (j+1)*size]
			top, left, bottom, right := 32, 32, -1, -1
			for p := range 1024 {
				if !slices.Equal(x[3*p:3*p+3], own[3*p:3*p+3]) {
					top, left, bottom, right = min(top, p/32), min(left, p%32), max(bottom, p/32), max(right, p%32)
				}
			}
			same := true
			for p := range 1024 {
				inside := p/32 >= top && p/32 <= bottom && p%32 >= left && p%32 <= right
				same = same && (!inside || slices.Equal(x[3*p:3*p+3], other[3*p:3*p+3]))
			}
			if !same {
				continue
			}
			area := (bottom - top + 1) * (right - left + 1)
			found, areas[area] = true, true
			// pixels that crop made black are equal in both images: the rectangle may be larger than it looks
			if !hasShares(mixed, i, plain.Labels[i], plain.Labels[j], float64(area)/1024, 23) &&
				!touchesBlack(own, other) {
				t.Errorf("image %d has %d pixels of image %d; its label has %d, %d with %v", i, area, j,
					mixed.Labels[i], mixed.Others[i], mixed.Shares[i])
			}
		}
		if !found {
			t.Errorf("image %d has no rectangle of another image", i)
		}
	}
	if len(areas) < 10 {
		t.Errorf("%d different areas in 23 images", len(areas))
	}
}

// touchesBlack reports whether two images have an equal pixel.
func touchesBlack(a, b []float32) bool {
	for p := 0; p < len(a); p += 3 {
		if slices.Equal(a[p:p+3], b[p:p+3]) {
			return true
		}
	}
	return false
}

// The moments of Beta(a, a) are 1/2 and 1/(4·(2a+1)), and the mean of (λ-½)⁴ is 3/(16·(2a+1)(2a+3)).
func TestBeta(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, a := range []float64{0.01, 0.2, 0.9, 1, 2.5, 40} {
		const n = 40000
		var first, second, fourth float64
		for range n {
			d := beta(r, a) - 0.5
			if !(d >= -0.5 && d <= 0.5) {
				t.Fatalf("beta(%v) = %v", a, d+0.5)
			}
			first, second, fourth = first+d/n, second+d*d/n, fourth+d*d*d*d/n
		}
		v, k := 1/(4*(2*a+1)), 3/(16*(2*a+1)*(2*a+3))
		if math.Abs(first) > 5*math.Sqrt(v/n) || math.Abs(second/v-1) > 0.04 || math.Abs(fourth/k-1) > 0.08 {
			t.Errorf("a = %v: moments %v %v %v, want 0 %v %v", a, first, second, fourth, v, k)
		}
	}
}

// What is mixed depends on seed, epoch and image only: not on workers, on the part of the batch that is made, or on the
// batch before. Each image is mixed by one of the two.
func TestMixedBatches(t *testing.T) {
	s := noiseImages(47, 10)
	o := LoaderOptions{Batch: 8, Seed: 3, Shuffle: true, Workers: 1,
		Augment: []string{"mixup=0.4", "cutmix", "randaugment=2x7", "crop", "flip"}}
	want := epoch(t, loader(t, s, o), 1, 0)
	if again := epoch(t, loader(t, s, o), 2, 0); equal(again[0], want[0]) {
		t.Error("epoch 2 begins like epoch 1")
	}
	o.Workers = 5
	if got := epoch(t, loader(t, s, o), 1, 2); !slices.EqualFunc(got, want[2:], equal) {
		t.Error("five workers, from batch 2 on, make other batches")
	}
	l := loader(t, s, o)
	for i, got := range epoch(t, l.Part(2, 7).Part(1, 4), 1, 0) {
		if part := want[i].Part(3, 6); !equal(got, part) {
			t.Errorf("batch %d: images 3 to 5 are not those of the batch", i)
		}
	}
	o.Workers, o.Augment = 1, []string{"mixup", "crop"} // nothing else seeds what mixes
	want = epoch(t, loader(t, s, o), 1, 0)
	o.Workers = 3
	if got := epoch(t, loader(t, s, o), 1, 1); !slices.EqualFunc(got, want[1:], equal) {
		t.Error("three workers, from batch 1 on, mix otherwise")
	}
	o.Batch, o.Pad, o.Shuffle = 16, true, false
	last := epoch(t, loader(t, s, o), 1, 0)[2]
	if last.N != 15 || last.Labels[15] != -1 || last.Shares[15] != 0 || last.Others[15] != 0 {
		t.Errorf("a padded batch ends with %+v", last.Part(15, 16))
	}
	// of images that are only mixed, mixup changes all pixels and cutmix not all
	o.Batch, o.Pad, o.Augment = 47, false, []string{"mixup=1", "cutmix=1"}
	plain := epoch(t, loader(t, s, LoaderOptions{Batch: 47}), 1, 0)[0]
	mixed, cut, both := epoch(t, loader(t, s, o), 1, 0)[0], 0, 0
	for i := range 47 {
		differ := 0
		for k := range s.Size() {
			if mixed.X[i*s.Size()+k] != plain.X[i*s.Size()+k] {
				differ++
			}
		}
		if differ > 3000 {
			both++
		} else {
			cut++
		}
	}
	if cut < 12 || both < 12 {
		t.Errorf("%d images are cut and %d are mixed whole", cut, both)
	}
}

// Numbers behind the names are checked, and named if they are wrong.
func TestParameters(t *testing.T) {
	for text, want := range map[string]string{
		"mixup=0":          `mixup=0: mixup "0": want a number from 0.01 to 100`,
		"mixup=":           `mixup=: mixup "": want a number from 0.01 to 100`,
		"mixup=NaN":        `mixup=NaN: mixup "NaN": want a number from 0.01 to 100`,
		"crop=4":           `crop=4: crop takes no number`,
		"randaugment=2":    `randaugment=2: want 2 number(s), such as randaugment=2x5`,
		"randaugment=1.5x": `randaugment=1.5x: changes "1.5": want a whole number from 1 to 14`,
		"randaugment=2x11": `randaugment=2x11: strength "11": want a number from 0 to 10`,
		"mixup,mixup=0.3":  `"mixup" is given twice`,
		"mixxup=1":         `did you mean "mixup"?`,
	} {
		o := Default()
		o.Augment = strings.Split(text, ",")
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	floats := Split{Format: FloatFormat(4, 4, 1), Floats: make([]float32, 32), Labels: []int32{0, 1}}
	_, err := NewLoader(floats, LoaderOptions{Batch: 1, Augment: []string{"randaugment"}})
	if err == nil || !strings.Contains(err.Error(), "these are of float32") {
		t.Errorf("randaugment of floats: %v", err)
	}
	if _, err := NewLoader(floats, LoaderOptions{Batch: 1, Augment: []string{"mixup"}}); err != nil {
		t.Error(err)
	}
}
