package session

import (
	"context"
	"encoding/json"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
)

// Surgery on heads (train.surgery) is done before the first step. What was done is an event of the run, and is in the
// metadata of its checkpoints, so that a resume freezes the same heads.

// Images that rules of surgery look at. They are training images.
const (
	surgeryLoss = 1000 // of the loss without a head
	surgeryMaps = 20   // of attention that depends on the image
)

// prepareSurgery has the trainer operate, if the settings say so.
func (s *Session) prepareSurgery(images data.Split) error {
	if len(s.config.Run.Train.Surgery) == 0 {
		return nil
	}
	if s.o.Group != nil || s.o.Device != nil {
		return option.Errorf("train.surgery", "%q: heads are operated on by one rank on the CPU: --device cpu",
			s.config.Run.Train.Surgery)
	}
	s.trainer.Operate = func() error { return s.operate(images) }
	return nil
}

// operate does what train.surgery says, and tells the observer.
func (s *Session) operate(images data.Split) error {
	r := s.config.Run
	for _, text := range r.Train.Surgery {
		o, err := r.Model.ParseSurgery(text)
		if err != nil {
			return err
		}
		evidence, err := s.evidence(images)
		if err != nil {
			return err
		}
		found, err := heads.Find(o, s.net, evidence)
		if err != nil {
			return err
		}
		fresh, err := model.New(r.Model, r.Seed)
		if err != nil {
			return err
		}
		heads.Operate(o.Operation, s.net, fresh, found)
		heads.Hold(o.Operation, s.net, found)
		e := event.Surgery{Operation: o.Operation, Which: o.Which, Heads: append([]heads.At{}, found...)}
		s.surgery = append(s.surgery, e)
		if err := s.observe(e); err != nil {
			return err
		}
	}
	return s.trainer.Refreeze()
}

// evidence is what rules know of the network.
func (s *Session) evidence(images data.Split) (*heads.Evidence, error) {
	e := &heads.Evidence{Loss: func() (float64, error) {
		m := trained.Model{Net: s.net, Config: s.config.Run}
		out, err := m.Evaluate(context.Background(), images.Sample(surgeryLoss), trained.EvaluateOptions{})
		return out.Score().Loss, err
	}}
	few := images.Sample(surgeryMaps)
	l, err := data.NewLoader(few, data.LoaderOptions{Batch: 1, Pad: true})
	if err != nil {
		return nil, err
	}
	for b := range l.Epoch(context.Background(), 0, 0) {
		e.Images = append(e.Images, append([]float32{}, b.X...))
	}
	return e, nil
}

// surgeryText is what checkpoints say of the operations so far; "": none.
func (s *Session) surgeryText() string {
	if len(s.surgery) == 0 {
		return ""
	}
	b, err := json.Marshal(s.surgery)
	if err != nil {
		panic(err) // words and numbers
	}
	return string(b)
}

// restoreSurgery freezes what the operations before a checkpoint have frozen. The trainer has no state yet.
func (s *Session) restoreSurgery(meta ckpt.Meta) (err error) {
	if s.surgery, err = heads.ParseSurgery(s.config.Run.Model, meta.Surgery); err != nil || len(s.surgery) == 0 {
		return err
	}
	for _, e := range s.surgery {
		heads.Hold(e.Operation, s.net, e.Heads)
	}
	return s.trainer.Refreeze()
}

// surgeryAhead refuses a run of an earlier version that has operations on heads after an epoch, and has not done them.
func (s *Session) surgeryAhead() error {
	r := s.config.Run
	if n := len(r.Train.Surgery); n == len(s.surgery) || s.trainer.Cursor.Step == 0 &&
		r.Model.CheckSurgery(r.Train.Surgery) == nil {
		return nil
	}
	return s.config.Explain(option.Errorf("train.surgery", "%q: run %s still has to operate on heads after an epoch, and "+
		"this version does that before training only\n  resume it with the version that began it, or train on from its "+
		"weights: attnconv train --from %s --surgery \"prune heads:silent\"", r.Train.Surgery, s.dir.Status().ID,
		shell.Line(s.dir.Path)))
}
