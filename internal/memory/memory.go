// Package memory reports how much memory there is, and refuses an allocation that cannot fit before the system kills
// the process for it.
package memory

import "fmt"

// TooLargeError is the error for an allocation of Need bytes where Have are left.
type TooLargeError struct {
	Need, Have int64
	Limit      string // what limits memory, and where that is set; "": the machine
}

func (e *TooLargeError) Error() string {
	need, have := float64(e.Need)/1e9, float64(e.Have)/1e9
	if e.Limit == "" {
		return fmt.Sprintf("needs %.4g GB of memory; this machine has %.3g GB", need, have)
	}
	return fmt.Sprintf("needs %.4g GB of memory; %s leaves %.3g GB", need, e.Limit, have)
}

// Hint names what needs less.
func (e *TooLargeError) Hint() string {
	return "a smaller batch needs less: --batch, --set train.eval_batch=N; attnconv inspect shows the memory of a model"
}

// small is the largest allocation, in bytes, that is not checked: reading the limits takes longer.
const small = 4 << 20

// Check returns *TooLargeError if the process cannot allocate so many bytes more: if they exceed the machine's memory,
// or what a limit on the process or on its control group leaves. It accepts up to 4 MB unchecked.
func Check(bytes int64) error {
	if bytes <= small {
		return nil
	}
	if have := Total(); have > 0 && bytes > have {
		return &TooLargeError{Need: bytes, Have: have}
	}
	for _, l := range limits() {
		if bytes > l.Have {
			l.Need, l.Have = bytes, max(l.Have, 0)
			return &l
		}
	}
	return nil
}

// Floats returns n zeros, or the error of Check if they do not fit.
func Floats(n int) ([]float32, error) {
	if err := Check(4 * int64(n)); err != nil {
		return nil, err
	}
	return make([]float32, n), nil
}
