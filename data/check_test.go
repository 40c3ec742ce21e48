package data

import (
	"strings"
	"testing"
)

// A split that was put together by hand is refused where a loader could not make batches of it.
func TestLoaderRefuses(t *testing.T) {
	ok := Split{Format: Format{Rows: 2, Cols: 2, Channels: 1, Std: [3]float32{1, 1, 1}}, Pixels: make([]uint8, 8), Labels: make([]uint8, 2)}
	if _, err := NewLoader(ok, LoaderOptions{Batch: 2}); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(s *Split){
		"want images of 1 to 3 channels, got 4": func(s *Split) { s.Channels, s.Pixels = 4, make([]uint8, 32) },
		"got 0 × 2":                             func(s *Split) { s.Rows = 0 },
		"2 labels, and 7 bytes of pixels":       func(s *Split) { s.Pixels = s.Pixels[:7] },
		"std 0 of channel 0":                    func(s *Split) { s.Std = [3]float32{} },
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
