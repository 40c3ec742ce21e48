package report

import (
	"encoding/json"
	"fmt"
)

// Summary has the results of a run: the document of train, of eval's run and of one task of a sweep, and the file
// summary.json in the run's folder, which is rewritten whenever the run stops or ends.
type Summary struct {
	V          int      `json:"v"`          // 1
	ID         string   `json:"id"`         // of the run
	State      string   `json:"state"`      // done, stopped, failed or diverged
	Preset     string   `json:"preset"`     // that its settings began with; "": none
	Model      string   `json:"model"`      // kind of network
	Encoding   string   `json:"encoding"`   // of its attention; "": none
	Data       string   `json:"data"`       // name of the data set
	Seed       uint64   `json:"seed"`       // of all its random numbers
	Epochs     int      `json:"epochs"`     // done
	Steps      int      `json:"steps"`      // done
	Params     int      `json:"params"`     // number of trained values
	TrainLoss  *float64 `json:"train_loss"` // mean over the last epoch
	ValAcc     *float64 `json:"val_acc"`    // of the best epoch
	TestAcc    *float64 `json:"test_acc"`   // of the best epoch's weights; null until the run is done
	BestEpoch  int      `json:"best_epoch"` // with the highest validation accuracy; 0: none yet
	WallS      *float64 `json:"wall_s"`     // of training
	ImgS       *float64 `json:"img_s"`      // images per second
	GFLOPStep  *float64 `json:"gflop_step"` // 10⁹ floating-point operations of a step; with train.resolutions, the mean
	PeakRSS    int64    `json:"peak_rss"`   // largest resident memory of the process
	Checkpoint string   `json:"checkpoint"` // path of the best; "": none
}

// Seeds has the results of one run for each seed.
type Seeds struct {
	V    int               `json:"v"`    // 1
	Runs []json.RawMessage `json:"runs"` // the document of each run: a Summary, or a TrainPlan with --dry-run
}

// TrainPlan is what train would do.
type TrainPlan struct {
	V        int     `json:"v"`              // 1
	Params   int     `json:"params"`         // number of trained values
	MACs     int     `json:"macs_run"`       // multiply-adds of an image that this program computes in evaluation
	Epochs   int     `json:"epochs"`         // planned
	Steps    int     `json:"steps"`          // planned
	StepS    float64 `json:"step_s"`         // of a step, the median of those measured
	Measured int     `json:"steps_measured"` // number of steps
	ETA      float64 `json:"eta_s"`          // of the whole run
}

// Setup says what is about to be trained: the line setup of --progress json.
type Setup struct {
	Version string   `json:"version"`  // of the program
	Device  string   `json:"device"`   // where steps run, and its kernels or precision
	Seed    uint64   `json:"seed"`     // of all random numbers
	Data    string   `json:"data"`     // name of the data set
	Digest  string   `json:"digest"`   // of its training images; "": none is recorded
	Train   int      `json:"train"`    // number of images
	Val     int      `json:"val"`      // number of images
	Test    int      `json:"test"`     // number of images
	Model   string   `json:"model"`    // in words
	Params  int      `json:"params"`   // number of trained values
	MACs    int      `json:"macs_run"` // multiply-adds of an image that this program computes in evaluation
	Preset  string   `json:"preset"`   // that the settings began with; "": none
	Run     string   `json:"run"`      // path of its folder; "": nothing is written
	Notes   []string `json:"notes"`    // choices that the program made, with reasons
}

// Forecast says how long the rest of a run takes: the line forecast of --progress json.
type Forecast struct {
	StepS    float64 `json:"step_s"`         // of a step, the median of those measured
	Measured int     `json:"steps_measured"` // number of steps
	ETA      float64 `json:"eta_s"`          // of the remaining steps
}

// Saved names the files of a finished run: the line saved of --progress json.
type Saved struct {
	Checkpoint string `json:"checkpoint"`       // path of the best
	Figure     string `json:"figure,omitempty"` // of the heads
}

// Stopped says where a run stopped: the line stopped of --progress json.
type Stopped struct {
	Step   int    `json:"step"`   // done
	Steps  int    `json:"steps"`  // planned
	Resume string `json:"resume"` // the command that resumes the run
}

// Next lists commands to try after a run: the line next of --progress json.
type Next struct {
	Commands []string `json:"commands"` // whole command lines
}

// Failed is the error with which a command ends: the line error of --progress json.
type Failed struct {
	Error Failure `json:"error"` // what failed
}

