package runs_test

import (
	"encoding/json"
	"fmt"

	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study/runs"
)

// The training time after each epoch. A run of an earlier version recorded only how long each epoch took.
func ExampleElapsed() {
	fmt.Println(runs.Elapsed([]event.Epoch{{WallS: 10, TotalS: 10}, {WallS: 8, TotalS: 21}, {WallS: 9}}))
	// Output: [10 21 27]
}

// The output of attnconv runs ls --json is a runs.ListReport.
func ExampleListReport() {
	output := `{"v":1,"runs":[{"id":"k3f9","state":"done","encoding":"quadratic","val_acc":0.75},
		{"id":"p8d2","state":"running","encoding":"learned","val_acc":null}]}`
	var list runs.ListReport
	if err := json.Unmarshal([]byte(output), &list); err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range list.Runs {
		if r.ValAcc.Known() {
			fmt.Println(r.ID, r.Encoding, float64(r.ValAcc))
		}
	}
	// Output: k3f9 quadratic 0.75
}
