package data

import (
	"slices"
	"testing"
)

// A sample is distinct images in the order of the split, of all of its parts, and the same every time.
func TestSample(t *testing.T) {
	s := Split{Format: FormatOf(1, 1, 1)}
	for i := range 200 {
		s.Pixels, s.Labels = append(s.Pixels, uint8(i)), append(s.Labels, int32(i/20))
	}
	some := s.Sample(100)
	if some.Len() != 100 || !slices.IsSorted(some.Pixels) || len(slices.Compact(slices.Clone(some.Pixels))) != 100 ||
		slices.Min(some.Counts(10)) < 3 || !slices.Equal(some.Pixels, s.Sample(100).Pixels) {
		t.Errorf("%d of 200 images: %v", some.Len(), some.Pixels)
	}
	for n, want := range map[int]int{-1: 0, 0: 0, 200: 200, 300: 200} {
		if got := s.Sample(n).Len(); got != want {
			t.Errorf("a sample of %d has %d images, want %d", n, got, want)
		}
	}
}
