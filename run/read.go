package run

import (
	"errors"

	"github.com/attnconv/attnconv/internal/foreign"
)

const (
	mostState   = 1 << 20  // bytes of a file of a run's state: far more than any has
	mostPlan    = 64 << 20 // bytes
	mostMetrics = 1 << 30  // bytes of a file with a line a step
)

// ReadFile reads a file of a run or a sweep that is no longer than a plan of many runs; see [WriteFile]. The error is a
// *Corrupt where it is longer or no regular file, else the file system's.
func ReadFile(path string) ([]byte, error) { return readFile(path, mostPlan) }

// readSmall reads a file of a run's state.
func readSmall(path string) ([]byte, error) { return readFile(path, mostState) }

// readFile reads a file of a run, which may be somebody else's. The error is a *Corrupt where it is too long or no
// regular file, else the file system's.
func readFile(path string, most int64) ([]byte, error) {
	b, err := foreign.ReadFile(path, most)
	return b, refused(err)
}

// open opens a file of a run, which may be somebody else's.
func open(path string) (*foreign.File, error) {
	f, err := foreign.Open(path)
	return f, refused(err)
}

func refused(err error) error {
	if r := (*foreign.Refused)(nil); errors.As(err, &r) {
		return &Corrupt{r.Path, r.Reason}
	}
	return wrap(err)
}
