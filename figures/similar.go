package figures

import (
	"errors"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/viz"
)

// Similar draws CKA between what the layers of a network read, and its logits. A width of 0 is as the layers need, in cm.
func Similar(d *report.Analysis, width float64) (*viz.Figure, error) {
	if d == nil {
		return nil, errNoAnalysis
	}
	if d.Network == nil {
		return nil, fmt.Errorf("figures: CKA of %s was not measured: it needs --network", d.Source)
	}
	return Similarity(&report.Similarity{Rows: d.Source, Cols: d.Source, CKA: d.Network.CKA, Images: d.Network.CKAImages}, width)
}

// Similarity draws CKA between the layers of two networks.
func Similarity(s *report.Similarity, width float64) (*viz.Figure, error) {
	if s == nil || len(s.CKA) == 0 {
		return nil, errors.New("figures: no CKA was measured")
	}
	values := make([][]float64, len(s.CKA))
	for i, row := range s.CKA {
		for _, v := range row {
			if v == nil {
				v = new(math.NaN())
			}
			values[i] = append(values[i], *v)
		}
	}
	f, err := viz.Similarity(values, layerNames(len(s.CKA)), layerNames(len(s.CKA[0])),
		viz.SimilarityOptions{RowsOf: "what layers of " + s.Rows + " read", ColsOf: "what layers of " + s.Cols + " read", Width: width})
	if err != nil {
		return nil, err
	}
	f.Title, f.Caption = "How similar what layers read is", fmt.Sprintf("%d held-out images", s.Images)
	return f, nil
}

// layerNames are 1, 2, …, and the logits.
func layerNames(n int) (names []string) {
	for i := range n - 1 {
		names = append(names, fmt.Sprint(i+1))
	}
	return append(names, "logits")
}
