package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/study/stats"
)

// Sizes that no result file exceeds.
const (
	mostBytes  = 8 << 20
	mostImages = 1 << 20
)

// A result is one training run of a study: the file studies/STUDY/TRIAL.json.
type result struct {
	Study, Trial, Program, Command, Config string
	Diverged                               bool
	Machine                                json.RawMessage
	Epochs                                 []epoch
	Summary                                *struct {
		Params int
		GFLOP  float64 `json:"gflop_step"`
		// with the best accuracy on validation images; its weights are tested
		BestEpoch float64 `json:"best_epoch"`
	}
	Test    *tested
	Analyse *measures
	// Untrained is the analysis of the same network before training.
	Untrained *measures
	// Calibration has a temperature that was fitted on validation images.
	Calibration *struct {
		Calibration struct {
			Temperature   float64
			Before, After struct{ NLL, ECE float64 }
		}
	}
	Shifted *struct {
		Acc   float64
		Shift struct {
			Unshifted float64 `json:"acc_unshifted"`
			Same      float64 // predictions that the shift leaves
		}
	}
	Permuted *accuracy // on test images whose pixels are permuted, all in the same way
	Operator *operator
	Heads    map[string]struct{ Layers []layerHeads } // by epoch

	arm  string // the model
	seed int
	rate float64 // of the search
	size int     // training images; 0: all

	measured map[int]*gaussian // by layer: what gaussian has returned
}

// operator is what a file keeps of the weights.
type operator struct {
	Gram  [][][]float64        `json:"canonical_gram"` // of each layer: of the heads' canonical maps
	Small map[string][]float64 // parameters of scores, by name
}

// An epoch is a row of the run's epochs. Values that were not measured are NaN.
type epoch struct {
	Epoch, Step float64
	TrainAcc    *float64 `json:"train_acc"`
	ValAcc      *float64 `json:"val_acc"`
}

// layerHeads are Gaussian heads, whose scores are -α·‖δ - Δ‖², or -½·(δ - Δ)ᵀ·precision·(δ - Δ).
type layerHeads struct {
	Centers   [][2]float64 // Δ: row, column
	Alpha     []float64
	Precision [][2][2]float64 // of heads of any shape, instead of α
}

// tested is the evaluation on test images.
type tested struct {
	N     int
	Acc   float64
	Right stats.Bits
}

// measures is the part of `analyse --function --json` that is reported.
type measures struct {
	Layers []struct {
		Kind   string
		Shares *struct{ K1, K3 float64 }
		Heads  []struct {
			Content *float64 `json:"content_bits"` // what the image says of where the head looks; nil: it says nothing
		}
		Null *struct {
			Within struct{ Mean float64 } `json:"within3"`
		}
		Function map[string]*accuracy
	}
	Unchanged *accuracy
	All       map[string]*accuracy `json:"function_all"`
}

type accuracy struct {
	Acc float64
	N   int
}

// keys are those of a result file.
var keys = []string{"study", "trial", "program", "command", "diverged", "machine", "epochs", "config", "summary", "test",
	"analyse", "untrained", "calibration", "shifted", "permuted", "operator", "heads"}

// choicesFile has the rates that the runner of study rates chose.
const choicesFile = "chosen.json"

// runs are the results by study, in the order of their names.
type runs struct {
	of       map[string][]*result
	step     map[string]float64 // milliseconds of a training step on a quiet machine, by model
	halfStep map[string]float64 // the same at half width
	zooStep  map[string]float64 // the same of study zoo
}

// read reads the folder of the studies.
func read(dir string) (*runs, error) {
	all := &runs{of: map[string][]*result{}}
	if err := all.readSteps(filepath.Join(dir, "steptime.json")); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range studies {
		names = append(names, s.name)
	}
	for _, p := range second {
		names = append(names, p.study)
	}
	for _, study := range names {
		files, err := filepath.Glob(filepath.Join(dir, study, "*.json"))
		if err != nil {
			return nil, err
		}
		slices.Sort(files)
		for _, file := range files {
			if filepath.Base(file) == choicesFile {
				continue
			}
			r, err := readResult(file, study)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all.of[study] = append(all.of[study], r)
		}
	}
	return all, nil
}

