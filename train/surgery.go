package train

import (
	"errors"

	"github.com/attnconv/attnconv/nn"
)

// operate calls Operate before the first step of an epoch, and trains on with what that has changed and frozen.
func (t *Trainer) operate() error {
	if t.Operate == nil || t.Cursor.Batch > 0 {
		return nil
	}
	changed, operated, err := t.Operate(t.Cursor.Epoch)
	if err != nil || !operated {
		return err
	}
	t.average.set(changed)
	return t.Refreeze(changed)
}

// Refreeze makes the solver anew, which then takes no step of what has been frozen since Prepare. It keeps the slots of
// the former one, except those of changed elements, which become zero.
func (t *Trainer) Refreeze(changed []nn.Span) error {
	if t.step == nil {
		return errUnprepared
	}
	before, old := t.step.learner()
	if err := t.rebuild(t.train.Shape()[1], t.Solver); err != nil {
		return err
	}
	solver, params := t.step.learner()
	from := before.Slots()
	for name, slots := range solver.Slots() {
		for i, p := range params {
			if i >= len(old) || old[i] != p {
				return errors.New("the network uses other parameters than before")
			}
			if was := from[name]; was != nil && len(was[i]) == len(slots[i]) {
				copy(slots[i], was[i])
			}
			for _, s := range changed {
				if s.Param == p && len(slots[i]) > 0 {
					clear(slots[i][s.Lo:s.Hi])
				}
			}
		}
	}
	solver.SetSteps(t.Cursor.Step - t.Cursor.Skipped)
	return nil
}
