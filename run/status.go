package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/run/event"
)

// Format is the version of run.json. A run of a later format is refused.
const Format = 1

// A Status is run.json: identity, progress and process of a run. Unknown floats are NaN, null in the file.
type Status struct {
	Format    int       `json:"format"`            // version of the file: 1
	ID        string    `json:"id"`                // four letters and digits
	Name      string    `json:"name"`              // of the folder, unless it was renamed
	State     string    `json:"state"`             // running, stopped, done, failed or diverged
	PID       int       `json:"pid"`               // of the process that trains the run
	Machine   string    `json:"machine"`           // digest of machine and boot, which does not name them
	Space     string    `json:"space,omitempty"`   // PID namespace
	Locked    bool      `json:"locked,omitempty"`  // the process holds the lock of the run's folder
	Leg       string    `json:"leg"`               // random; each process that trains the run draws another
	Started   time.Time `json:"started"`           // RFC 3339
	Heartbeat time.Time `json:"heartbeat"`         // when the process was last known to live
	Ended     time.Time `json:"ended,omitzero"`    // when it was done, or stopped
	Version   string    `json:"version"`           // of the program
	Go        string    `json:"go"`                // version of Go that built it
	Kernels   string    `json:"kernels,omitempty"` // set of kernels that computes

	Preset   string `json:"preset"`             // that its settings began with; "": none
	Model    string `json:"model"`              // kind of network
	Encoding string `json:"encoding"`           // of its attention; "": none
	Data     string `json:"data"`               // name of the data set
	Seed     uint64 `json:"seed"`               // of all its random numbers
	From     string `json:"from,omitempty"`     // the run or checkpoint of the initial weights; "": drawn at random
	Donor    string `json:"donor,omitempty"`    // SHA-256 of the heads of another network that its heads started at
	Extended bool   `json:"extended,omitempty"` // more epochs were added after it had finished

	Tags         []string `json:"tags,omitempty"`          // as runs tag set them
	Note         string   `json:"note,omitempty"`          // as runs note set it
	DataDir      string   `json:"data_dir,omitempty"`      // the data folder when the run began
	DataPath     string   `json:"data_path,omitempty"`     // the folder of images, if the data set is one
	Images       *Images  `json:"images,omitempty"`        // that it is trained on; omitted: by an earlier version
	ConfigSHA256 []string `json:"config_sha256,omitempty"` // of config.yaml; two while Extend replaces it

	Params    int     `json:"params"`     // number of trained values
	Epochs    int     `json:"epochs"`     // of the whole run
	Steps     int     `json:"steps"`      // of the whole run
	Epoch     int     `json:"epoch"`      // done
	Step      int     `json:"step"`       // done
	TrainLoss float64 `json:"train_loss"` // mean over the last epoch
	ValLoss   float64 `json:"val_loss"`   // of the last epoch
	ValAcc    float64 `json:"val_acc"`    // of the best epoch
	BestEpoch int     `json:"best_epoch"` // 0: none yet
	TestAcc   float64 `json:"test_acc"`   // of the best epoch's weights; null until the run is done
	WallS     float64 `json:"wall_s"`     // of training so far, without interruptions
	ImgS      float64 `json:"img_s"`      // images per second

	ValN       int `json:"val_n,omitempty"`       // images that val_acc is a mean over
	ValImages  int `json:"val_images,omitempty"`  // validation images of the data
	TestN      int `json:"test_n,omitempty"`      // images that test_acc is a mean over
	TestImages int `json:"test_images,omitempty"` // test images of the data

	dir string // of run.json
}

// isRun reports whether path is the folder of a run.
func isRun(path string) bool {
	st, err := os.Stat(filepath.Join(path, statusFile))
	return err == nil && st.Mode().IsRegular()
}

// heartbeatLimit is the age of a heartbeat from which its process counts as dead.
const heartbeatLimit = time.Minute

// short formats a duration in its largest unit: 75 s, 3 min, 5 h, 12 d.
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
		return nil, &CorruptError{path, "want the state of a run: " + err.Error()}
	}
	if head.Format > Format {
		return nil, &CorruptError{path, fmt.Sprintf("written by attnconv %s (format %d); this is format %d",
			head.Version, head.Format, Format)}
	}
	var s Status
	if err := event.Unmarshal(b, &s); err != nil {
		return nil, &CorruptError{path, "want the state of a run: " + err.Error()}
	}
	switch s.State {
	case event.Running, event.Stopped, event.Done, event.Failed, event.Diverged:
	default:
		return nil, &CorruptError{path, fmt.Sprintf("unknown state %q", s.State)}
	}
	if s.Format < 1 || s.ID == "" || s.Step < 0 || s.Epoch < 0 {
		return nil, &CorruptError{path, "want format, id, and counts from 0"}
	}
	return &s, nil
}

// Title names the run for people: "run k3", or its id if the name says "run" itself.
func (s Status) Title() string {
	if strings.EqualFold(s.Name, "run") {
		return "run " + s.ID
	}
	return "run " + s.Name
}

func (s *Status) encode() ([]byte, error) { return indentJSON(*s) }

// indentJSON encodes v as JSON with a line per key.
func indentJSON(v any) ([]byte, error) {
	line, err := event.Marshal(v)
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

// note updates the status by an event.
func (s *Status) note(e event.Event) {
	switch e := e.(type) {
	case event.Start:
		s.State, s.Ended, s.Step = event.Running, time.Time{}, e.Step
		s.Steps, s.Epochs, s.Params, s.Kernels = e.Steps, e.Epochs, e.Params, e.Kernels
	case event.Step:
		s.Step, s.TrainLoss, s.ImgS = e.Step, e.Loss, e.ImgS
	case event.Epoch:
		s.Epoch, s.Step, s.TrainLoss, s.ImgS = e.Epoch, e.Step, e.TrainLoss, e.ImgS
		s.WallS = known(s.WallS) + known(e.WallS)
		if e.Best {
			s.BestEpoch, s.ValLoss, s.ValAcc, s.ValN = e.Epoch, e.ValLoss, e.ValAcc, e.ValN
		}
	case event.Eval:
		if e.Split == "test" {
			s.TestAcc, s.TestN = e.Acc, e.N
		}
	case event.End:
		s.State, s.Step = e.State, e.Step
	}
}

func known(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}
