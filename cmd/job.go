package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/tfevents"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// A job is one training run and everything that it writes.
type job struct {
	c       *cli.Console
	o       trainOptions
	run     configs.Run
	set     *data.Set
	net     *model.Network
	device  *pjrt.Device
	trainer *train.Trainer
	test    data.Split
	val     int // validation images
	batch   int // the preset's batch, if the data are too few for it; else 0
	dir     *run.Dir
	log     *slog.Logger       // log.jsonl in the run's folder
	text    *progress.Progress // train.log: plain progress
	board   *tfevents.Writer   // nil with --tensorboard=false
	show    *progress.Progress
	steps   atomic.Int64 // taken so far
	drawn   time.Time    // time of the last figures
	tested  bool         // the network has the best weights, which have been tested
	asked   atomic.Bool  // by SIGUSR1, to save after this step
}

// newJob opens the device and builds network, loaders and graphs. It writes nothing.
func newJob(c *cli.Console, o trainOptions) (j *job, err error) {
	defer func() {
		if err != nil {
			j.close()
			j = nil
		}
	}()
	j = &job{c: c, o: o, run: o.Config.Run, set: o.Set}
	if j.set, err = j.set.With(j.run.Data, c.DataDir); err != nil {
		return j, o.Config.Explain(err)
	}
	if err := j.fitData(); err != nil {
		return j, err
	}
	trainSplit, val, test, err := j.split()
	if err != nil {
		return j, o.Config.Explain(err)
	}
	if j.net, err = model.New(j.run.Model, j.run.Seed); err != nil {
		return j, o.Config.Explain(err)
	}
	if err := heads.Freeze(j.net, j.run.Train.Freeze); err != nil {
		return j, o.Config.Explain(err)
	}
	if j.device, err = c.OpenDevice(j.run.Train.Precision); err != nil {
		return j, o.Config.Explain(err)
	}
	j.run.Train.Device = j.device.Accelerator
	j.test, j.val = test, val.Len()
	batches, err := j.trainLoader(trainSplit)
	if err != nil {
		return j, o.Config.Explain(invalid.Errorf("train.batch", "%d: want 1 to %d, the number of training images of %s",
			j.run.Train.Batch, trainSplit.Len(), j.set.Name))
	}
	heldOut, err := j.evalLoader(val)
	if err != nil {
		return j, err
	}
	j.trainer = &train.Trainer{
		Options: j.run.Train, Net: j.net, Params: j.net.Params, Train: batches, Val: heldOut,
		Shape: [3]int(j.run.Model.Image), Observe: j.observe, Save: j.save, Every: o.Every,
		SaveNow: func() bool { return j.asked.Swap(false) },
	}
	if err := j.trainer.Prepare(); err != nil {
		return j, err
	}
	j.show, err = progress.New(c.Progress())
	return j, err
}

func (j *job) close() {
	if j.trainer != nil {
		j.trainer.Close()
	}
	if j.device != nil {
		j.device.Close()
	}
	if j.board != nil {
		j.board.Close()
	}
	if j.dir != nil {
		j.dir.Close()
	}
}

// train runs the trainer to its end, tests the best weights, draws the figures and writes the summary.
func (j *job) train(ctx context.Context) (summary run.Summary, err error) {
	if err := j.openLogs(); err != nil {
		return summary, err
	}
	if err := j.openBoard(); err != nil {
		return summary, err
	}
	beating, stopBeating := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBeating()
	go j.dir.Keep(beating)
	limited := ctx
	if j.o.Budget > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, j.o.Budget)
		defer cancel()
	}
	defer context.AfterFunc(ctx, func() {
		j.show.Line(fmt.Sprintf("finishing step %d, saving … (press again to stop now)", j.steps.Load()+1))
	})()
	defer cli.OnRequest(func() {
		j.asked.Store(true)
		j.show.Line(fmt.Sprintf("saving after step %d, as asked", j.steps.Load()+1))
	})()
	if j.trainer.Cursor.Step == 0 {
		if err := j.heads(0); err != nil {
			return summary, err
		}
	}
	err = j.trainer.Run(limited)
	state := run.Done
	if err == nil && !j.overfits() {
		err = j.score(ctx)
	}
	j.drawLast(err == nil)
	diverged := (*train.Diverged)(nil)
	switch {
	case err == nil:
	case errors.Is(err, train.ErrStopped), errors.Is(err, context.Canceled):
		state, err = run.Stopped, train.ErrStopped
	case errors.As(err, &diverged):
		state, diverged.Where = run.Diverged, placeOf(diverged.Where)
	default:
		state = run.Failed
	}
	end := run.End{State: state, Step: j.trainer.Cursor.Step, WallS: j.trainer.Cursor.Seconds}
	summary = j.dir.Summary(end)
	summary.GFLOPStep = 6e-9 * float64(j.run.Model.MACs().Run) * float64(j.run.Train.Batch) // backward costs twice the forward pass
	if writeErr := j.dir.WriteSummary(summary); writeErr != nil && err == nil {             // before the End event: a run that is done has a summary
		end.State, err = run.Failed, writeErr
	}
	if endErr := j.observe(end); err == nil {
		err = endErr
	}
	j.show.Close()
	j.text.Line(fmt.Sprintf("%s at step %d of %d", end.State, end.Step, j.trainer.Steps()))
	return summary, err
}

