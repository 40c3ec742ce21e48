package data

import (
	"strings"
	"testing"
)

// A split that was put together by hand is refused where a loader could not make batches of it.
func TestLoaderRefuses(t *testing.T) {
	ok := Split{Format: Format{Rows: 2, Cols: 2, Channels: 1, Mean: []float32{0}, Std: []float32{1}},
		Pixels: make([]uint8, 8), Labels: make([]int32, 2)}
	if _, err := NewLoader(ok, LoaderOptions{Batch: 2}); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(s *Split){
		"want images of 1 to 4096 channels, got 0": func(s *Split) { s.Channels, s.Pixels = 0, nil },
		"1 means and 1 stds: want one of each for": func(s *Split) { s.Channels, s.Pixels = 4, make([]uint8, 32) },
		"got 0 × 2":                               func(s *Split) { s.Rows = 0 },
		"2 labels, and 7 bytes of pixels":         func(s *Split) { s.Pixels = s.Pixels[:7] },
		"2 labels, and 3 floats of pixels":        func(s *Split) { s.Pixels, s.Floats = nil, make([]float32, 3) },
		"images of bytes and of floats: want one": func(s *Split) { s.Floats = make([]float32, 8) },
		"std 0 of channel 0":                      func(s *Split) { s.Std = []float32{0} },
	} {
		s := ok
		change(&s)
		if _, err := NewLoader(s, LoaderOptions{Batch: 2}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("NewLoader: %v; want an error with %q", err, want)
		}
	}
	if _, err := NewLoader(ok, LoaderOptions{Batch: 2, Workers: -1}); err == nil {
		t.Error("NewLoader with -1 workers")
	}
}
