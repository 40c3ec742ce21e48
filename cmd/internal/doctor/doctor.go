// Package doctor checks a machine: its arithmetic and its speed, data sets, the folder of runs and its disk, that a run
// that is killed and resumed ends with the same weights, and a GPU against the CPU.
//
// Stable: all of it. The words of a finding, and how many checks there are, are not.
package doctor

import (
	"context"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// A Status is the outcome of a check.
type Status string

// The values of a Status.
const (
	Pass Status = "PASS"
	Warn Status = "WARN" // works, but could work better
	Fail Status = "FAIL"
)

// Options say what is checked. The zero value checks the machine, its arithmetic and a GPU.
type Options struct {
	Runs     string              // folder of the runs; "": it is not checked, nor its disk
	Data     string              // folder of the data sets; "": it is not checked
	Device   string              // auto, cpu or gpu; "": auto
	Terminal *Terminal           // nil: it is not checked
	Getenv   func(string) string // nil: os.Getenv

	// Program returns a command that runs attnconv with these arguments, to be killed; nil: resuming is not checked.
	Program func(ctx context.Context, args ...string) *exec.Cmd
	Tell    func(check string) // hears what is checked next; may be nil
	// Message words an error for the detail of a finding; nil: the first line of its text.
	Message func(error) string
}

// A Check is one thing that is checked.
type Check struct {
	Name string
	// Run returns how it is. An empty status says that the check does not apply here.
	Run func(ctx context.Context, o Options) (status Status, detail string)
}

// A Finding is the outcome of a check.
type Finding struct {
	Name   string `json:"name"`   // of the check
	Status Status `json:"status"` // PASS, WARN or FAIL
	Detail string `json:"detail"` // what was found, one line
}

// checks lists the checks in the order of their findings. A new one is a line here.
var checks = []Check{
	{"program", checkProgram},
	{"machine", checkMachine},
	{"arithmetic", checkArithmetic},
	{"speed", checkSpeed},
	{"data", checkData},
	{"runs", checkRuns},
	{"disk", checkDisk},
	{"terminal", checkTerminal},
	{"resume", checkResume},
	{"gpu", checkGPU},
	{"parity", checkParity},
}

// Checks returns all checks in their order.
func Checks() []Check { return slices.Clone(checks) }

// Run runs checks, of Checks or your own, and yields what each finds at once. It ends early when ctx is done.
func Run(ctx context.Context, o Options, checks []Check) iter.Seq[Finding] {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Device == "" {
		o.Device = "auto"
	}
	if o.Message == nil {
		o.Message = func(err error) string { return strings.SplitN(err.Error(), "\n", 2)[0] }
	}
	return func(yield func(Finding) bool) {
		for _, check := range checks {
			if o.Tell != nil {
				o.Tell(check.Name)
			}
			status, detail := check.Run(ctx, o)
			if ctx.Err() != nil || status != "" && !yield(Finding{check.Name, status, detail}) {
				return
			}
		}
	}
}
