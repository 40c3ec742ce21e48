package prove

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/attnconv/attnconv/theorem"
)

// JSON has no infinity: a deviation that is not finite is null, and fails.
func TestInfiniteDeviationsAreNull(t *testing.T) {
	j := theorem.Judged{Experiment: theorem.Experiment{Kernel: 3, Axes: 2},
		Deviation: theorem.Deviation{Max: math.Inf(1), Rel: math.NaN(), Leak: 0.5}, Limit: 1e-6}
	b, err := json.Marshal(document(theorem.Proof{}, []theorem.Judged{j}))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Pass bool             `json:"pass"`
		Rows []map[string]any `json:"rows"`
	}
	if err := json.Unmarshal(b, &got); err != nil || got.Pass || got.Rows[0]["max_err"] != nil || got.Rows[0]["max_rel_err"] != nil ||
		got.Rows[0]["leak"] != 0.5 || got.Rows[0]["pass"] != false {
		t.Errorf("%s, %v", b, err)
	}
}
