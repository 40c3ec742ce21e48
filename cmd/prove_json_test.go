package cmd

import (
	"encoding/json"
	"math"
	"testing"
)

// JSON has no infinity: a deviation that is not finite is null.
func TestInfiniteDeviationsAreNull(t *testing.T) {
	row := siteRow{MaxErr: measured(math.Inf(1)), MaxRelErr: measured(math.NaN()), Rounding: 0.5}
	b, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil || got["max_err"] != nil || got["max_rel_err"] != nil || got["network_rounding"] != 0.5 {
		t.Errorf("%s, %v", b, err)
	}
}
