package data

import (
	"math"
	"slices"
	"testing"
)

// floats is a split of n images, rows × cols × channels of float32, image i of class i modulo classes.
func floats(n, rows, cols, channels, classes int) Split {
	s := NewSplit(FloatFormat(rows, cols, channels), n, true)
	for i := range s.Floats {
		s.Floats[i] = float32(i) / 8
	}
	for i := range s.Labels {
		s.Labels[i] = int32(i % classes)
	}
	return s
}

// Floats enter a batch as they are, with their channels last; augmentation moves them as it moves bytes.
func TestLoaderTakesFloats(t *testing.T) {
	s := floats(4, 6, 6, 2, 2)
	same := Split{Format: FormatOf(6, 6, 2), Labels: s.Labels}
	for i := range s.Floats {
		s.Floats[i] = float32(i % 251)
		same.Pixels = append(same.Pixels, uint8(i%251))
	}
	same.Mean, same.Std = []float32{0, 0}, []float32{1. / 255, 1. / 255}
	for _, augment := range [][]string{{"crop", "flip", "cutout"}, {"shift", "altflip"}} {
		var got [2][]float32
		for i, split := range []Split{s, same} {
			l, err := NewLoader(split, LoaderOptions{Batch: 4, Seed: 3, Shuffle: true, Augment: augment})
			if err != nil {
				t.Fatal(err)
			}
			for b := range l.Epoch(t.Context(), 2, 0) {
				got[i] = slices.Clone(b.X)
			}
		}
		for i, v := range got[0] {
			if math.Abs(float64(v-got[1][i])) > 1e-4 {
				t.Fatalf("%v: value %d is %v of floats, %v of bytes", augment, i, v, got[1][i])
			}
		}
	}
	plain, err := NewLoader(s, LoaderOptions{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	for b := range plain.Epoch(t.Context(), 0, 0) {
		if want := []float32{s.Floats[0], s.Floats[36], s.Floats[1], s.Floats[37]}; !slices.Equal(b.X[:4], want) {
			t.Fatalf("a batch begins %v, want %v", b.X[:4], want)
		}
		break
	}
}

// What a shift brings in is black, 0 before normalization, in images of floats as in images of bytes: (0 - mean)/std.
func TestFloatsShiftedInBlack(t *testing.T) {
	s := floats(1, 3, 2, 2, 1)
	s.Mean, s.Std = []float32{2, -1}, []float32{4, 2}
	x := epoch(t, loader(t, s, LoaderOptions{Batch: 1, Shift: [2]int{1, 0}}), 0, 0)[0].X
	for i, got := range x { // (rows, cols, channels); the split has (channels, rows, cols)
		row, col, channel := i/4, i/2%2, i%2
		v := float32(0)
		if row > 0 {
			v = s.Floats[channel*6+(row-1)*2+col]
		}
		if want := (v - s.Mean[channel]) / s.Std[channel]; got != want {
			t.Errorf("row %d, column %d, channel %d: %v, want %v", row, col, channel, got, want)
		}
	}
}