// Evaluation has the accuracy of a checkpoint.
type Evaluation struct {
	V           int                `json:"v"`                     // 1
	Checkpoint  string             `json:"checkpoint"`            // path
	Data        string             `json:"data"`                  // name of the data set
	Split       string             `json:"split"`                 // test, val or train
	N           int                `json:"n"`                     // number of images
	Loss        float64            `json:"loss"`                  // mean cross-entropy, in nats
	Acc         float64            `json:"acc"`                   // accuracy
	Top5        float64            `json:"top5"`                  // fraction of images whose class is among the five most likely
	PerClass    []ClassScore       `json:"per_class"`             // in the order of the classes
	Views       *Views             `json:"views,omitempty"`       // with --views: all numbers are of the mean logits of several views of an image
	Shift       *ShiftScore        `json:"shift,omitempty"`       // with --shift
	Confusion   [][]int            `json:"confusion,omitempty"`   // with --confusion: number of images, by true and by predicted class
	Calibration *CalibrationResult `json:"calibration,omitempty"` // with --calibrate
}

// A ClassScore is the accuracy on the images of one class.
type ClassScore struct {
	Class string  `json:"class"` // its name
	N     int     `json:"n"`     // number of images
	Acc   float64 `json:"acc"`   // accuracy
}

// Views says which copies of an image have their logits averaged.
type Views struct {
	Name string `json:"name"` // mirror or shifts
	N    int    `json:"n"`    // number of views of an image
}

// String is "the mean logits of 2 views (mirror)".
func (v Views) String() string { return fmt.Sprintf("the mean logits of %d views (%s)", v.N, v.Name) }

// A ShiftScore compares the accuracy on shifted images with that on the images as they are.
type ShiftScore struct {
	Right     int     `json:"right"`         // pixels
	Down      int     `json:"down"`          // pixels
	Unshifted float64 `json:"acc_unshifted"` // accuracy on the images as they are
	Same      float64 `json:"same"`          // fraction of images whose prediction the shift does not change
}

// A CalibrationResult has the calibration of the probabilities, and that after their temperature was fitted.
type CalibrationResult struct {
	Temperature float64     `json:"temperature"` // that divides the logits
	FittedOn    string      `json:"fitted_on"`   // split of its fit: val
	FittedN     int         `json:"fitted_n"`    // number of images of the fit
	Before      Calibration `json:"before"`      // with temperature 1
	After       Calibration `json:"after"`       // with the fitted temperature
}

// A Calibration says how well probabilities agree with accuracies.
type Calibration struct {
	NLL  float64         `json:"nll"`  // mean negative log-likelihood, in nats
	ECE  float64         `json:"ece"`  // expected calibration error
	Bins []ConfidenceBin `json:"bins"` // of equal width, the lowest confidence first
}

// A ConfidenceBin is the images with about the same confidence.
type ConfidenceBin struct {
	N          int     `json:"n"`          // number of images
	Confidence float64 `json:"confidence"` // mean probability of the predicted class
	Acc        float64 `json:"acc"`        // accuracy
}

// Predictions classifies images.
type Predictions struct {
	V           int          `json:"v"`               // 1
	Checkpoint  string       `json:"checkpoint"`      // path
	Predictions []Prediction `json:"predictions"`     // in the order of the images
	Files       []string     `json:"files,omitempty"` // with -o: the figures
}

// A Prediction is one classified image.
type Prediction struct {
	Image   string      `json:"image"`   // its file, or its number in the array
	Classes []ClassProb `json:"classes"` // the most likely first
	Logits  []float32   `json:"logits"`  // in the order of the data set's classes
}

// A ClassProb is the probability of one class.
type ClassProb struct {
	Class string  `json:"class"` // its name
	P     float64 `json:"p"`     // probability
}

// Export is what export wrote.
type Export struct {
	V          int      `json:"v"`          // 1
	File       string   `json:"file"`       // path
	Checkpoint string   `json:"checkpoint"` // path of the source
	Model      string   `json:"model"`      // name of the network
	Elements   int      `json:"numbers"`    // number of values in all tensors
	Tensors    []Tensor `json:"tensors"`    // in the order of the file
}

// A Tensor is one array of weights.
type Tensor struct {
	Name  string `json:"name"`  // in the file
	Shape []int  `json:"shape"` // row-major
}

// Import is what import wrote.
type Import struct {
	V          int      `json:"v"`          // 1
	Checkpoint string   `json:"checkpoint"` // path
	Model      string   `json:"model"`      // kind of network
	Encoding   string   `json:"encoding"`   // of its attention; "": none
	Params     int      `json:"params"`     // number of trained values
	LeftOut    []string `json:"left_out"`   // tensors that are no weights
}

// Demo has the results of the demo's steps.
type Demo struct {
	V      int        `json:"v"`      // 1
	Folder string     `json:"folder"` // that it wrote to
	Steps  []DemoStep `json:"steps"`  // in order
}

// A DemoStep is one command of the demo.
type DemoStep struct {
	Command string          `json:"command"` // as typed
	Result  json.RawMessage `json:"result"`  // its document
}
