package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study/stats"
	"github.com/attnconv/attnconv/train"
)

// Train begins the run, unless that is done, trains it to its end, tests its best weights, draws its figures and writes
// its summary. Errors of Begin come before anything is trained. When ctx is done or the budget is spent, Train finishes
// the current step, saves, and returns train.ErrStopped. If ctx is done before the first step, Train takes none: the
// error is ctx's, and no folder is made, or train.ErrStopped if the run has begun. A loss or gradient that is not
// finite is a *train.DivergenceError; the error of an observer is returned as it is. The summary is that of the run so
// far, also with an error. On ranks other than the first it trains, and returns an empty summary.
func (s *Session) Train(ctx context.Context) (summary run.Summary, err error) {
	early := train.ShareError(s.o.Group, ctx.Err())
	if early != nil && !s.begun {
		return summary, early
	}
	if err := s.Begin(); err != nil {
		return summary, err
	}
	switch {
	case !s.leads() && early != nil:
		return summary, train.ErrStopped
	case !s.leads():
		return summary, s.trainer.Run(ctx)
	}
	if err := s.openRecords(); err != nil {
		return summary, err
	}
	if early != nil {
		return s.end(train.ErrStopped)
	}
	beating, stopBeating := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBeating()
	go s.dir.Keep(beating)
	limited := ctx
	if s.o.Budget > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, s.o.Budget)
		defer cancel()
	}
	if s.trainer.Cursor.Step == 0 && s.config.Run.Train.Epochs > 0 { // without epochs, closing epoch 0 does
		if err := s.recordHeads(0); err != nil {
			return summary, err
		}
	}
	err = s.trainer.Run(limited)
	if err == nil && !s.Overfits() {
		err = s.score(ctx)
	}
	s.drawLast(err == nil)
	return s.end(err)
}

// Events trains the run as Train does, and yields what happens, in order; the last pair may have Train's error, and no
// event. Leaving the loop stops the run after the current step, and saves it.
func (s *Session) Events(ctx context.Context) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		observe, left := s.o.Observe, false
		defer func() { s.o.Observe = observe }()
		s.o.Observe = func(e event.Event) error {
			if observe != nil {
				if err := observe(e); err != nil {
					return err
				}
			}
			if !left && !yield(e, nil) {
				left = true
				stop()
			}
			return nil
		}
		if _, err := s.Train(ctx); err != nil && !left {
			yield(nil, err)
		}
	}
}

// end writes how the run ended.
func (s *Session) end(err error) (run.Summary, error) {
	state, diverged := event.Done, (*train.DivergenceError)(nil)
	switch {
	case err == nil:
	case errors.Is(err, train.ErrStopped), errors.Is(err, context.Canceled):
		state, err = event.Stopped, train.ErrStopped
	case errors.As(err, &diverged):
		state, diverged.Where = event.Diverged, placeOf(diverged.Where)
	default:
		state = event.Failed
	}
	r, end := s.config.Run, event.End{State: state, Step: s.trainer.Cursor.Step, WallS: s.trainer.Cursor.Seconds}
	summary := s.dir.Summary(end)
	summary.GFLOPStep = 6e-9 * s.meanMACs() * float64(r.Train.Batch) // backward costs twice the forward pass
	// before the End event: a run that is done has a summary
	if writeErr := s.dir.WriteSummary(summary); writeErr != nil && err == nil {
		end.State, err = event.Failed, writeErr
	}
	if endErr := s.observe(end); err == nil {
		err = endErr
	}
	s.records.text.Line(fmt.Sprintf("%s at step %d of %d", end.State, end.Step, s.trainer.Steps()))
	return summary, err
}

// meanMACs is the number of multiply-adds of an image's forward pass, the mean over the epochs.
func (s *Session) meanMACs() float64 {
	r := s.config.Run
	if len(r.Train.Resolutions) == 0 {
		return float64(r.Model.MACs().Run)
	}
	sum, macs := 0., map[int]float64{} // by side
	for epoch := range r.Train.Epochs {
		side := r.Train.Side(epoch)
		if macs[side] == 0 {
			m := r.Model
			m.Image[0], m.Image[1] = side, side
			macs[side] = float64(m.MACs().Run)
		}
		sum += macs[side]
	}
	return sum / float64(r.Train.Epochs)
}

// score evaluates the best weights on the test set.
func (s *Session) score(ctx context.Context) error {
	path, err := run.Checkpoint(s.dir.Path)
	if err != nil {
		return err
	}
	f, err := ckpt.Read(path)
	if err != nil {
		return err
	}
	if err := s.net.SetWeights(f); err != nil {
		return err
	}
	batches, err := s.evalLoader(s.test)
	if err != nil {
		return err
	}
	o := s.trainer.Options
	e, err := train.NewEvaluator(s.net, train.Shape{o.EvalBatch, s.set.Rows, s.set.Cols, s.set.Channels}, o)
	if err != nil {
		return err
	}
	defer e.Close()
	out, err := e.Outputs(ctx, batches, o.ValBatches)
	if err != nil {
		return err
	}
	score := out.Score()
	right := stats.NewBits(out.Len(), func(i int) bool { return out.Right(i) })
	s.tested = true
	return s.observe(event.Eval{Split: "test", Step: s.trainer.Cursor.Step, N: score.N, Loss: score.Loss,
		Acc: score.Acc, Right: right})
}

// snapshots is roughly the number of snapshots, weights without solver state, that a run keeps.
const snapshots = 30

// snapshotDue reports whether a run keeps a snapshot of an epoch.
func (s *Session) snapshotDue(epoch int) bool {
	return epoch%max(1, s.config.Run.Train.Epochs/snapshots) == 0
}

// save writes a checkpoint and, if due, a snapshot.
func (s *Session) save(best bool) error {
	c, r := s.trainer.Cursor, s.config.Run
	meta := ckpt.Meta{
		Kind: r.Model.Kind, Config: string(r.YAML()), Step: c.Step, Epoch: c.Epoch,
		RNG:    fmt.Sprintf("seed %d", r.Seed),
		Cursor: s.trainer.CursorText(), DataDigest: s.set.Digest.Train, Images: s.images.Text(),
		Kernels: train.KernelsOf(s.o.Device), Version: s.o.Version, Surgery: s.surgeryText(),
		Metrics: map[string]float64{"train_loss": c.Last.TrainLoss, "train_acc": c.Last.TrainAcc,
			"val_loss": c.Last.ValLoss, "val_acc": c.Last.ValAcc},
	}
	f := &ckpt.File{Meta: meta.Strings(), Tensors: append(s.net.Tensors(), s.trainer.State()...)}
	if c.Batch == 0 && s.snapshotDue(c.Epoch) { // first, since a run resumed from the checkpoint would not write it
		if err := s.write(s.dir.Snapshot(c.Epoch), &ckpt.File{Meta: f.Meta, Tensors: s.net.Tensors()}); err != nil {
			return err
		}
	}
	return s.dir.Save(c.Step, best, func(path string) error { return s.write(path, f) })
}

// write writes a checkpoint of the run.
func (s *Session) write(path string, f *ckpt.File) error {
	return s.dir.Replace(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), f.Encode)
}
