// Package memory says how much of it there is, and refuses what cannot fit: to a program that asks for more, the system
// answers with its end.
package memory

import "fmt"

// A TooLarge says that numbers need more memory than there is, both in bytes.
type TooLarge struct {
	Need, Have int64
	Limit      string // whose limit it is, with what sets it; "": the machine's
}

func (e *TooLarge) Error() string {
	need, have := float64(e.Need)/1e9, float64(e.Have)/1e9
	if e.Limit == "" {
		return fmt.Sprintf("needs %.4g GB of memory; this machine has %.3g GB", need, have)
	}
	return fmt.Sprintf("needs %.4g GB of memory; %s leaves %.3g GB", need, e.Limit, have)
}

// small is how many bytes can be had without a look at the limits, which takes longer.
const small = 4 << 20

// Check returns *TooLarge where so many bytes, beside what the process has already, are more than a limit of the process
// or of its group leaves, or more than all of the machine's memory. A few megabytes pass unseen.
func Check(bytes int64) error {
	if bytes <= small {
		return nil
	}
	if have := Total(); have > 0 && bytes > have {
		return &TooLarge{Need: bytes, Have: have}
	}
	for _, l := range limits() {
		if bytes > l.Have {
			l.Need, l.Have = bytes, max(l.Have, 0)
			return &l
		}
	}
	return nil
}

// Floats returns n zeros, or *TooLarge where they do not fit; see Check.
func Floats(n int) ([]float32, error) {
	if err := Check(4 * int64(n)); err != nil {
		return nil, err
	}
	return make([]float32, n), nil
}
