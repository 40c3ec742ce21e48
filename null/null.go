// Package null has the numbers of JSON documents that may be unknown.
//
// Stable: all.
package null

import (
	"encoding/json"
	"math"
)

// A Float is null in JSON if it is NaN or infinite, and NaN if JSON has null.
type Float float64

// Unknown is the Float of null.
var Unknown = Float(math.NaN())

// Known reports whether f is a number in JSON.
func (f Float) Known() bool { return f-f == 0 }

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Float) UnmarshalJSON(b []byte) error {
	v := math.NaN()
	err := json.Unmarshal(b, &v)
	*f = Float(v)
	return err
}
