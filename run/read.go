package run

import (
	"errors"

	"github.com/attnconv/attnconv/internal/foreign"
)

const (
	maxState   = 1 << 20  // bytes of a file of a run's state: far more than any has
	maxPlan    = 64 << 20 // bytes of a sweep's plan
	maxMetrics = 1 << 30  // bytes of a file with a line per step
)

// ReadFile reads a file of a run or a sweep of at most 64 MB; see [WriteFile]. The error is a *CorruptError if the file
// is longer or not regular, else the file system's.
func ReadFile(path string) ([]byte, error) { return readFile(path, maxPlan) }

// readSmall reads a file of a run's state.
func readSmall(path string) ([]byte, error) { return readFile(path, maxState) }

// readFile reads a file of a run, which may be untrusted, of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	b, err := foreign.ReadFile(path, limit)
	return b, refused(err)
}

// open opens a file of a run, which may be untrusted.
func open(path string) (*foreign.File, error) {
	f, err := foreign.Open(path)
	return f, refused(err)
}

func refused(err error) error {
	if r := (*foreign.RefusalError)(nil); errors.As(err, &r) {
		return &CorruptError{r.Path, r.Reason}
	}
	return wrap(err)
}
