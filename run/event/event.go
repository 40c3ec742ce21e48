// Package event has the events of a training run, the lines of metrics.jsonl: what the training loop says, and what
// progress, figures and comparisons read.
//
// Stable: the events and their keys, to which more are only added (Schema).
package event

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// An Event is an event of a run, a line of metrics.jsonl. Keys are only ever added to the schema (version 1), never
// renamed. Times are in seconds, accuracies in 0..1; epochs count from 1.
type Event interface{ event() string }

type (
	// Start begins a run or, with Step > 0, resumes it.
	Start struct {
		Step    int    `json:"step"`    // done before
		Steps   int    `json:"steps"`   // of the whole run
		Epochs  int    `json:"epochs"`  // of the whole run
		Params  int    `json:"params"`  // number of trained values
		Threads int    `json:"threads"` // that compute
		Kernels string `json:"kernels"` // the kernel set: amx, avx512, avx2, neon, generic; or xla
	}

	// Step is written every few steps; Loss and Acc are means over the steps of the epoch so far.
	Step struct {
		Step  int     `json:"step"`   // done
		Epoch int     `json:"epoch"`  // from 1
		Loss  float64 `json:"loss"`   // mean over the epoch so far
		Acc   float64 `json:"acc"`    // mean over the epoch so far
		LR    float64 `json:"lr"`     // learning rate
		ImgS  float64 `json:"img_s"`  // images per second
		StepS float64 `json:"step_s"` // of a step
		ETA   float64 `json:"eta_s"`  // of the rest of the run

		Steps, EpochSteps, EpochStep int     `json:"-"` // for progress lines
		Elapsed                      float64 `json:"-"`
	}

	// Epoch ends an epoch.
	Epoch struct {
		Epoch     int     `json:"epoch"`           // from 1
		Step      int     `json:"step"`            // done
		TrainLoss float64 `json:"train_loss"`      // mean over the epoch
		TrainAcc  float64 `json:"train_acc"`       // mean over the epoch
		ValLoss   float64 `json:"val_loss"`        // at its end; null: not evaluated
		ValAcc    float64 `json:"val_acc"`         // at its end; null: not evaluated
		ValN      int     `json:"val_n,omitempty"` // images that val_loss and val_acc are means over
		LR        float64 `json:"lr"`              // learning rate of its last step
		ImgS      float64 `json:"img_s"`           // images per second
		WallS     float64 `json:"wall_s"`          // of this epoch, or of its rest after a resume
		TotalS    float64 `json:"total_s"`         // of the run so far, without interruptions
		Best      bool    `json:"best"`            // it was the best so far, of those with its side
		// of its images, trained on and evaluated, in pixels, where they were reduced
		Side int `json:"side,omitempty"`
		// validation accuracy of each class, in the order of the data set's; null: no images of it
		PerClass []null.Float `json:"val_per_class,omitempty"`
		Layers   []LayerNorms `json:"layers,omitempty"` // in the order of the network's parameters

		Epochs   int     `json:"-"`
		ETA      float64 `json:"-"`
		Smoothed bool    `json:"-"` // TrainLoss is that of smoothed labels
	}

	// LayerNorms are the Euclidean norms of the weights of a layer and of their gradients.
	LayerNorms struct {
		Name    string     `json:"name"`    // of the layer: the beginning of its parameters' names
		Weights null.Float `json:"weights"` // of the learned values, at the end of the epoch
		// of the gradient before it is clipped: root mean square over the steps of the epoch; null: not known, as on a
		// GPU
		Gradient null.Float `json:"gradient"`
	}

	// Heads has the attention centers of the heads by layer, with sharpness alpha (isotropic) or precision (general).
	Heads struct {
		Epoch  int         `json:"epoch"`  // done; 0: before the first step
		Layers []HeadLayer `json:"layers"` // from the first on
	}

	// HeadLayer is a layer's heads.
	HeadLayer struct {
		Centers   [][2]float64    `json:"centers"`             // Δ: (row, column) in tokens, relative to the query
		Alpha     []float64       `json:"alpha,omitempty"`     // score -α‖δ-Δ‖²
		Precision [][2][2]float64 `json:"precision,omitempty"` // score -½(δ-Δ)ᵀΣ⁻¹(δ-Δ)
	}

	// Surgery changes or fixes heads before the first step of an epoch.
	Surgery struct {
		Epoch     int      `json:"epoch"`     // done before
		Step      int      `json:"step"`      // done before
		Operation string   `json:"operation"` // prune, reset or freeze
		Which     string   `json:"which"`     // heads, as train.surgery says
		Heads     [][2]int `json:"heads"`     // that these were: layer and number, from 1
	}

	// Eval is an evaluation on one split.
	Eval struct {
		Split string  `json:"split"` // val or test
		Step  int     `json:"step"`  // done
		N     int     `json:"n"`     // number of images
		Loss  float64 `json:"loss"`  // mean over the images
		Acc   float64 `json:"acc"`   // accuracy
		// which images are classified correctly, in base64: bit i%8 of byte i/8 is image i's; not in runs of earlier
		// versions
		Right stats.Bits `json:"right,omitempty"`
	}

	// Warn is a message that the user should see.
	Warn struct {
		Message string `json:"message"` // the text
	}

	// Note is a message that is shown but not recorded in metrics.jsonl.
	Note struct {
		Message string `json:"message"` // the text
	}

	// End ends a run, or one leg of it: what one process trained.
	End struct {
		State string  `json:"state"`  // done, stopped, failed, diverged
		Step  int     `json:"step"`   // done
		WallS float64 `json:"wall_s"` // of training, without interruptions
	}
)

func (Start) event() string { return "start" }
func (Step) event() string  { return "step" }
func (Epoch) event() string { return "epoch" }
func (Heads) event() string { return "heads" }

// String says what was done, when, and to which heads.
func (e Surgery) String() string {
	when, heads := "before training", "no head"
	if e.Epoch > 0 {
		when = fmt.Sprintf("after epoch %d", e.Epoch)
	}
	for i, at := range e.Heads {
		if heads += ","; i == 0 {
			heads = ""
		}
		heads += fmt.Sprintf(" %d.%d", at[0], at[1])
	}
	return fmt.Sprintf("%s %s %s: %s", e.Operation, e.Which, when, strings.TrimSpace(heads))
}

func (Surgery) event() string { return "surgery" }
func (Eval) event() string    { return "eval" }
func (Warn) event() string    { return "warn" }
func (Note) event() string    { return "note" }
func (End) event() string     { return "end" }
