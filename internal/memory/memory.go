// Package memory says how much of it the machine has, and refuses what cannot fit: to a program that asks for more, the
// system answers with its end.
package memory

import "fmt"

// A TooLarge says that numbers need more memory than there is, both in bytes.
type TooLarge struct{ Need, Have int64 }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("needs %.4g GB of memory; this machine has %.3g GB", float64(e.Need)/1e9, float64(e.Have)/1e9)
}

// Floats returns n zeros, or *TooLarge where they would take more than all of the machine's memory.
func Floats(n int) ([]float32, error) {
	if need, have := 4*int64(n), Total(); have > 0 && need > have {
		return nil, &TooLarge{need, have}
	}
	return make([]float32, n), nil
}
