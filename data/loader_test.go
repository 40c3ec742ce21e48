package data

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// epoch copies the batches of an epoch.
func epoch(t *testing.T, l *Loader, e, from int) (batches []Batch) {
	t.Helper()
	for b := range l.Epoch(t.Context(), e, from) {
		batches = append(batches, Batch{slices.Clone(b.X), slices.Clone(b.Labels), b.N, slices.Clone(b.Others),
			slices.Clone(b.Shares)})
	}
	return batches
}

func equal(a, b Batch) bool {
	return a.N == b.N && slices.Equal(a.X, b.X) && slices.Equal(a.Labels, b.Labels) &&
		slices.Equal(a.Others, b.Others) && slices.Equal(a.Shares, b.Shares)
}

func TestLoaderIsAFunctionOfSeedEpochAndBatch(t *testing.T) {
	s := noiseImages(47, 10)
	o := LoaderOptions{Batch: 5, Seed: 3, Augment: []string{"crop", "flip"}, Shuffle: true, Workers: 1}
	want := epoch(t, loader(t, s, o), 2, 0)
	if len(want) != 9 {
		t.Fatalf("%d batches, want 9 of 47 images", len(want))
	}
	for _, workers := range []int{1, 2, 3, 16} {
		o.Workers = workers
		for _, from := range []int{0, 1, 8, 9, 20} {
			l := loader(t, s, o)
			epoch(t, l, 1, 0) // an epoch before must not matter
			got := epoch(t, l, 2, from)
			if !slices.EqualFunc(got, want[min(from, 9):], equal) {
				t.Errorf("%d workers from batch %d: other batches than with one worker from 0", workers, from)
			}
		}
	}
	if again := epoch(t, loader(t, s, o), 3, 0); equal(again[0], want[0]) {
		t.Error("epoch 3 begins like epoch 2")
	}
	o.Seed = 4
	if other := epoch(t, loader(t, s, o), 2, 0); equal(other[0], want[0]) {
		t.Error("seed 4 begins like seed 3")
	}
}

func TestLoaderNormalizes(t *testing.T) {
	s := noiseImages(2, 2)
	b := epoch(t, loader(t, s, LoaderOptions{Batch: 2}), 0, 0)[0]
	for i := range 2 {
		for c := range 3 {
			for _, at := range []int{0, 5*32 + 7, 1023} {
				v := float64(s.Bytes(i)[c*1024+at])
				want := (v/255 - []float64{0.4914, 0.4822, 0.4465}[c]) / []float64{0.2023, 0.1994, 0.2010}[c]
				if got := b.X[(i*1024+at)*3+c]; math.Abs(float64(got)-want) > 1e-6 {
					t.Errorf("image %d, pixel %d, channel %d: %v, want %v", i, at, c, got, want)
				}
			}
		}
	}
}

// Mirror reverses the columns of each image after Shift, and flip mirrors some of them again.
func TestLoaderMirrors(t *testing.T) {
	s := noiseImages(40, 2)
	read := func(o LoaderOptions) []float32 {
		o.Batch = 40
		return epoch(t, loader(t, s, o), 0, 0)[0].X
	}
	shifted, got := read(LoaderOptions{Shift: [2]int{1, -2}}), read(LoaderOptions{Shift: [2]int{1, -2}, Mirror: true})
	for i := range got {
		row, col, ch := i/96, i/3%32, i%3
		if got[i] != shifted[row*96+(31-col)*3+ch] {
			t.Fatalf("row %d, column %d, channel %d is not that of column %d", row, col, ch, 31-col)
		}
	}
	plain, flipped, both := read(LoaderOptions{}), read(LoaderOptions{Augment: []string{"flip"}}),
		read(LoaderOptions{Augment: []string{"flip"}, Mirror: true})
	again := 0
	for i := range 40 {
		own := func(x []float32) []float32 { return x[i*s.Size():][:s.Size()] }
		if slices.Equal(own(plain), own(flipped)) == slices.Equal(own(plain), own(both)) {
			t.Fatalf("image %d: flip and Mirror do not undo each other", i)
		}
		if slices.Equal(own(plain), own(both)) {
			again++
		}
	}
	if again == 0 || again == 40 {
		t.Errorf("flip mirrors %d images of 40", again)
	}
}

