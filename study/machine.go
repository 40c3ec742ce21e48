package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// A Machine is what the time of a step depends on besides the network: the processor, and what computed on it.
type Machine struct {
	CPU     string `json:"cpu"`     // name of the processor; "": unknown
	Device  string `json:"device"`  // cpu, or what the GPU's plugin calls it; "": unknown
	Threads int    `json:"threads"` // that computed; 0: unknown
	Kernels string `json:"kernels"` // set of kernels that computed; "": unknown
}

// String names the machine in one line.
func (m Machine) String() string {
	words := []string{cmp.Or(m.CPU, "unknown processor")}
	if m.Device != "" && m.Device != "cpu" {
		words = append(words, "device "+m.Device)
	}
	threads := table.Count(m.Threads, "thread")
	if m.Threads == 0 {
		threads = "unknown number of threads"
	}
	return strings.Join(append(words, threads, "kernels "+cmp.Or(m.Kernels, "unknown")), ", ")
}

// MachinesOf returns the different machines of a run, in the order of its legs. The processor is that on which the run
// began: its folder has no other.
func MachinesOf(e run.Environment, s run.Status, records []event.Record) (all []Machine) {
	for _, r := range records {
		if start, ok := r.Event.(event.Start); ok {
			m := Machine{CPU: e.CPU, Device: e.Device, Threads: start.Threads, Kernels: start.Kernels}
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	if all == nil {
		all = []Machine{{CPU: e.CPU, Device: e.Device, Threads: e.Threads, Kernels: s.Kernels}}
	}
	return all
}

// A TimedRun is a run and the machines that trained it.
type TimedRun struct {
	ID       string
	Machines []Machine
}

// MixedMachines returns a warning if runs whose times are shown together were not all trained on one machine, or "".
func MixedMachines(runs []TimedRun) string {
	var machines []Machine
	ids := map[Machine][]string{}
	for _, r := range runs {
		for _, m := range r.Machines {
			if ids[m] == nil {
				machines = append(machines, m)
			}
			ids[m] = append(ids[m], r.ID)
		}
	}
	if len(machines) < 2 {
		return ""
	}
	words := fmt.Sprintf("the runs had %d different machines, numbers of threads or kernel sets: their times do not "+
		"compare", len(machines))
	for _, m := range machines {
		words += fmt.Sprintf("\n  %s: %s", m, strings.Join(ids[m], " "))
	}
	return words
}
