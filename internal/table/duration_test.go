package table

import (
	"math"
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	for _, tt := range []struct {
		seconds      float64
		clock, words string
	}{
		{0, "0:00", "0 s"}, {41.6, "0:42", "42 s"}, {222, "3:42", "4 min"}, {2805, "46:45", "47 min"},
		{3599.6, "1h00", "1 h 0 min"}, {3720, "1h02", "1 h 2 min"}, {86399, "23h59", "23h59"},
		{273600, "3 d 4 h", "3 d 4 h"},
		{230 * 86400, "230 d 0 h", "230 d 0 h"},
		{-1, "-:--", "?"}, {math.NaN(), "-:--", "?"}, {math.Inf(1), "-:--", "?"}, {1e308, "-:--", "?"},
	} {
		if c, w := Clock(tt.seconds), Seconds(tt.seconds); c != tt.clock || w != tt.words {
			t.Errorf("%v s: %q and %q, want %q and %q", tt.seconds, c, w, tt.clock, tt.words)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 42400 * time.Millisecond: "42 s", 3*time.Minute + 42*time.Second: "4 min",
		3599 * time.Second: "1 h 0 min",
		160 * time.Minute:  "2 h 40 min", 76 * time.Hour: "3 d 4 h", 230 * 24 * time.Hour: "230 d 0 h",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}
