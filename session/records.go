package session

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/tfevents"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/viz"
)

// records are the files in a run's folder that tell what happened, besides metrics.jsonl.
type records struct {
	log   *slog.Logger       // log.jsonl
	text  *progress.Progress // train.log: plain progress
	board *tfevents.Writer   // tb; nil with Options.NoBoard
}

func (r *records) close() {
	if r.board != nil {
		r.board.Close()
	}
}

// openRecords opens log.jsonl, train.log and the event file for TensorBoard. Each start or resume adds the command line
// to train.log.
func (s *Session) openRecords() (err error) {
	r := &s.records
	if r.log, err = s.dir.Logger(slog.LevelInfo); err != nil {
		return err
	}
	text, err := s.dir.Text()
	if err != nil {
		return err
	}
	if r.text, err = progress.New(progress.Config{Mode: "plain", Out: text}); err != nil {
		return err
	}
	args := s.o.Typed.Args
	r.text.Line(fmt.Sprintf("%s  attnconv %s: %s", time.Now().UTC().Format(time.RFC3339),
		attnconv.Build{Version: s.o.Version}.Short(),
		strings.Join(args[min(1, len(args)):], " ")))
	return s.openBoard()
}

// openBoard creates an event file for TensorBoard, from this step on, with the settings of the run.
func (s *Session) openBoard() (err error) {
	if s.o.NoBoard {
		return nil
	}
	now := time.Now()
	if s.records.board, err = tfevents.Create(filepath.Join(s.dir.Path, "tb"), now, s.trainer.Cursor.Step); err != nil {
		return err
	}
	var list []tfevents.Setting
	for _, v := range s.config.Run.Values() {
		list = append(list, tfevents.Setting(v))
	}
	return s.records.board.Settings(now, list)
}

// logEvery is the number of steps between two records in metrics.jsonl.
const logEvery = 10

// observe tells the observer of an event, and records it.
func (s *Session) observe(e event.Event) error {
	if step, ok := e.(event.Step); ok {
		s.steps.Store(int64(step.Step))
	}
	r := event.Record{Time: time.Now(), Event: e}
	if s.o.Observe != nil {
		if err := s.o.Observe(e); err != nil {
			return err
		}
	}
	s.records.text.Event(r)
	if step, ok := e.(event.Step); ok && step.EpochStep%logEvery != 0 && step.EpochStep != step.EpochSteps {
		return nil
	}
	if err := s.dir.Append(r); err != nil {
		return err
	}
	if s.records.board != nil {
		if err := s.records.board.Record(r); err != nil {
			return err
		}
	}
	if kind := event.Kind(e); kind != "step" && kind != "heads" {
		if epoch, ok := e.(event.Epoch); ok { // metrics.jsonl has them
			epoch.PerClass, epoch.Layers = nil, nil
			r.Event = epoch
		}
		s.records.log.Info(kind, "event", r)
	}
	if epoch, ok := e.(event.Epoch); ok {
		if err := s.recordHeads(epoch.Epoch); err != nil {
			return err
		}
		s.draw(epoch.Epoch)
	}
	return nil
}

// boardDPI keeps the images of the heads small: TensorBoard loads all of them.
const boardDPI = 48

// recordHeads records the centers and spreads of Gaussian heads, and draws them if the epoch has a snapshot.
func (s *Session) recordHeads(epoch int) error {
	layers, isotropic := s.net.Heads()
	if layers == nil {
		return nil
	}
	if s.records.board != nil && s.snapshotDue(epoch) {
		figure, err := viz.Heads(viz.Layers(layers), viz.HeadsOptions{})
		if err != nil {
			return err
		}
		image, err := figure.Encode("heads.png", viz.Output{DPI: boardDPI})
		if err != nil {
			return err
		}
		if err := s.records.board.Image(time.Now(), s.trainer.Cursor.Step, "heads", image); err != nil {
			return err
		}
	}
	return s.observe(heads.Record(epoch, layers, isotropic))
}
