package sweep

import (
	"errors"
	"time"

	"github.com/attnconv/attnconv/run"
)

// The states of a trial beyond those of a run.
const (
	Waiting = "waiting" // nothing was done
	Broken  = "broken"  // its run.json cannot be read: killed while it was being made
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

// Finished says whether a trial in this state has nothing left to do. One that diverged would do so again.
func Finished(state string) bool { return state == run.Done || state == run.Diverged }
