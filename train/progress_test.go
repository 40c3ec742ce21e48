package train

import "testing"

// The estimate of the remaining time is a mean over minutes of steps: one slow or fast step hardly moves it, and a
// machine that has become slower does.
func TestTimeLeftIsSmooth(t *testing.T) {
	c := &clock{}
	remaining := func() float64 { return c.paceS * 1000 }
	c.lap(5) // makes the buffers
	c.lap(0.1)
	if got := remaining(); got < 99 || got > 101 {
		t.Errorf("after the second step %.1f s, want 100", got)
	}
	for range 1200 {
		c.lap(0.1)
	}
	for name, odd := range map[string]float64{"slow": 1, "fast": 0.02} {
		d := *c
		d.lap(odd)
		if got := 1000 * d.paceS; got < 99 || got > 101 {
			t.Errorf("after one %s step %.1f s, want 100", name, got)
		}
	}
	for range 1200 {
		c.lap(0.3)
	}
	if got := remaining(); got < 270 || got > 301 {
		t.Errorf("on a machine three times as slow %.1f s, want 300 soon", got)
	}
}
