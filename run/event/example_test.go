package event_test

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/run/event"
)

// The accuracies of a run, from its metrics.jsonl.
func ExampleRecords() {
	lines := `{"v":1,"t":"2026-11-20T23:22:58.112Z","ev":"start","steps":200,"epochs":2}
{"v":1,"t":"2026-11-20T23:30:00.000Z","ev":"epoch","epoch":1,"step":100,"val_acc":0.41}
{"v":1,"t":"2026-11-20T23:37:00.000Z","ev":"epoch","epoch":2,"step":200,"val_acc":0.52}
`
	records, err := event.Records(strings.NewReader(lines), event.Kind(event.Epoch{}))
	if err != nil {
		fmt.Println(err)
	}
	for _, r := range records {
		e := r.Event.(event.Epoch)
		fmt.Println(e.Epoch, e.ValAcc)
	}
	// Output:
	// 1 0.41
	// 2 0.52
}
