package study

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// A run that is resumed with other threads had two machines; one without records has those of run.json.
func TestMachinesOf(t *testing.T) {
	e := run.Environment{CPU: "Zen", Device: "cpu", Threads: 8}
	legs := []event.Record{{Event: event.Start{Threads: 2, Kernels: "avx2"}},
		{Event: event.Start{Threads: 1, Kernels: "avx2"}},
		{Event: event.Start{Threads: 2, Kernels: "avx2"}}}
	if got := fmt.Sprint(MachinesOf(e, run.Status{Kernels: "generic"},
		legs)); got != "[Zen, 2 threads, kernels avx2 Zen, 1 thread, kernels avx2]" {
		t.Error(got)
	}
	if got := fmt.Sprint(MachinesOf(e, run.Status{Kernels: "generic"},
		nil)); got != "[Zen, 8 threads, kernels generic]" {
		t.Error(got)
	}
}

// The time of an epoch is the run's: wall_s lacks what an epoch took before a resume.
func TestElapsed(t *testing.T) {
	got := Elapsed([]event.Epoch{{WallS: 10, TotalS: 10}, {WallS: 3, TotalS: 20}, {WallS: 10, TotalS: math.NaN()}})
	if !slices.Equal(got, []float64{10, 20, 23}) {
		t.Error(got)
	}
}
