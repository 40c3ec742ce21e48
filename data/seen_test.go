package data

import (
	"context"
	"image"
	"slices"
	"testing"
)

// What the network is given, drawn, is the image: for one channel and for three, with its pixels permuted or not.
func TestSeen(t *testing.T) {
	colored := noiseImages(4, 2)
	gray := Split{Format: Format{Rows: 4, Cols: 8, Channels: 1, Mean: []float32{0.3}, Std: []float32{0.2}}}
	for i := range 4 * 8 * 4 {
		gray.Pixels = append(gray.Pixels, uint8(37*i))
	}
	gray.Labels = make([]int32, 4)
	moved := colored
	moved.order = make([]int, colored.Rows*colored.Cols)
	for i := range moved.order {
		moved.order[i] = (i + 5) % len(moved.order)
	}
	for name, s := range map[string]Split{"color": colored, "gray": gray, "permuted": moved} {
		l, err := NewLoader(s, LoaderOptions{Batch: 4})
		if err != nil {
			t.Fatal(err)
		}
		for b := range l.Epoch(context.Background(), 0, 0) {
			for i := range 4 {
				got := s.Seen(b.X[i*s.Size():][:s.Size()]).(*image.NRGBA)
				if want := s.Image(i).(*image.NRGBA); !slices.Equal(got.Pix, want.Pix) {
					t.Errorf("%s: image %d differs from what the network is given", name, i)
				}
			}
			break
		}
	}
}
