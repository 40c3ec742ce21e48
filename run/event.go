// Package run is the run directory: the record of a training run, in plain files that other programs can read. There is no
// database: each run is a folder, and deleting the folder deletes the run. A process that trains a run holds the folder's
// lock.
//
// Create makes a run, Dir.Event and Dir.Save write to it; Open, List and Lookup find and read runs; the types that
// implement Event are the stream of metrics.jsonl.
//
// Stable: the files and their keys, to which more are only added (Format, Schema), the events, Create, Open, List,
// Lookup and Dir. Names for the command line's housekeeping (Spares, Judge, Claim) may change.
package run

// An Event is an event of a run, a line of metrics.jsonl. Keys are only ever added to the schema (version 1), never
// renamed. Times are in seconds, accuracies in 0..1; epochs count from 1.
type Event interface{ event() string }

type (
	// Start begins a run or, with Step > 0, resumes it.
	Start struct {
		Step    int    `json:"step"`
		Steps   int    `json:"steps"`  // of the whole run
		Epochs  int    `json:"epochs"` // of the whole run
		Params  int    `json:"params"`
		Threads int    `json:"threads"`
		Kernels string `json:"kernels"` // the kernel set: avx2, generic; or xla
	}

	// Step is written every few steps; Loss and Acc are means over the steps of the epoch so far.
	Step struct {
		Step  int     `json:"step"`
		Epoch int     `json:"epoch"`
		Loss  float64 `json:"loss"`
		Acc   float64 `json:"acc"`
		LR    float64 `json:"lr"`
		ImgS  float64 `json:"img_s"`
		StepS float64 `json:"step_s"`
		ETA   float64 `json:"eta_s"`

		Steps, EpochSteps, EpochStep int     `json:"-"` // for progress lines
		Elapsed                      float64 `json:"-"`
	}

	// Epoch ends an epoch.
	Epoch struct {
		Epoch     int     `json:"epoch"`
		Step      int     `json:"step"`
		TrainLoss float64 `json:"train_loss"`
		TrainAcc  float64 `json:"train_acc"`
		ValLoss   float64 `json:"val_loss"`
		ValAcc    float64 `json:"val_acc"`
		ValN      int     `json:"val_n,omitempty"` // images that val_loss and val_acc are means over
		LR        float64 `json:"lr"`
		ImgS      float64 `json:"img_s"`
		WallS     float64 `json:"wall_s"`  // of this epoch, or of its rest after a resume
		TotalS    float64 `json:"total_s"` // of the run so far, without interruptions
		Best      bool    `json:"best"`

		Epochs int     `json:"-"`
		ETA    float64 `json:"-"`
	}

	// Heads has the attention centers of the heads by layer, with sharpness alpha (isotropic) or precision (general).
	Heads struct {
		Epoch  int         `json:"epoch"`
		Layers []HeadLayer `json:"layers"`
	}

	// HeadLayer is a layer's heads.
	HeadLayer struct {
		Centers   [][2]float64    `json:"centers"`             // Δ: (row, column) in tokens, relative to the query
		Alpha     []float64       `json:"alpha,omitempty"`     // score -α‖δ-Δ‖²
		Precision [][2][2]float64 `json:"precision,omitempty"` // score -½(δ-Δ)ᵀΣ⁻¹(δ-Δ)
	}

	// Eval is an evaluation on one split.
	Eval struct {
		Split string  `json:"split"`
		Step  int     `json:"step"`
		N     int     `json:"n"`
		Loss  float64 `json:"loss"`
		Acc   float64 `json:"acc"`
		Right Bits    `json:"right,omitempty"` // by image; not in runs of earlier versions
	}

	// Warn is a message that the user should see.
	Warn struct {
		Message string `json:"message"`
	}

	// Note is a message that is shown but not recorded in metrics.jsonl.
	Note struct {
		Message string `json:"message"`
	}

	// End ends a run, or one leg of it: what one process trained.
	End struct {
		State string  `json:"state"` // done, stopped, failed, diverged
		Step  int     `json:"step"`
		WallS float64 `json:"wall_s"`
	}
)

func (Start) event() string { return "start" }
func (Step) event() string  { return "step" }
func (Epoch) event() string { return "epoch" }
func (Heads) event() string { return "heads" }
func (Eval) event() string  { return "eval" }
func (Warn) event() string  { return "warn" }
func (Note) event() string  { return "note" }
func (End) event() string   { return "end" }
