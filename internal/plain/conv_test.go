package plain_test

import (
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/plain"
)

// Kernel 1, 10, 100 (or 1, 10) on 1, 2, 3.
func TestConv(t *testing.T) {
	three, two := []float64{1, 10, 100}, []float64{1, 10}
	for _, tt := range []struct {
		name string
		c    plain.Conv
		want []float64
	}{
		{"unpadded", plain.Conv{Weight: three}, []float64{321}},
		{"zeros", plain.Conv{Weight: three, Before: []int{1}, After: []int{1}}, []float64{210, 321, 32}},
		{"same", plain.Conv{Weight: three, Same: true}, []float64{210, 321, 32}},
		{"same, even: the zero is after", plain.Conv{Weight: two, Same: true}, []float64{21, 32, 3}},
		{"same, dilated by 2", plain.Conv{Weight: three, Same: true, Dilation: []int{2}}, []float64{310, 20, 31}},
		{"mirrored", plain.Conv{Weight: three, Same: true, Mirrored: true}, []float64{12, 123, 230}},
		{"edge", plain.Conv{Weight: three, Same: true, Outside: plain.Edge}, []float64{211, 321, 332}},
		{"wrap", plain.Conv{Weight: three, Same: true, Outside: plain.Wrap}, []float64{213, 321, 132}},
		{"stride 2", plain.Conv{Weight: three, Same: true, Stride: []int{2}}, []float64{210, 32}},
		{"bias", plain.Conv{Weight: two, Bias: []float64{1000}}, []float64{1021, 1032}},
	} {
		tt.c.Kernel, tt.c.In, tt.c.Out = []int{len(tt.c.Weight)}, 1, 1
		if got := tt.c.Forward([]int{3}, []float64{1, 2, 3}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Two axes with stride 2 along the last, and grouped channels.
func TestConvAxesAndGroups(t *testing.T) {
	c := plain.Conv{Kernel: []int{2, 1}, Stride: []int{1, 2}, In: 1, Out: 1, Weight: []float64{1, 10}}
	if got := c.Forward([]int{2, 3}, []float64{1, 2, 3, 4, 5, 6}); !slices.Equal(got, []float64{41, 63}) {
		t.Errorf("stride (1, 2): %v, want [41 63]", got)
	}
	c = plain.Conv{Kernel: []int{1}, In: 4, Out: 4, Groups: 2, Weight: []float64{1, 10, 2, 20, 3, 30, 4, 40}}
	if got := c.Forward([]int{1}, []float64{1, 2, 3, 4}); !slices.Equal(got, []float64{21, 42, 129, 172}) {
		t.Errorf("two groups: %v, want [21 42 129 172]", got)
	}
}
