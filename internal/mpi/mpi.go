// Package mpi joins processes that a launcher such as mpirun started: ranks that exchange elements. It loads the MPI
// library of the machine when the program runs, and links none; only a program that was built with the tag mpi, on
// Linux, can.
package mpi

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
)

// Variable names the environment variable with the path of an MPI library, instead of the one that fits the launcher.
const Variable = "ATTNCONV_MPI"

// A Launch is what a launcher says to a process that it started.
type Launch struct {
	Rank, Size int    // Size 0: it does not say
	By         string // the variable that says so
	openMPI    bool
}

// launchers are the variables of a rank and of the number of ranks.
var launchers = []struct {
	rank, size string
	openMPI    bool
}{
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true},
	{"PMI_RANK", "PMI_SIZE", false},
	{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", true},
}

// DetectLaunch reports whether a launcher started this process as one of several ranks.
func DetectLaunch(getenv func(string) string) (Launch, bool) {
	for _, l := range launchers {
		rank, err := strconv.Atoi(getenv(l.rank))
		if err != nil {
			continue
		}
		size, _ := strconv.Atoi(getenv(l.size))
		return Launch{rank, size, l.rank, l.openMPI}, size != 1
	}
	return Launch{}, false
}

// String returns the variable and its value.
func (l Launch) String() string { return fmt.Sprintf("%s=%d", l.By, l.Rank) }

// JoinError is the error if a process that a launcher started cannot join the other ranks.
type JoinError struct{ Reason string }

func (e *JoinError) Error() string { return e.Reason }
func (e *JoinError) ExitCode() int { return fault.Missing }

func unavailable(format string, args ...any) error { return &JoinError{fmt.Sprintf(format, args...)} }

// A CallError is the error of a call of the library.
type CallError struct {
	Call string
	Code int
}

func (e *CallError) Error() string { return fmt.Sprintf("%s failed (error %d)", e.Call, e.Code) }

// A World is all ranks, as this one sees them. Its methods may be called from one goroutine at a time.
type World struct {
	rank, size int
	local      int // ranks on this machine
	library    string
	lib        library
}

// library is what an MPI library does. Counts are of elements.
type library interface {
	alltoall(receive, send *float32, each int) error
	allgather(all, own *float32, each int) error
	finalize() error
	abort(code int)
}

// Rank returns the number of this rank.
func (w *World) Rank() int { return w.rank }

// Size returns how many ranks there are.
func (w *World) Size() int { return w.size }

// Local returns how many of the ranks are on this machine.
func (w *World) Local() int { return w.local }

// Library returns what the library says it is: "Open MPI v4.1.4".
func (w *World) Library() string { return w.library }

// Exchange sends block i of send to rank i, and sets block i of receive to what rank i sent.
func (w *World) Exchange(receive, send []float32) error {
	each := len(send) / w.size
	if len(receive) != len(send) || each*w.size != len(send) || each > math.MaxInt32 {
		return fmt.Errorf("exchange of %d and %d elements among %d ranks", len(send), len(receive), w.size)
	}
	if each == 0 {
		return nil
	}
	return w.lib.alltoall(&receive[0], &send[0], each)
}

// Gather sets block i of all to what rank i gives as own.
func (w *World) Gather(all, own []float32) error {
	if len(all) != len(own)*w.size || len(own) > math.MaxInt32 {
		return fmt.Errorf("gather of %d elements of %d ranks to %d", len(own), w.size, len(all))
	}
	if len(own) == 0 {
		return nil
	}
	return w.lib.allgather(&all[0], &own[0], len(own))
}

// Close waits for the other ranks to close, and ends the use of the library: nothing can be joined afterwards.
func (w *World) Close() error { return w.lib.finalize() }

// Abort ends the processes of all ranks.
func (w *World) Abort(code int) { w.lib.abort(code) }

// Bound returns how many processors this process may use, and how many its launcher may: fewer where the launcher binds
// each rank to a part. Zeros are unknown.
func Bound() (own, launcher int) {
	return processors("self"), processors(strconv.Itoa(os.Getppid()))
}

// processors counts the processors that a process may use, by /proc.
func processors(pid string) (n int) {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		mask, ok := strings.CutPrefix(line, "Cpus_allowed:")
		if !ok {
			continue
		}
		for word := range strings.SplitSeq(strings.TrimSpace(mask), ",") {
			v, err := strconv.ParseUint(word, 16, 64)
			if err != nil {
				return 0
			}
			n += bits.OnesCount64(v)
		}
	}
	return n
}
