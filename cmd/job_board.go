package cmd

import (
	"path/filepath"
	"time"

	"github.com/attnconv/attnconv/internal/tfevents"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/viz"
)

// openBoard creates an event file for TensorBoard, from this step on, with the settings of the run.
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

// boardDPI keeps the images of the heads small: TensorBoard loads all of them.
const boardDPI = 48

// boardHeads draws the heads of an epoch that has a snapshot.
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
