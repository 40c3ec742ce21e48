package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
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
	Machine   string    `json:"machine"`          // a digest: tells machines, and their starts, apart without naming them
	Space     string    `json:"space,omitempty"`  // in which PID is meant: containers have their own
	Locked    bool      `json:"locked,omitempty"` // the process holds the lock of the run's folder while it lives
	Leg       string    `json:"leg"`              // drawn anew by each process that works on the run
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

	Tags         []string `json:"tags,omitempty"`          // see CheckTag
	Note         string   `json:"note,omitempty"`          // of the user
	DataDir      string   `json:"data_dir,omitempty"`      // the data folder that it was begun with
	DataPath     string   `json:"data_path,omitempty"`     // its folder of images, where its data is one
	ConfigSHA256 []string `json:"config_sha256,omitempty"` // of config.yaml; two while that is being replaced

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

	dir string // where run.json was read
}

// fresh is how old the last sign of life of a running process may be.
const fresh = time.Minute

// Judge returns the state that holds now and, where it is not the one that was written, why: a process that says it is
// running but has ended was stopped. The lock of the run's folder tells; only where it cannot (a network's file system
// without locks, another machine) is the heartbeat compared with the clock: no sign of life for a minute. If the run
// went on or ended meanwhile, s is brought up to date.
func (s *Status) Judge(now time.Time) (state, why string) {
	if s.State != Running {
		return s.State, ""
	}
	switch s.life() {
	case living:
		return Running, ""
	case dead:
		again, err := readStatus(s.dir)
		if err == nil && (again.State != Running || again.Leg != s.Leg) { // it ended in good order since it was read
			*s = *again
			return s.Judge(now)
		}
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

// readStatus reads the run.json of the folder dir.
func readStatus(dir string) (*Status, error) {
	path := filepath.Join(dir, statusFile)
	b, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	s, err := parseStatus(path, b)
	if s != nil {
		s.dir = dir
	}
	return s, err
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
