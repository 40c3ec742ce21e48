package compare

import (
	"errors"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/study"
)

// rowValues lists the metrics of a row that can be required.
func rowValues() []string {
	return append(study.Metrics.Names(), "diff", "p", "n", "params", "img_s", "wall_s")
}

// require returns an error for every row that misses a requirement, joined, or nil. The baseline has no diff and no p.
func require(c *study.Comparison, list []term.Requirement) error {
	var errs []error
	for _, need := range list {
		found := false
		for i, r := range c.Rows {
			isBaseline := c.Baseline != nil && i == 0
			if need.Row != "" && need.Row != r.Name || isBaseline && (need.Name == "diff" || need.Name == "p") {
				continue
			}
			found = true
			err := term.Require([]term.Requirement{need}, map[string]float64{c.Metric: float64(r.Mean),
				"diff": float64(r.Diff), "p": float64(r.PHolm), "n": float64(r.N), "params": float64(r.Params),
				"img_s": float64(r.ImgS), "wall_s": float64(r.WallS)})
			if err != nil {
				errs = append(errs, term.Unmetf("%s: %v", r.Name, err))
			}
		}
		if !found {
			errs = append(errs, term.Unmetf("--require %s: the table has no such row", need.Text))
		}
	}
	return errors.Join(errs...)
}
