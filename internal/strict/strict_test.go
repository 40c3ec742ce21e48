package strict

import (
	"math"
	"reflect"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// Numbers and truths are written as Encode writes them, and so are values whose type has a name.
func TestNodeIsEncodes(t *testing.T) {
	type size int
	for _, value := range []any{true, false, 0, -1, math.MaxInt64, math.MinInt64, int8(-7), uint64(math.MaxUint64),
		uint8(7), 0.0,
		math.Copysign(0, -1), 1.0, -1.5, 0.1, float32(0.1), 1e21, 1e20, 123456789.0, 1e-7, math.SmallestNonzeroFloat64,
		math.MaxFloat64,
		float32(math.MaxFloat32), math.Inf(1), math.Inf(-1), math.NaN(), size(3), time.Minute, "1", "word", ""} {
		got, want := Node(reflect.ValueOf(value)), new(yaml.Node)
		if err := want.Encode(value); err != nil {
			t.Fatal(err)
		}
		a, errA := yaml.Marshal(got)
		b, errB := yaml.Marshal(want)
		if got.Value != want.Value || got.Tag != want.Tag || got.Kind != want.Kind || string(a) != string(b) ||
			errA != nil || errB != nil {
			t.Errorf("%v (%T): %s %s %q, want %s %s %q", value, value, got.Tag, got.Value, a, want.Tag, want.Value, b)
		}
	}
}
