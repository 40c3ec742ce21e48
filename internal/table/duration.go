package table

import (
	"fmt"
	"math"
	"time"
)

// Duration is a length of time in a sentence: 42 s, 55 min, 2 h 40 min, 3 d 4 h.
func Duration(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	m := (s + 30) / 60
	switch {
	case s < 90:
		return fmt.Sprintf("%d s", s)
	case m < 60:
		return fmt.Sprintf("%d min", m)
	case m < 24*60:
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
	return Clock(d.Seconds())
}

// Seconds is Duration for a number of seconds; unknown is "?".
func Seconds(s float64) string {
	if !Known(s) {
		return "?"
	}
	return Duration(time.Duration(s * float64(time.Second)))
}

// Period is Seconds, or a dash for NaN.
func Period[F ~float64](s F) string {
	if s-s != 0 {
		return "-"
	}
	return Seconds(float64(s))
}

// Clock is a duration in seconds as a clock shows it: 3:42, 46:45, 1h02, 3 d 4 h. Unknown is "-:--".
func Clock(seconds float64) string {
	if !Known(seconds) {
		return "-:--"
	}
	s := int64(math.Round(seconds))
	switch {
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02d", s/3600, s%3600/60)
	}
	return fmt.Sprintf("%d d %d h", s/(24*3600), s%(24*3600)/3600)
}

// Known is false for the negative, infinite and absurd durations that stand for none.
func Known(seconds float64) bool { return seconds >= 0 && seconds < 1e10 }
