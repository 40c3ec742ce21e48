package trained

import (
	"testing"

	"github.com/attnconv/attnconv/data"
)

// The weights of views add up to one.
func TestViewWeights(t *testing.T) {
	for _, s := range Views {
		sum := 0.0
		for _, v := range s.views {
			sum += v.weight
		}
		if sum != 1 || s.Len() == 0 || s.Help == "" {
			t.Errorf("%s: %d views of weight %v", s.Name, s.Len(), sum)
		}
	}
}

// An array of CIFAR-10-C has the same labels five times, and the name of a corruption.
func TestSeverities(t *testing.T) {
	for _, c := range []struct {
		path   string
		labels []int32
		want   int
	}{
		{"c/fog.npy", []int32{3, 1, 3, 1, 3, 1, 3, 1, 3, 1}, 5},
		{"c/fog.npy", []int32{3, 1, 3, 1, 3, 1, 3, 1, 1, 3}, 0},
		{"c/fog.npy", []int32{3, 3, 3, 3, 3, 3}, 0},
		{"c/fog", []int32{3, 3, 3, 3, 3}, 0},
		{"c/frog.npy", []int32{3, 3, 3, 3, 3}, 0},
	} {
		if got := severities(&data.Set{Path: c.path, Test: data.Split{Labels: c.labels}}); got != c.want {
			t.Errorf("%s with labels %v: %d severities, want %d", c.path, c.labels, got, c.want)
		}
	}
}
