package study

import (
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
)

// Details describes a run with its epochs, and its Gaussian heads beside their null distribution. The error is one of
// reading its records; the rest is there all the same.
func Details(e run.Entry) (report.RunDetails, Listed, error) {
	l := Read(e)
	d := report.RunDetails{V: 1, Run: l.Run, Bytes: run.Size(e.Path), EpochRows: []report.Epoch{}, Nulls: []report.HeadNull{}}
	dir := &run.Dir{Path: e.Path}
	if l.Config != nil {
		d.Nulls = recordedNulls(e, l.Config.Model)
	}
	if path, err := run.Checkpoint(e.Path); err == nil {
		d.Checkpoint = path
	}
	records, err := dir.Records(run.Kind(run.Epoch{}))
	for _, r := range records {
		if e, ok := r.Event.(run.Epoch); ok {
			d.EpochRows = append(d.EpochRows, report.Epoch{
				Epoch: e.Epoch, Step: e.Step, TrainLoss: report.Finite(e.TrainLoss), TrainAcc: report.Finite(e.TrainAcc),
				ValLoss: report.Finite(e.ValLoss), ValAcc: report.Finite(e.ValAcc), LR: report.Finite(e.LR),
				ImgS: report.Finite(e.ImgS), WallS: report.Finite(e.WallS), Best: e.Best, Side: e.Side})
		}
	}
	return d, l, err
}
