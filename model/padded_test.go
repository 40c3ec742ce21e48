package model

import "testing"

// The tokens cover the whole image, and settings that are not valid do not panic.
func TestPadded(t *testing.T) {
	for _, tt := range []struct {
		image      [3]int
		pool       int
		rows, cols int
		padded     bool
	}{
		{[3]int{32, 32, 3}, 2, 32, 32, false},
		{[3]int{30, 21, 1}, 4, 32, 24, true},
		{[3]int{7, 7, 1}, 7, 7, 7, false},
		{[3]int{5, 9, 1}, 0, 5, 9, false},
	} {
		s := Default()
		s.Image, s.Pool = tt.image, tt.pool
		if rows, cols, padded := s.Padded(); rows != tt.rows || cols != tt.cols || padded != tt.padded {
			t.Errorf("%v, pool %d: %d × %d, %v", tt.image, tt.pool, rows, cols, padded)
		}
	}
}
