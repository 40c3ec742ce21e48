package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// The states of a trial beyond those of a run.
const (
	Waiting = "waiting" // not started
	Broken  = "broken"  // run.json cannot be read
)

// State returns the state of trial i and the status of its run, which is empty if the state is Waiting or Broken.
func (p *Plan) State(i int) (state string, status run.Status) {
	e := run.At(p.Dir(i))
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		return Waiting, run.Status{}
	case e.Err != nil:
		return Broken, run.Status{}
	}
	return e.State, e.Status
}

// readers is the number of trials that are read at a time: a file system on the network is slow to answer, not busy.
const readers = 16

// each calls read for 0 to n-1, several at a time.
func (p *Plan) each(n int, read func(i int)) {
	var reading sync.WaitGroup
	workers := max(readers, runtime.GOMAXPROCS(0))
	for w := range workers {
		reading.Go(func() {
			for i := w; i < n; i += workers {
				read(i)
			}
		})
	}
	reading.Wait()
}

var errReadable = errors.New("its run.json can now be read")

// Finished reports whether a trial in this state needs no more work. A trial that diverged would diverge once more.
func Finished(state string) bool { return state == event.Done || state == event.Diverged }

// SetAside renames the folder of trial i to a hidden name and returns that. It refuses unless run.json was read and is
// invalid: after an error of the file system the run may be intact.
func (p *Plan) SetAside(i int) (string, error) {
	if i < 0 || i >= len(p.Trials) {
		return "", fmt.Errorf("trial %d: the plan has %d, counted from 0", i, len(p.Trials))
	}
	from := p.Dir(i)
	e := run.At(from)
	if bad := (*run.CorruptError)(nil); !errors.As(e.Err, &bad) {
		return "", fmt.Errorf("%s is not moved: %w", from, cmp.Or(e.Err, errReadable))
	}
	for n := 1; ; n++ {
		to := filepath.Join(trialsFolder, fmt.Sprintf(".%s.broken-%d", p.Trials[i].Name, n))
		if _, err := p.folder().Lstat(to); err == nil {
			continue
		}
		if err := p.folder().Rename(filepath.Join(trialsFolder, p.Trials[i].Name), to); err != nil {
			return "", err
		}
		return p.folder().Path(to), nil
	}
}
