package study

import (
	"math"

	"github.com/attnconv/attnconv/report"
)

// Document returns the comparison as a JSON document, with the paper's results if withPaper.
func (c *Comparison) Document(withPaper bool) report.Comparison {
	d := report.Comparison{V: 1, Metric: c.Metric.Name, Rows: []report.ComparisonRow{}}
	for _, r := range c.Rows {
		if r.Base {
			d.Baseline = &r.Name
		}
		row := report.ComparisonRow{
			Name: r.Name, N: len(r.Runs), Seeds: r.Seeds(), Mean: report.Finite(r.Sample.Mean), Std: report.Finite(r.Sample.Std),
			CI: r.Sample.CI.pair(), Diff: report.Finite(r.Diff), DiffCI: r.CI.pair(), P: report.Finite(r.P),
			PHolm: report.Finite(r.Holm), CICovers: r.Sample.Covers.Words(), DiffCovers: r.Contrast.Covers.Words(), Paired: r.Paired, Params: r.Params,
			ParamsAttention: r.InAttention, MACs: r.MACs.Definition, MACsRun: r.MACs.Run, MACsPaper: r.MACs.Paper,
			WallS: report.Finite(r.WallS), ImgS: report.Finite(r.ImgS), Reach: []report.Reached{}, Layers: r.Layers, Runs: ids(r.Group),
		}
		for i, l := range c.Levels {
			row.Reach = append(row.Reach,
				report.Reached{Acc: l, Runs: r.Reach[i].Runs, Epochs: report.Finite(r.Reach[i].Epochs), Seconds: report.Finite(r.Reach[i].Seconds)})
		}
		if p := r.printed(); p != nil && withPaper {
			row.Paper = &report.Printed{Acc: report.Finite(p.Acc), Params: p.Params, FLOP: p.FLOP}
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

// pair returns the ends of an interval, or nil, which is null in JSON, if they are unknown.
func (i Interval) pair() *[2]float64 {
	if math.IsNaN(i.Lo) || math.IsNaN(i.Hi) {
		return nil
	}
	return &[2]float64{i.Lo, i.Hi}
}
