package trained

import (
	"testing"
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
