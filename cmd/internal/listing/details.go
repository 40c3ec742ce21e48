package listing

import (
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
)

// Details describes a run with its epochs, and its Gaussian heads next to their null distribution. The error is one of
// reading its records; the rest is there all the same.
func Details(e run.Entry) (RunDetails, ListRow, error) {
	l := Read(e)
	d := RunDetails{V: 1, Record: l.Record, Bytes: run.Size(e.Path), Nulls: []study.HeadNull{}, Images: e.Status.Images}
	if l.Config != nil {
		d.Nulls = recordedNulls(e, l.Config.Model)
	}
	if path, err := run.Checkpoint(e.Path); err == nil {
		d.Checkpoint = path
	}
	var err error
	if d.EpochRows, err = EpochRows(&run.Dir{Path: e.Path}); err != nil || l.Config == nil ||
		len(l.Config.Train.Surgery) == 0 {
		return d, l, err
	}
	records, err := (&run.Dir{Path: e.Path}).Records(event.Kind(event.Surgery{}))
	for _, r := range records {
		if done, ok := r.Event.(event.Surgery); ok {
			d.Surgery = append(d.Surgery, done)
		}
	}
	return d, l, err
}

// EpochRows reads the epochs that a run has recorded. The error is one of reading its records; rows are there all the
// same.
func EpochRows(dir *run.Dir) ([]EpochRow, error) {
	rows := []EpochRow{}
	records, err := dir.Records(event.Kind(event.Epoch{}))
	for _, r := range records {
		if e, ok := r.Event.(event.Epoch); ok {
			rows = append(rows, EpochRow{
				Epoch: e.Epoch, Step: e.Step, TrainLoss: null.Float(e.TrainLoss), TrainAcc: null.Float(e.TrainAcc),
				ValLoss: null.Float(e.ValLoss), ValAcc: null.Float(e.ValAcc), LR: null.Float(e.LR),
				ImgS: null.Float(e.ImgS), WallS: null.Float(e.WallS), Best: e.Best, Side: e.Side})
		}
	}
	return rows, err
}
