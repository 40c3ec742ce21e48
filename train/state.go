package train

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
)

// State returns the solver's slots as tensors of a checkpoint, called "optim.<slot>.<parameter>". They share the
// solver's memory. Before Prepare there are none.
func (t *Trainer) State() []ckpt.Tensor {
	var tensors []ckpt.Tensor
	if t.step == nil {
		return nil
	}
	solver, params := t.step.learner()
	slots := solver.Slots()
	for _, slot := range slices.Sorted(maps.Keys(slots)) {
		tensors = append(tensors, slotTensors(slot, params, slots[slot])...)
	}
	if t.average != nil {
		tensors = append(tensors, slotTensors(movedSlot, t.average.params, t.average.other)...)
	}
	return tensors
}

// slotTensors are the slices of a slot, one for each parameter that has one, as tensors that share their memory.
func slotTensors(slot string, params []*nn.Param, data [][]float32) (tensors []ckpt.Tensor) {
	for i, p := range params {
		if len(data[i]) > 0 {
			tensors = append(tensors, ckpt.Tensor{Name: slotName(slot, p.Name), Shape: p.Shape, Data: data[i]})
		}
	}
	return tensors
}

// readSlot copies what slotTensors made from a checkpoint.
func readSlot(f *ckpt.File, slot string, params []*nn.Param, data [][]float32) error {
	for _, t := range slotTensors(slot, params, data) {
		s, ok := f.Lookup(t.Name)
		if !ok {
			return fmt.Errorf("the state of the solver is not in the checkpoint (%s); a new run can begin with its weights: "+
				"--from", t.Name)
		}
		if !slices.Equal(s.Shape, t.Shape) {
			return fmt.Errorf("%s: want shape %v in the checkpoint, got %v", t.Name, t.Shape, s.Shape)
		}
		copy(t.Data, s.Data)
	}
	return nil
}

// Restore reads the solver's slots and the cursor from a checkpoint; the network restores its own weights. Prepare
// comes first.
func (t *Trainer) Restore(f *ckpt.File, cursor string) error {
	if t.step == nil {
		return errUnprepared
	}
	c := Cursor{}
	if err := json.Unmarshal([]byte(cursor), &c); err != nil {
		return fmt.Errorf("attnconv.cursor: %w", err)
	}
	steps := t.EpochSteps()
	if c.Epoch < 0 || c.Batch < 0 || c.Batch > steps || c.Step != c.Epoch*steps+c.Batch {
		return fmt.Errorf("attnconv.cursor: step %d is not step %d of epoch %d with %d steps an epoch",
			c.Step, c.Batch, c.Epoch+1, steps)
	}
	solver, params := t.step.learner()
	for slot, data := range solver.Slots() {
		if err := readSlot(f, slot, params, data); err != nil {
			return err
		}
	}
	if err := t.average.restore(f); err != nil {
		return err
	}
	t.Cursor = c
	solver.SetSteps(c.Step - c.Skipped)
	return nil
}

// CursorText returns the cursor as it is stored in a checkpoint.
func (t *Trainer) CursorText() string {
	b, err := json.Marshal(t.Cursor)
	if err != nil {
		panic(err) // all its values are finite
	}
	return string(b)
}

func slotName(slot, param string) string {
	return "optim." + slot + "." + strings.TrimPrefix(param, "model.")
}
