package study

import "math"

// A Document is the comparison as JSON. Unknown values are null.
type Document struct {
	V        int          `json:"v"`
	Metric   string       `json:"metric"`
	Baseline *string      `json:"baseline"`
	Rows     []RowForJSON `json:"rows"`
}

// RowForJSON is a row of a Document. Accuracies are in 0..1, times in seconds.
type RowForJSON struct {
	Name            string           `json:"name"`
	N               int              `json:"n"`
	Seeds           []uint64         `json:"seeds"`
	Mean            *float64         `json:"mean"`
	Std             *float64         `json:"std"`
	CI              *[2]float64      `json:"ci"`
	Diff            *float64         `json:"diff"`
	DiffCI          *[2]float64      `json:"diff_ci"`
	P               *float64         `json:"p"`
	PHolm           *float64         `json:"p_holm"`
	CICovers        []string         `json:"ci_covers"` // of seeds, images
	DiffCovers      []string         `json:"diff_ci_covers"`
	Paired          bool             `json:"paired"`
	Params          int              `json:"params"`
	ParamsAttention int              `json:"params_attention"`
	MACs            int              `json:"macs"`
	MACsRun         int              `json:"macs_run"`
	MACsPaper       int              `json:"macs_paper"`
	WallS           *float64         `json:"wall_s"`
	ImgS            *float64         `json:"img_s"`
	Reach           []ReachedForJSON `json:"reach"`
	Paper           *PrintedForJSON  `json:"paper,omitempty"`
	Runs            []string         `json:"runs"`
}

// ReachedForJSON is when runs first reached a validation accuracy: means over the runs that did.
type ReachedForJSON struct {
	Acc     float64  `json:"acc"`
	Runs    int      `json:"runs"`
	Epochs  *float64 `json:"epochs"`
	Seconds *float64 `json:"seconds"`
}

// PrintedForJSON is the paper's result.
type PrintedForJSON struct {
	Acc    *float64 `json:"acc"` // null for other data than the paper's
	Params float64  `json:"params"`
	FLOP   float64  `json:"flop"`
}

// Document returns the comparison as JSON, with the paper's results if withPaper.
func (c *Comparison) Document(withPaper bool) Document {
	d := Document{V: 1, Metric: c.Metric.Name, Rows: []RowForJSON{}}
	for _, r := range c.Rows {
		if r.Base {
			d.Baseline = &r.Name
		}
		row := RowForJSON{
			Name: r.Name, N: len(r.Runs), Seeds: r.Seeds(), Mean: finite(r.Sample.Mean), Std: finite(r.Sample.Std),
			CI: r.Sample.CI.pair(), Diff: finite(r.Diff), DiffCI: r.CI.pair(), P: finite(r.P),
			PHolm: finite(r.Holm), CICovers: r.Sample.Covers.Words(), DiffCovers: r.Contrast.Covers.Words(), Paired: r.Paired, Params: r.Params,
			ParamsAttention: r.InAttention, MACs: r.MACs.Definition, MACsRun: r.MACs.Run, MACsPaper: r.MACs.Paper,
			WallS: finite(r.WallS), ImgS: finite(r.ImgS), Reach: []ReachedForJSON{}, Runs: ids(r.Group),
		}
		for i, l := range c.Levels {
			row.Reach = append(row.Reach,
				ReachedForJSON{l, r.Reach[i].Runs, finite(r.Reach[i].Epochs), finite(r.Reach[i].Seconds)})
		}
		if p := r.printed(); p != nil && withPaper {
			row.Paper = &PrintedForJSON{finite(p.Acc), p.Params, p.FLOP}
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

// finite returns nil for NaN and infinities, which JSON does not have.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func (i Interval) pair() *[2]float64 {
	if math.IsNaN(i.Lo) || math.IsNaN(i.Hi) {
		return nil
	}
	return &[2]float64{i.Lo, i.Hi}
}
