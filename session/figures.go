package session

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// A Figure is redrawn in the folder figures of a run while it trains, or drawn at its end.
type Figure struct {
	Name string // of the file
	When When
	// Draw returns the file, or nil if there is nothing to draw. Its error is a warning: training goes on.
	Draw func(t Training) ([]byte, error)
}

// When says when a Figure is drawn.
type When int

const (
	WhileTraining When = iota // after epochs, as Options.Draw says, and at the end
	AtEnd                     // however the run ends, if an epoch is finished
	WhenDone                  // at the end of a run that is done and has three epochs or more
)

// A Training is a run that trains in this process, as its figures see it.
type Training struct {
	Dir             *run.Dir
	Net             *model.Network // with its weights as they are now
	Test            data.Split     // the test images
	Source, Caption string         // of its figures: the run, and which weights these are
}

// drawEvery is the least time between figures: drawing takes a tenth of a second.
const drawEvery = 10 * time.Second

// enough is the number of epochs from which on figures that are WhenDone are drawn.
const enough = 3

// draw draws the figures after an epoch, if due.
func (s *Session) draw(epoch int) {
	if !drawsAfter(epoch, s.o.Draw, time.Since(s.drawn)) {
		return
	}
	s.drawn = time.Now()
	s.drawFigures(WhileTraining)
}

// drawsAfter reports whether figures are due after an epoch: every so many epochs or, if every is 0, by the time that
// has passed since the last ones.
func drawsAfter(epoch, every int, passed time.Duration) bool {
	if every > 0 {
		return epoch%every == 0
	}
	return passed >= drawEvery
}

// drawLast draws the figures of a run that ends: of the tested weights if it is done.
func (s *Session) drawLast(done bool) {
	switch epoch := s.trainer.Cursor.Epoch; {
	case epoch == 0:
	case done && epoch >= enough:
		s.drawFigures(WhenDone)
	default:
		s.drawFigures(AtEnd)
	}
}

// drawFigures draws the figures up to when.
func (s *Session) drawFigures(when When) {
	now := Training{Dir: s.dir, Net: s.net, Test: s.test, Source: s.dir.Status().Title(), Caption: s.caption()}
	for _, f := range s.o.Figures {
		if f.When > when {
			continue
		}
		name := filepath.Join("figures", f.Name)
		path := filepath.Join(s.dir.Path, name)
		b, err := f.Draw(now)
		switch {
		case err != nil:
			err = fmt.Errorf("%s: %w", path, err)
		case b != nil:
			err = s.dir.Replace(name, disk.Bytes(b)) // names the file
		}
		if err != nil {
			s.records.log.Warn("figure", "path", path, "error", err)
			s.o.Messages.Warn(err.Error())
		}
	}
}

// caption describes the weights in the run's figures, in one line: those of the last step or, once tested, the best.
func (s *Session) caption() string {
	status, r := s.dir.Status(), s.config.Run
	which := s.trainer.Cursor.Of(r.Train.Epochs)
	if s.tested {
		which = fmt.Sprintf("epoch %d of %d, test acc %.1f %%%s", status.BestEpoch, r.Train.Epochs, 100*status.TestAcc,
			study.PartOf("test", status, &r).Aside("test"))
	}
	return fmt.Sprintf("%s · %s · %s", r.Model.EncodingName(), r.Data.Name, which)
}
