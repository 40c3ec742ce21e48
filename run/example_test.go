package run_test

import (
	"fmt"
	"os"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// A run's folder: made, written to while a program trains, and read by another one.
func Example() {
	root, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	if err := record(root); err != nil {
		fmt.Println(err)
		return
	}

	d, err := run.Open("latest", root)
	if err != nil {
		fmt.Println(err)
		return
	}
	records, err := d.Records()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range records {
		if e, ok := r.Event.(event.Epoch); ok {
			fmt.Printf("%s of %s: epoch %d, %.1f %%\n", d.Status().State, d.Status().Model, e.Epoch, 100*e.ValAcc)
		}
	}
	// Output: done of mine: epoch 1, 51.2 %
}

func record(root string) error {
	d, err := run.Create(root, run.Info{Model: "mine", Data: "shapes32", Config: []byte("seed: 0\n")})
	if err != nil {
		return err
	}
	defer d.Close()
	for _, e := range []event.Event{
		event.Start{Steps: 100, Epochs: 1},
		event.Epoch{Epoch: 1, Step: 100, ValAcc: 0.512, Best: true},
		event.End{State: event.Done, Step: 100},
	} {
		if err := d.Event(e); err != nil {
			return err
		}
	}
	return nil
}
