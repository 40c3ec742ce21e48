package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Format is the version of run.json. A run of a later format is refused.
const Format = 1

// The states of a run.
const (
	Running  = "running"
	Stopped  = "stopped"
	Done     = "done"
	Failed   = "failed"
	Diverged = "diverged"
)

// A Status is run.json: who a run is, how far it came, and whether it lives. Floats that are not known are NaN.
type Status struct {
	Format    int       `json:"format"`
	ID        string    `json:"id"`
	Name      string    `json:"name"` // of the folder, unless it was renamed
	State     string    `json:"state"`
	PID       int       `json:"pid"`
	Machine   string    `json:"machine"` // a digest: tells machines apart without naming them
	Leg       string    `json:"leg"`     // drawn anew by each process that works on the run
	Started   time.Time `json:"started"`
	Heartbeat time.Time `json:"heartbeat"`
	Ended     time.Time `json:"ended,omitzero"`
	Version   string    `json:"version"`
	Go        string    `json:"go"`
	Kernels   string    `json:"kernels,omitempty"`

	Preset   string `json:"preset"`
	Model    string `json:"model"`
	Encoding string `json:"encoding"`
	Data     string `json:"data"`
	Seed     uint64 `json:"seed"`
	From     string `json:"from,omitempty"`     // the run or checkpoint whose weights it began with; "" for new ones
	Extended bool   `json:"extended,omitempty"` // it was given more epochs once it was finished

	Tags []string `json:"tags,omitempty"` // see CheckTag
	Note string   `json:"note,omitempty"` // of the user

	Params    int     `json:"params"`
	Epochs    int     `json:"epochs"` // of the whole run
	Steps     int     `json:"steps"`  // of the whole run
	Epoch     int     `json:"epoch"`  // done
	Step      int     `json:"step"`   // done
	TrainLoss float64 `json:"train_loss"`
	ValLoss   float64 `json:"val_loss"`
	ValAcc    float64 `json:"val_acc"`    // of the best epoch
	BestEpoch int     `json:"best_epoch"` // 0: none yet
	TestAcc   float64 `json:"test_acc"`
	WallS     float64 `json:"wall_s"` // training time so far
	ImgS      float64 `json:"img_s"`
}

// fresh is how old the last sign of life of a running process may be.
const fresh = time.Minute

// Judge returns the state that holds at time now and, where it is not the one that was written, why: a process that
// says it is running but has ended, or has given no sign of life for a minute, was stopped.
func (s *Status) Judge(now time.Time) (state, why string) {
	if s.State != Running {
		return s.State, ""
	}
	if s.PID > 0 && s.Machine == machine() && !alive(s.PID) {
		return Stopped, "process ended"
	}
	if age := now.Sub(s.Heartbeat); age > fresh || age < -fresh { // the clock may have been set back
		return Stopped, "no heartbeat " + short(age.Abs())
	}
	return Running, ""
}

// short writes an age in its largest unit: 75 s, 3 min, 5 h, 12 d.
func short(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

// machine returns a digest of the machine's name, or "" where it has none.
func machine() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("attnconv " + name))
	return fmt.Sprintf("%x", sum[:6])
}

// alive says whether this machine has a process called pid.
func alive(pid int) bool {
	if pid <= 0 {
		return false // to a signal, 0 and below mean groups
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // there, FindProcess finds only what exists
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// readStatus reads the run.json of the folder dir.
func readStatus(dir string) (*Status, error) {
	path := filepath.Join(dir, statusFile)
	b, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	return parseStatus(path, b)
}

func parseStatus(path string, b []byte) (*Status, error) {
	var head struct {
		Format  int    `json:"format"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, &Corrupt{path, "want the state of a run: " + err.Error()}
	}
	if head.Format > Format {
		return nil, &Corrupt{path, fmt.Sprintf("written by attnconv %s (format %d); this is format %d", head.Version,
			head.Format, Format)}
	}
	var s Status
	if err := unmarshal(b, &s); err != nil {
		return nil, &Corrupt{path, "want the state of a run: " + err.Error()}
	}
	switch s.State {
	case Running, Stopped, Done, Failed, Diverged:
	default:
		return nil, &Corrupt{path, fmt.Sprintf("state %q is not known", s.State)}
	}
	if s.Format < 1 || s.ID == "" || s.Step < 0 || s.Epoch < 0 {
		return nil, &Corrupt{path, "want format, id, and counts from 0"}
	}
	return &s, nil
}

func (s *Status) encode() ([]byte, error) { return indented(*s) }

// indented writes v as JSON, a key a line.
func indented(v any) ([]byte, error) {
	line, err := marshal(v)
	if err != nil {
		return nil, wrap(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return nil, wrap(err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// note brings the status up to date with an event.
func (s *Status) note(e Event) {
	switch e := e.(type) {
	case Start:
		s.State, s.Ended, s.Step = Running, time.Time{}, e.Step
		s.Steps, s.Epochs, s.Params, s.Kernels = e.Steps, e.Epochs, e.Params, e.Kernels
	case Step:
		s.Step, s.TrainLoss, s.ImgS = e.Step, e.Loss, e.ImgS
	case Epoch:
		s.Epoch, s.Step, s.TrainLoss, s.ImgS = e.Epoch, e.Step, e.TrainLoss, e.ImgS
		s.WallS = known(s.WallS) + known(e.WallS)
		if e.Best {
			s.BestEpoch, s.ValLoss, s.ValAcc = e.Epoch, e.ValLoss, e.ValAcc
		}
	case Eval:
		if e.Split == "test" {
			s.TestAcc = e.Acc
		}
	case End:
		s.State, s.Step = e.State, e.Step
	}
}

func known(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}
