package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/attnconv/attnconv/run"
)

// The states of a trial beyond those of a run.
const (
	Waiting = "waiting" // nothing was done
	Broken  = "broken"  // its run.json cannot be read
)

// State says how far trial i came, with what its run says; the status is empty where State is Waiting or Broken.
func (p *Plan) State(i int) (state string, status run.Status) {
	d, err := run.Open(p.Dir(i), p.Runs())
	var missing *run.NotFound
	switch {
	case errors.As(err, &missing):
		return Waiting, run.Status{}
	case err != nil:
		return Broken, run.Status{}
	}
	status = d.Status()
	state, _ = status.Judge(time.Now())
	return state, status
}

var errReadable = errors.New("its run.json can be read again")

// Finished says whether a trial in this state has nothing left to do. One that diverged would do so again.
func Finished(state string) bool { return state == run.Done || state == run.Diverged }

// SetAside moves what is in the folder of trial i to a hidden one beside it, and returns that. It does so only where
// run.json was read and holds something else: an error of the file system may pass, and the run be whole.
func (p *Plan) SetAside(i int) (string, error) {
	from := p.Dir(i)
	_, err := run.Open(from, p.Runs())
	if bad := (*run.Corrupt)(nil); !errors.As(err, &bad) {
		return "", fmt.Errorf("sweep: %s stays as it is: %w", from, cmp.Or(err, errReadable))
	}
	for n := 1; ; n++ {
		to := filepath.Join(p.Runs(), fmt.Sprintf(".%s.broken-%d", filepath.Base(from), n))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(from, to); err != nil {
			return "", fmt.Errorf("sweep: %w", err)
		}
		return to, nil
	}
}