// readSteps reads the times of steps, if they were measured.
func (all *runs) readSteps(file string) error {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var times struct {
		V               int
		Full, Half, Zoo map[string]float64
	}
	if err == nil {
		err = json.Unmarshal(b, &times)
	}
	if err == nil && times.V != 1 {
		err = fmt.Errorf("v is %d, want 1", times.V)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	all.step, all.halfStep, all.zooStep = times.Full, times.Half, times.Zoo
	return nil
}

// readResult reads one file. It refuses what contradicts itself.
func readResult(file, study string) (*result, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > mostBytes {
		return nil, fmt.Errorf("a result has at most %d bytes, and this one has more", mostBytes)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return nil, err
	}
	for key := range fields {
		if !slices.Contains(keys, key) {
			return nil, fmt.Errorf("unknown field %q: want a result of a study, with %s", key, strings.Join(keys, ", "))
		}
	}
	r := &result{}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(r); err != nil {
		return nil, err
	}
	if name := strings.TrimSuffix(filepath.Base(file), ".json"); r.Study != study || r.Trial != name {
		return nil, fmt.Errorf("it is trial %q of study %q: want the names of its file and folder", r.Trial, r.Study)
	}
	if err := r.nameParts(); err != nil {
		return nil, err
	}
	if bytes.Contains(r.Machine, []byte(`"gpu"`)) != strings.HasSuffix(r.arm, "-gpu") {
		return nil, fmt.Errorf("trial %q: runs of a GPU, whose machine has a gpu, are arms of their own: MODEL-gpu-seedN",
			r.Trial)
	}
	return r, r.check()
}

var trialName = regexp.MustCompile(`^([a-z0-9.-]+?)(?:-lr([0-9.]+))?(?:-n([0-9]+))?(?:-seed([0-9]+))?$`)

// nameParts takes the model, seed, learning rate and size from the name of the trial.
func (r *result) nameParts() (err error) {
	m := trialName.FindStringSubmatch(r.Trial)
	if m == nil {
		return fmt.Errorf("trial %q: want MODEL-seedN, MODEL-lrRATE or MODEL-nSIZE-seedN", r.Trial)
	}
	r.arm, r.seed = m[1], -1
	if m[2] != "" {
		r.rate, err = strconv.ParseFloat(m[2], 64)
	}
	if m[3] != "" && err == nil {
		r.size, err = strconv.Atoi(m[3])
	}
	if m[4] != "" && err == nil {
		r.seed, err = strconv.Atoi(m[4])
	}
	return err
}

func (r *result) check() error {
	step := 0.0
	for i, e := range r.Epochs {
		if !(e.Step > step) {
			return fmt.Errorf("epoch %d ends at step %v, after %v: want growing steps", i+1, e.Step, step)
		}
		step = e.Step
		if e.ValAcc != nil && !fraction(*e.ValAcc) {
			return fmt.Errorf("epoch %d: val_acc %v: want 0 to 1", i+1, *e.ValAcc)
		}
	}
	if r.Diverged {
		return nil
	}
	if m := r.Analyse; m != nil {
		all := []map[string]*accuracy{m.All, {"unchanged": m.Unchanged}}
		for _, l := range m.Layers {
			all = append(all, l.Function)
		}
		for _, group := range all {
			for name, a := range group {
				if a != nil && !fraction(a.Acc) {
					return fmt.Errorf("analyse: accuracy %s is %v: want 0 to 1", name, a.Acc)
				}
			}
		}
	}
	if len(r.Epochs) == 0 || r.Summary == nil || r.Test == nil {
		return fmt.Errorf("it did not diverge: want epochs, summary and test")
	}
	t := r.Test
	if t.N < 1 || t.N > mostImages || len(t.Right) != (t.N+7)/8 {
		return fmt.Errorf("test.right has %d bytes for n = %d images: want a bit for each", len(t.Right), t.N)
	}
	right := 0
	for i := range t.N {
		if t.Right.At(i) {
			right++
		}
	}
	if math.Abs(float64(right)/float64(t.N)-t.Acc) > 1e-9 {
		return fmt.Errorf("test.acc is %v, but %d of %d bits of test.right are set", t.Acc, right, t.N)
	}
	return nil
}

func fraction(v float64) bool { return v >= 0 && v <= 1 }

// A study has a plan of so many runs.
type study struct {
	name    string
	planned int
}

// studies are in the order of the page.
var studies = []study{{"search", 30}, {"control", 30}, {"encodings", 12}, {"data", 36}, {"half", 159},
	{"relations", 12}}

// half returns the runs of study half in the places of those of the other studies, so that the same measures apply.
func (all *runs) half() *runs {
	view := &runs{of: map[string][]*result{}, step: all.halfStep}
	for _, r := range all.of["half"] {
		place := r.place()
		view.of[place] = append(view.of[place], r)
	}
	return view
}

// own returns the runs of study half whose model has the learning rate that the search at half width chose, in the
// places of those of the other studies. A model of the control whose rate is another one was trained again.
func (all *runs) own() *runs {
	half := all.half()
	view := &runs{of: map[string][]*result{}, step: half.step}
	again := map[string]bool{}
	for _, r := range half.of["retuned"] {
		again[strings.TrimSuffix(r.arm, tuned)] = true
	}
	for _, r := range all.of["half"] {
		same := *r
		same.arm = strings.TrimSuffix(r.arm, tuned)
		rate, known := half.chosen(same.arm)
		if slices.Contains(controlled, same.arm) && !again[same.arm] {
			had, _ := all.chosen(same.arm)
			known = known && had == rate
		}
		if r.rate == 0 && known && (same.arm != r.arm) == again[same.arm] {
			view.of[same.place()] = append(view.of[same.place()], &same)
		}
	}
	return view
}

// place is the study that has, at full width, what a run of study half is. Hybrids, pruned networks and models at
// another rate are in study half only, and so are the seeds of the replication.
func (r *result) place() string {
	switch {
	case r.rate > 0:
		return "search"
	case r.seed >= replicated:
		return "replication"
	case strings.HasSuffix(r.arm, tuned):
		return "retuned"
	case r.size > 0:
		return "data"
	case slices.Contains(encodings, r.arm):
		return "encodings"
	case slices.Contains(hybrids, r.arm):
		return "hybrids"
	case slices.Contains(prunings, r.arm):
		return "pruning"
	}
	return "control"
}

// atHalf returns the results of a model among those of half, in whichever place they are.
func (all *runs) atHalf(arm string, size int) []*result {
	return all.ofArm((&result{arm: arm, size: size}).place(), arm, size)
}

// counts returns how many runs there are.
func (all *runs) counts() (counts []Count) {
	for _, s := range studies {
		counts = append(counts, Count{Study: s.name, Done: len(all.of[s.name]), Planned: s.planned})
	}
	for _, p := range second {
		counts = append(counts, all.count(p))
	}
	return counts
}

// where returns the results of a study that a condition holds for and that did not diverge, by seed.
func (all *runs) where(study string, ok func(*result) bool) (found []*result) {
	for _, r := range all.of[study] {
		if !r.Diverged && ok(r) {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b *result) int { return a.seed - b.seed })
	return found
}

func (all *runs) ofArm(study, arm string, size int) []*result {
	return all.where(study, func(r *result) bool { return r.arm == arm && r.size == size })
}
