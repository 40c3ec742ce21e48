package session

import (
	"testing"
	"time"
)

func TestWhenFiguresAreDrawn(t *testing.T) {
	for _, tt := range []struct {
		name  string
		every int
		drawn time.Duration // ago
		epoch int
		want  bool
	}{
		{"just now", 0, time.Second, 7, false},
		{"a while ago", 0, time.Minute, 7, true},
		{"not yet", 3, time.Minute, 7, false},
		{"in its turn", 3, time.Second, 9, true},
	} {
		if got := drawsAfter(tt.epoch, tt.every, tt.drawn); got != tt.want {
			t.Errorf("%s: %v after epoch %d, want %v", tt.name, got, tt.epoch, tt.want)
		}
	}
}
