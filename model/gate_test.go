package model

import (
	"strings"
	"testing"
)

// Content and positions drop the same pairs: where both attend equally to all keys, a step does not depend on the gate.
func TestGateDropsOnce(t *testing.T) {
	for _, window := range []int{0, 3} {
		s := small()
		s.Content, s.AttentionDropout, s.Window = "gate", 0.5, Window{Size: window}
		n := newNet(t, s, 1)
		x, labels := images(4, s), []int32{0, 1, 2, 3}
		step := func(gate float32) []float32 {
			for _, p := range n.Params {
				switch name := p.Name; {
				case strings.HasSuffix(name, ".gate"):
					for i := range p.Data {
						p.Data[i] = gate
					}
				case strings.Contains(name, "self.query") || strings.HasSuffix(name, "spreads"):
					clear(p.Data)
				}
			}
			return imageLogits(t, n, true, x, labels)
		}
		content, both, positions := step(-30), step(0.3), step(30)
		if a, b := largest(content, both), largest(content, positions); a > 2e-6 || b > 2e-6 {
			t.Errorf("window %d: with another gate logits differ by %v and %v", window, a, b)
		}
	}
}