// openLogs opens log.jsonl and train.log in the run's folder. Each start or resume adds the command line to the latter.
func (j *job) openLogs() (err error) {
	if j.log, err = j.dir.Logger(slog.LevelInfo); err != nil {
		return err
	}
	text, err := j.dir.Text()
	if err != nil {
		return err
	}
	if j.text, err = progress.New(progress.Config{Mode: "plain", Out: text}); err != nil {
		return err
	}
	j.text.Line(fmt.Sprintf("%s  attnconv %s: %s", time.Now().UTC().Format(time.RFC3339), cli.ReadBuild().Short(),
		strings.Join(os.Args[min(1, len(os.Args)):], " ")))
	return nil
}

// score evaluates the best weights on the test set.
func (j *job) score(ctx context.Context) error {
	path, err := run.Checkpoint(j.dir.Path)
	if err != nil {
		return err
	}
	f, err := ckpt.Read(path)
	if err != nil {
		return err
	}
	if err := j.net.SetWeights(f); err != nil {
		return err
	}
	batches, err := j.evalLoader(j.test)
	if err != nil {
		return err
	}
	shape := train.Shape{j.run.Train.EvalBatch, j.set.Rows, j.set.Cols, j.set.Channels}
	e, err := train.NewEvaluator(j.net, shape, j.run.Train.Device)
	if err != nil {
		return err
	}
	defer e.Close()
	out, err := e.Outputs(ctx, batches, j.run.Train.ValBatches)
	if err != nil {
		return err
	}
	s := out.Score()
	right := run.NewBits(out.Len(), func(i int) bool { return out.Right(i) })
	j.tested = true
	return j.observe(run.Eval{Split: "test", Step: j.trainer.Cursor.Step, N: s.N, Loss: s.Loss, Acc: s.Acc, Right: right})
}

// logEvery is the number of steps between two records in metrics.jsonl.
const logEvery = 10

// observe records and shows an event.
func (j *job) observe(e run.Event) error {
	r := run.Record{Time: time.Now(), Event: e}
	j.show.Event(r)
	j.text.Event(r)
	if s, ok := e.(run.Step); ok {
		j.steps.Store(int64(s.Step))
		if s.EpochStep%logEvery != 0 && s.EpochStep != s.EpochSteps {
			return nil
		}
	}
	if err := j.dir.Append(r); err != nil {
		return err
	}
	if j.board != nil {
		if err := j.board.Record(r); err != nil {
			return err
		}
	}
	if kind := run.Kind(e); kind != "step" && kind != "heads" {
		j.log.Info(kind, "event", r)
	}
	if epoch, ok := e.(run.Epoch); ok {
		if err := j.heads(epoch.Epoch); err != nil {
			return err
		}
		j.draw(epoch.Epoch)
	}
	return nil
}

// heads records the centers and spreads of Gaussian heads.
func (j *job) heads(epoch int) error {
	layers, isotropic := j.net.Heads()
	if layers == nil {
		return nil
	}
	e := run.Heads{Epoch: epoch}
	for _, heads := range layers {
		e.Layers = append(e.Layers, headLayer(heads, isotropic))
	}
	if err := j.boardHeads(epoch, layers); err != nil {
		return err
	}
	return j.observe(e)
}

func headLayer(heads []posenc.Head, isotropic bool) (l run.HeadLayer) {
	for _, h := range heads {
		l.Centers = append(l.Centers, h.Center)
		if isotropic {
			l.Alpha = append(l.Alpha, h.Precision[0][0]/2)
		} else {
			l.Precision = append(l.Precision, h.Precision)
		}
	}
	return l
}

// snapshots is roughly the number of snapshots, weights without solver state, that a run keeps.
const snapshots = 30

// snapshotDue reports whether a run keeps a snapshot of an epoch.
func (j *job) snapshotDue(epoch int) bool { return epoch%max(1, j.run.Train.Epochs/snapshots) == 0 }

// save writes a checkpoint and, if due, a snapshot.
func (j *job) save(best bool) error {
	c := j.trainer.Cursor
	meta := ckpt.Meta{
		Kind: j.run.Model.Kind, Config: string(j.run.YAML()), Step: c.Step, Epoch: c.Epoch,
		RNG:    fmt.Sprintf("seed %d", j.run.Seed),
		Cursor: j.trainer.CursorText(), DataDigest: j.set.Digest.Train, Kernels: train.KernelsOf(j.run.Train.Device), Version: cli.ReadBuild().Version,
		Metrics: map[string]float64{"train_loss": c.Last.TrainLoss, "train_acc": c.Last.TrainAcc,
			"val_loss": c.Last.ValLoss, "val_acc": c.Last.ValAcc},
	}
	f := &ckpt.File{Meta: meta.Strings(), Tensors: append(j.net.Tensors(), j.trainer.State()...)}
	if c.Batch == 0 && j.snapshotDue(c.Epoch) { // first, since a run resumed from the checkpoint would not write it
		if err := ckpt.Write(j.dir.Snapshot(c.Epoch), &ckpt.File{Meta: f.Meta, Tensors: j.net.Tensors()}); err != nil {
			return err
		}
	}
	return j.dir.Save(c.Step, best, func(path string) error { return ckpt.Write(path, f) })
}
