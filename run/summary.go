package run

import (
	"path/filepath"

	"github.com/attnconv/attnconv/run/event"
)

// A Summary has the results of a run: the document of train and of one task of a sweep, and the file summary.json in
// the run's folder, which is rewritten whenever the run stops or ends. Unknown floats are NaN here, and null in JSON.
type Summary struct {
	V          int     `json:"v"`          // 1
	ID         string  `json:"id"`         // of the run
	State      string  `json:"state"`      // done, stopped, failed or diverged
	Preset     string  `json:"preset"`     // that its settings began with; "": none
	Model      string  `json:"model"`      // kind of network
	Encoding   string  `json:"encoding"`   // of its attention; "": none
	Data       string  `json:"data"`       // name of the data set
	Seed       uint64  `json:"seed"`       // of all its random numbers
	Epochs     int     `json:"epochs"`     // done
	Steps      int     `json:"steps"`      // done
	Params     int     `json:"params"`     // number of trained values
	TrainLoss  float64 `json:"train_loss"` // mean over the last epoch
	ValAcc     float64 `json:"val_acc"`    // of the best epoch
	TestAcc    float64 `json:"test_acc"`   // of the best epoch's weights; null until the run is done
	BestEpoch  int     `json:"best_epoch"` // with the highest validation accuracy; 0: none yet
	WallS      float64 `json:"wall_s"`     // of training
	ImgS       float64 `json:"img_s"`      // images per second
	GFLOPStep  float64 `json:"gflop_step"` // 10⁹ floating-point operations of a step; with train.resolutions, the mean
	PeakRSS    int64   `json:"peak_rss"`   // largest resident memory of the process
	Checkpoint string  `json:"checkpoint"` // path of the best; "": none

	ValN       int `json:"val_n,omitempty"`       // images that val_acc is a mean over
	ValImages  int `json:"val_images,omitempty"`  // validation images of the data
	TestN      int `json:"test_n,omitempty"`      // images that test_acc is a mean over
	TestImages int `json:"test_images,omitempty"` // test images of the data
}

// Summary returns the summary of the run's events so far and end, the event to come. It leaves GFLOPStep to the caller.
func (d *Dir) Summary(end event.End) Summary {
	s := d.Status()
	s.note(end)
	sum := Summary{
		V: event.Schema, ID: s.ID, State: s.State, Preset: s.Preset, Model: s.Model, Encoding: s.Encoding, Data: s.Data,
		Seed: s.Seed, Epochs: s.Epoch, Steps: s.Step, Params: s.Params, TrainLoss: s.TrainLoss, ValAcc: s.ValAcc,
		TestAcc: s.TestAcc, BestEpoch: s.BestEpoch, WallS: s.WallS, ImgS: s.ImgS,
		ValN: s.ValN, ValImages: s.ValImages, TestN: s.TestN, TestImages: s.TestImages,
		GFLOPStep: unknown, PeakRSS: PeakRSS(),
	}
	if path, err := Checkpoint(d.Path); err == nil {
		sum.Checkpoint = path
	}
	return sum
}

// MarshalJSON writes all keys; unknown floats are null.
func (s Summary) MarshalJSON() ([]byte, error) {
	type plain Summary // without this method
	return event.Marshal(plain(s))
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (s *Summary) UnmarshalJSON(b []byte) error {
	type plain Summary
	return event.Unmarshal(b, (*plain)(s))
}

// WriteSummary writes summary.json.
func (d *Dir) WriteSummary(s Summary) error {
	b, err := indentJSON(s)
	if err != nil {
		return err
	}
	return d.replace(summaryFile, b)
}

// ReadSummary reads summary.json.
func (d *Dir) ReadSummary() (Summary, error) {
	var s Summary
	path := filepath.Join(d.Path, summaryFile)
	b, err := readSmall(path)
	if err != nil {
		return s, err
	}
	if err := s.UnmarshalJSON(b); err != nil {
		return s, &CorruptError{path, err.Error()}
	}
	return s, nil
}