// Nudge moves what Shift has moved, black and all, and repeats it next to its border; Mirror comes last.
func TestLoaderNudges(t *testing.T) {
	s := noiseImages(3, 2)
	read := func(o LoaderOptions) []float32 {
		o.Batch = 3
		return epoch(t, loader(t, s, o), 0, 0)[0].X
	}
	shifted := read(LoaderOptions{Shift: [2]int{3, -2}})
	got := read(LoaderOptions{Shift: [2]int{3, -2}, Nudge: [2]int{-1, 2}, Mirror: true})
	rows := func(row int) int { return []int{row + 1, 30}[row/31] } // row 31 would be 32
	cols := func(col int) int {                                     // columns 0 and 1 would be -2 and -1
		if col < 2 {
			return 2 - col
		}
		return col - 2
	}
	for i := range got {
		image, row, col, ch := i/3072, i%3072/96, 31-i%96/3, i%3
		if want := shifted[image*3072+(rows(row)*32+cols(col))*3+ch]; got[i] != want {
			t.Fatalf("image %d, row %d, column %d, channel %d: %v, want %v", image, row, 31-col, ch, got[i], want)
		}
	}
}

func TestLoaderPads(t *testing.T) {
	s := noiseImages(7, 7)
	got := epoch(t, loader(t, s, LoaderOptions{Batch: 5, Pad: true}), 0, 0)
	if len(got) != 2 || got[0].N != 5 || got[1].N != 2 {
		t.Fatalf("got %d batches, want one of 5 and one of 2", len(got))
	}
	if want := []int32{5, 6, -1, -1, -1}; !slices.Equal(got[1].Labels, want) {
		t.Errorf("labels %v, want %v", got[1].Labels, want)
	}
	if slices.ContainsFunc(got[1].X[2*3072:], func(x float32) bool { return x != 0 }) {
		t.Error("the padding is not zero")
	}
}

func TestLoaderSeesEachImageOnce(t *testing.T) {
	s := noiseImages(40, 40)
	var seen []int32
	for _, b := range epoch(t, loader(t, s, LoaderOptions{Batch: 8, Shuffle: true}), 0, 0) {
		seen = append(seen, b.Labels...)
	}
	slices.Sort(seen)
	for i, label := range seen {
		if int(label) != i {
			t.Fatalf("images %v, want each of 40 once", seen)
		}
	}
}

