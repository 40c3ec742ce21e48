package cmd

import (
	"path/filepath"
	"time"

	"github.com/attnconv/attnconv/internal/tfevents"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/viz"
)

// openBoard begins the event file of this leg of the run, with the run's settings.
func (j *job) openBoard() (err error) {
	if !j.o.Board {
		return nil
	}
	now := time.Now()
	if j.board, err = tfevents.Create(filepath.Join(j.dir.Path, "tb"), now, j.trainer.Cursor.Step); err != nil {
		return err
	}
	var list []tfevents.Setting
	for _, v := range j.run.Values() {
		list = append(list, tfevents.Setting(v))
	}
	return j.board.Settings(now, list)
}

// boardDPI makes the image of the heads small: TensorBoard loads all of them.
const boardDPI = 48

// boardHeads draws where the heads look, of the epochs of which a run keeps more.
func (j *job) boardHeads(epoch int, heads [][]posenc.Head) error {
	if j.board == nil || !j.snapshotDue(epoch) {
		return nil
	}
	figure, err := headsFigure(heads)
	if err != nil {
		return err
	}
	image, err := figure.Encode("heads.png", viz.Output{DPI: boardDPI})
	if err != nil {
		return err
	}
	return j.board.Image(time.Now(), j.trainer.Cursor.Step, "heads", image)
}
