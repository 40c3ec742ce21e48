package sets

import (
	"slices"
	"sync"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// pairs draws relations32 once for all tests.
var pairs = sync.OnceValue(func() *data.Set {
	s, err := relationsKind.made(data.Options{})
	if err != nil {
		panic(err)
	}
	return s
})

func TestRelationsDigest(t *testing.T) {
	if s := pairs(); !s.Published || s.Digest != relationsKind.Digest {
		t.Errorf("relations32 has %+v, want %+v: runs of other versions cannot be compared", s.Digest,
			relationsKind.Digest)
	}
}

// halves returns the sums of the upper, right, lower and left half of the 4 × 4 pixels of a tile, in all channels.
func halves(image []uint8, row, col int) (sums [4]int) {
	for c := range 3 {
		for y := range 4 {
			for x := range 4 {
				v := int(image[c*1024+(4*row+y)*32+4*col+x])
				for side, in := range []bool{y < 2, x > 1, y > 1, x < 2} {
					if in {
						sums[side] += v
					}
				}
			}
		}
	}
	return sums
}

// marks finds the tiles one half of which is much lighter than the other, and where they point.
func marks(image []uint8) (tiles [][2]int, points []int) {
	for row := range 8 {
		for col := range 8 {
			s := halves(image, row, col)
			for side := range 4 {
				if s[side]-s[(side+2)%4] > 3*8*70 { // 190 - 70, less a hue and noise
					tiles, points = append(tiles, [2]int{row, col}), append(points, side)
				}
			}
		}
	}
	return tiles, points
}

// Every image has two marks, 6 tiles or more apart. The class is the angle between them, and what one mark points to
// says nothing of it.
func TestRelationsAreOfTwoFarTiles(t *testing.T) {
	s := pairs()
	for _, split := range []data.Split{s.Train, s.Test} {
		var byDirection [4][3]int
		for i := range split.Len() {
			tiles, points := marks(split.Bytes(i))
			if len(tiles) != 2 {
				t.Fatalf("image %d has marks at %v, want two", i, tiles)
			}
			far := 0
			for axis := range 2 {
				far = max(far, tiles[0][axis]-tiles[1][axis], tiles[1][axis]-tiles[0][axis])
			}
			turn := (points[1] - points[0] + 4) % 4
			if class := []int32{0, 1, 2, 1}[turn]; class != split.Labels[i] || far < 6 || class != int32(i%3) {
				t.Fatalf("image %d: marks at %v point to %v, and the class is %d", i, tiles, points, split.Labels[i])
			}
			byDirection[points[0]][split.Labels[i]]++
		}
		for direction, classes := range byDirection {
			want := split.Len() / 12
			for class, n := range classes {
				if n < want-want/6 || n > want+want/6 { // 3 standard deviations of the smaller split are 40 of 200
					t.Errorf("direction %d has class %d %d times of %d, want about %d", direction, class, n,
						split.Len(), want)
				}
			}
		}
	}
}

// A linear classifier on a single tile, or on all pixels, only guesses on other images.
func TestRelationsAreNotLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := pairs()
	for name, cut := range map[string]func(data.Split) data.Split{
		"all pixels":      func(s data.Split) data.Split { return s },
		"a tile":          func(s data.Split) data.Split { return cutTile(s, 0, 0) },
		"a tile below":    func(s data.Split) data.Split { return cutTile(s, 7, 3) },
		"the first mark":  func(s data.Split) data.Split { return cutMark(s, 0) },
		"the second mark": func(s data.Split) data.Split { return cutMark(s, 1) },
	} {
		if acc := linearAccuracy(t, cut(s.Train), cut(s.Test), 3); acc > 0.37 { // 1/3, and 3.8 standard deviations
			t.Errorf("a linear classifier of %s reaches %.3f", name, acc)
		}
	}
}

// cutTile is the images of one tile of each image.
func cutTile(s data.Split, row, col int) data.Split {
	return cutTiles(s, func([]uint8) [2]int { return [2]int{row, col} })
}

// cutMark is those of the first or second mark of each image.
func cutMark(s data.Split, which int) data.Split {
	return cutTiles(s, func(image []uint8) [2]int {
		tiles, _ := marks(image)
		return tiles[which]
	})
}

func cutTiles(s data.Split, of func(image []uint8) [2]int) data.Split {
	p := s
	p.Rows, p.Cols, p.Pixels = 4, 4, nil
	for i := range s.Len() {
		image := s.Bytes(i)
		at := of(image)
		for c := range 3 {
			for y := range 4 {
				p.Pixels = append(p.Pixels, image[c*1024+(4*at[0]+y)*32+4*at[1]:][:4]...)
			}
		}
	}
	return p
}

// linearAccuracy is that of a softmax regression on other images than those that it learns.
func linearAccuracy(t *testing.T, train, test data.Split, classes int) float64 {
	t.Helper()
	const epochs = 4
	m := newLinear(classes, train.Size())
	learn := loader(t, train, data.LoaderOptions{Batch: linearBatch, Seed: 1, Shuffle: true})
	for e := range epochs {
		for b := range learn.Epoch(t.Context(), e, 0) {
			m.step(b, 2e-4*float32(epochs-e)/epochs)
		}
	}
	right := 0
	for b := range loader(t, test, data.LoaderOptions{Batch: linearBatch, Pad: true}).Epoch(t.Context(), 0, 0) {
		m.forward(b)
		for i := range b.N {
			row := m.logits[i]
			if slices.Index(row, slices.Max(row)) == int(b.Labels[i]) {
				right++
			}
		}
	}
	return float64(right) / float64(test.Len())
}