func TestLoaderErrors(t *testing.T) {
	s := noiseImages(4, 2)
	for name, o := range map[string]LoaderOptions{
		"no batch":             {},
		"too few for a batch":  {Batch: 5},
		"unknown augmentation": {Batch: 2, Augment: []string{"mixin"}},
	} {
		if _, err := NewLoader(s, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewLoader(Split{Format: rgb32}, LoaderOptions{Batch: 1, Pad: true}); err == nil {
		t.Error("no images: no error")
	}
}

func TestAugmentation(t *testing.T) {
	s := noiseImages(1, 1)
	plain := epoch(t, loader(t, s, LoaderOptions{Batch: 1}), 0, 0)[0].X
	l := loader(t, s, LoaderOptions{Batch: 1, Augment: []string{"flip", "crop"}})
	mirrored := map[int]int{-2: 2, -1: 1, 32: 30, 33: 29}
	at := func(x []float32, row, col, c int, reflect bool) float32 {
		if reflect {
			if to, ok := mirrored[row]; ok {
				row = to
			}
			if to, ok := mirrored[col]; ok {
				col = to
			}
		}
		if row < 0 || row > 31 || col < 0 || col > 31 {
			return float32(-float64(s.Mean[c]) / float64(s.Std[c])) // black, then normalized
		}
		return x[(row*32+col)*3+c]
	}
	for _, c := range []Placement{
		{}, {Flip: true}, {Down: -4, Right: 4}, {Down: 3, Right: -4}, {Down: 4, Right: 1, Flip: true},
		{Nudge: [2]int{1, 0}}, {Nudge: [2]int{2, -2}}, {Nudge: [2]int{-1, 1}, Flip: true},
	} {
		got := make([]float32, 3072)
		l.normalize(got, s.Bytes(0), c)
		for i, x := range got {
			row, col, ch := i/96, i/3%32, i%3
			if c.Flip {
				col = 31 - col
			}
			if want := at(plain, row+c.Down-c.Nudge[0], col+c.Right-c.Nudge[1], ch,
				c.Nudge != [2]int{}); math.Abs(float64(x-want)) > 1e-6 {
				t.Fatalf("%+v: row %d, column %d, channel %d: %v, want %v", c, i/96, i/3%32, ch, x, want)
			}
		}
	}
}

// A shift is one of 25, mirrored at the border, and takes the place of crop. However small an image is, it has the
// pixel.
func TestShift(t *testing.T) {
	l := loader(t, noiseImages(1, 1), LoaderOptions{Batch: 1, Augment: []string{"shift"}})
	seen := map[Placement]bool{}
	for i := range 2000 {
		p := l.placement(draws{epoch: 77}, i)
		down, right := p.Nudge[0], p.Nudge[1]
		if seen[p] = true; p.Down != 0 || p.Right != 0 || p.Flip || max(down, -down, right, -right) > 2 {
			t.Fatalf("%+v", p)
		}
	}
	if len(seen) != 25 {
		t.Errorf("%d shifts, want 25", len(seen))
	}
	if _, err := NewLoader(noiseImages(5, 1), LoaderOptions{Batch: 5, Augment: []string{"crop", "shift"}}); err == nil {
		t.Error("crop and shift are taken together")
	}
	for n := 1; n < 5; n++ {
		for i := range n {
			for to, from := range map[int]int{-i: i, i: i, 2*(n-1) - i: i} {
				if got := mirrorIndex(to, n); got != from {
					t.Errorf("pixel %d of %d is %d, want %d", to, n, got, from)
				}
			}
		}
	}
}

// Cutout makes a square of 16 × 16 pixels, or what of it is inside, the mean color, and leaves the rest as it is.
func TestCutout(t *testing.T) {
	s := noiseImages(1, 1)
	l := loader(t, s, LoaderOptions{Batch: 1, Augment: []string{"cutout"}})
	plain, got := make([]float32, 3072), make([]float32, 3072)
	l.normalize(plain, s.Bytes(0), Placement{})
	seen := map[[2]int]bool{}
	for i := range 20_000 {
		centerRow, centerCol := cutCenter(s.Format, randomWord(77, i, 1))
		if seen[[2]int{centerRow, centerCol}] {
			continue
		}
		seen[[2]int{centerRow, centerCol}] = true
		copy(got, plain)
		l.edit(got, draws{epoch: 77}, i)
		for i, x := range got {
			row, col := i/96-centerRow, i/3%32-centerCol
			want := plain[i]
			if -8 <= row && row < 8 && -8 <= col && col < 8 {
				want = 0
			}
			if x != want {
				t.Fatalf("around %d, %d: row %d, column %d: %v, want %v", centerRow, centerCol, i/96, i/3%32, x, want)
			}
		}
	}
	if len(seen) != 32*32 {
		t.Errorf("squares around %d pixels, want all", len(seen))
	}
}

// TestDraws counts the 162 changes: each is to come equally often, and none to predict the next image's.
func TestDraws(t *testing.T) {
	l := loader(t, noiseImages(1, 1), LoaderOptions{Batch: 1, Augment: []string{"crop", "flip"}})
	const n = 162 * 500
	counts, after := map[Placement]int{}, map[[2]bool]int{}
	last := false
	for i := range n {
		c := l.placement(draws{epoch: 77}, i)
		counts[c]++
		after[[2]bool{last, c.Flip}]++
		last = c.Flip
	}
	chi := 0.0
	for _, k := range counts {
		chi += float64((k - 500) * (k - 500) / 500)
	}
	if len(counts) != 162 || chi > 237 { // with 161 degrees of freedom, one in 10,000 is above
		t.Errorf("%d changes, want 162; chi² %.0f, want at most 237", len(counts), chi)
	}
	for pair, k := range after {
		if k < n/4-620 || k > n/4+620 { // five standard deviations: 5·√(n·3/16) = 616
			t.Errorf("flips %v follow each other %d times of %d, want a quarter", pair, k, n)
		}
	}
	off := loader(t, noiseImages(1, 1), LoaderOptions{Batch: 1})
	if c := off.placement(draws{epoch: 77}, 5); c != (Placement{}) {
		t.Errorf("without augmentation: %+v", c)
	}
}

func TestLoaderLeavesNothingBehind(t *testing.T) {
	l := loader(t, noiseImages(64, 2), LoaderOptions{Batch: 2, Workers: 4})
	before := runtime.NumGoroutine()
	for range 20 {
		for range l.Epoch(t.Context(), 0, 0) {
			break
		}
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		for range l.Epoch(ctx, 0, 0) {
			n++
			stop()
		}
		stop()
		if n != 1 {
			t.Fatalf("%d batches after the context was done, want none", n-1)
		}
	}
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if wait > 100 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func BenchmarkLoader(b *testing.B) {
	s := noiseImages(10000, 10)
	for _, workers := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			o := LoaderOptions{Batch: 100, Augment: []string{"crop", "flip"}, Shuffle: true, Workers: workers}
			l, n := loader(b, s, o), 0
			for e := 0; b.Loop(); e++ {
				for batch := range l.Epoch(b.Context(), e, 0) {
					n += batch.N
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "img/s")
		})
	}
}

func loader(t testing.TB, s Split, o LoaderOptions) *Loader {
	t.Helper()
	l, err := NewLoader(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// noiseImages makes n random images of the given number of classes.
func noiseImages(n, classes int) Split {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	s := Split{Format: rgb32, Pixels: make([]uint8, n*rgb32.Size()), Labels: make([]int32, n)}
	for i := range s.Pixels {
		s.Pixels[i] = uint8(r.Uint32())
	}
	for i := range s.Labels {
		s.Labels[i] = int32(i % classes)
	}
	return s
}

// rgb32 is the format of most sets.
var rgb32 = FormatOf(32, 32, 3)
