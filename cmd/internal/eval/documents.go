package eval

import (
	"fmt"
	"maps"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/train"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "eval", Value: Scores{}, Or: []any{term.Several{}}},
}

// Scores has the accuracy of a checkpoint.
type Scores struct {
	V          int     `json:"v"`          // 1
	Checkpoint string  `json:"checkpoint"` // path
	Data       string  `json:"data"`       // name of the data set
	Split      string  `json:"split"`      // test, val or train
	N          int     `json:"n"`          // number of images
	Loss       float64 `json:"loss"`       // mean cross-entropy, in nats
	Acc        float64 `json:"acc"`        // accuracy
	// fraction of images whose class is among the five most likely
	Top5     float64      `json:"top5"`
	PerClass []ClassScore `json:"per_class"` // in the order of the classes
	// with --views: all numbers are of the mean logits of several views of an image
	Views *ViewMean `json:"views,omitempty"`
	// of an array of CIFAR-10-C: each of its five severities
	Severities []SeverityScore `json:"severities,omitempty"`
	Shift      *ShiftScore     `json:"shift,omitempty"` // with --shift
	// with --permute: seed of the permutation of the pixels
	Permute uint64 `json:"permute,omitempty"`
	// with --confusion: number of images, by true and by predicted class
	Confusion   [][]int            `json:"confusion,omitempty"`
	Calibration *CalibrationResult `json:"calibration,omitempty"` // with --calibrate
	Worst       []WorstImage       `json:"worst,omitempty"`       // with --worst: the most wrong images, worst first
}

// A WorstImage is an image that is classified wrongly.
type WorstImage struct {
	Index     int     `json:"index"`     // in the split, from 0, as in --predictions
	Class     string  `json:"class"`     // its own
	Predicted string  `json:"predicted"` // predicted class
	P         float64 `json:"p"`         // probability of the predicted class
	PClass    float64 `json:"p_class"`   // probability of its own class
}

// Metrics returns the scores by name: acc, loss, top5 and, with a calibration, ece and nll of its unscaled
// probabilities; each also with the split before it, as test_acc.
func (e Scores) Metrics() map[string]float64 {
	values := map[string]float64{"acc": e.Acc, "loss": e.Loss, "top5": e.Top5}
	if k := e.Calibration; k != nil {
		values["ece"], values["nll"] = k.Before.ECE, k.Before.NLL
	}
	for _, name := range slices.Collect(maps.Keys(values)) {
		values[e.Split+"_"+name] = values[name]
	}
	return values
}

// A ClassScore is the accuracy on the images of one class.
type ClassScore struct {
	Class string     `json:"class"` // its name
	N     int        `json:"n"`     // number of images
	Acc   null.Float `json:"acc"`   // accuracy; null of no images
}

// A SeverityScore is the accuracy on the images that a corruption has changed with one severity.
type SeverityScore struct {
	Severity int     `json:"severity"` // 1 to 5
	N        int     `json:"n"`        // number of images
	Loss     float64 `json:"loss"`     // mean cross-entropy, in nats
	Acc      float64 `json:"acc"`      // accuracy
}

// ViewMean says which copies of an image have their logits averaged.
type ViewMean struct {
	Name string `json:"name"` // mirror or shifts
	N    int    `json:"n"`    // number of views of an image
}

// String is "the mean logits of 2 views (mirror)".
func (v ViewMean) String() string {
	return fmt.Sprintf("the mean logits of %d views (%s)", v.N, v.Name)
}

// A ShiftScore compares the accuracy on shifted images with that on the images as they are.
type ShiftScore struct {
	Right     int     `json:"right"`         // pixels
	Down      int     `json:"down"`          // pixels
	Unshifted float64 `json:"acc_unshifted"` // accuracy on the images as they are
	Same      float64 `json:"same"`          // fraction of images whose prediction the shift does not change
}

// A CalibrationResult has the calibration of the probabilities, and that after their temperature was fitted.
type CalibrationResult struct {
	Temperature float64           `json:"temperature"` // that divides the logits
	FittedOn    string            `json:"fitted_on"`   // split of its fit: val
	FittedN     int               `json:"fitted_n"`    // number of images of the fit
	Before      train.Calibration `json:"before"`      // with temperature 1
	After       train.Calibration `json:"after"`       // with the fitted temperature
}
