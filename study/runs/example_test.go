package runs_test

import (
	"fmt"

	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study/runs"
)

// The training time after each epoch. A run of an earlier version recorded only how long each epoch took.
func ExampleElapsed() {
	fmt.Println(runs.Elapsed([]event.Epoch{{WallS: 10, TotalS: 10}, {WallS: 8, TotalS: 21}, {WallS: 9}}))
	// Output: [10 21 27]
}
