package analyse

import (
	"fmt"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/viz"
)

// drawCKA draws CKA between what the layers of a network read, and its logits. A width of 0 is as the layers need, in
// cm.
func drawCKA(d *network.Analysis, width float64) (*viz.Figure, error) {
	if d.Network == nil {
		return nil, term.Usagef("", "CKA of %s was not measured: it needs --network", d.Source)
	}
	return drawSimilarity(d.Network.CKA, width)
}

// drawSimilarity draws CKA between the layers of two networks.
func drawSimilarity(s *network.Similarity, width float64) (*viz.Figure, error) {
	if s == nil || len(s.CKA) == 0 {
		return nil, term.Usagef("", "no CKA was measured")
	}
	o := viz.SimilarityOptions{RowsOf: "what layers of " + s.Rows + " read",
		ColsOf: "what layers of " + s.Cols + " read", Width: width,
		Null: known(s.Null)}
	f, err := viz.Similarity(known(s.CKA), layerNames(len(s.CKA)), layerNames(len(s.CKA[0])), o)
	if err != nil {
		return nil, err
	}
	f.Title, f.Caption = "How similar what layers read is", fmt.Sprintf("%d validation images", s.Images)
	if s.Untrained > 0 {
		f.Caption += fmt.Sprintf("; in parentheses, the mean of %d untrained networks", s.Untrained)
	}
	return f, nil
}

// known returns a matrix with NaN for what is not known; nil of none.
func known(values [][]null.Float) (all [][]float64) {
	for _, row := range values {
		of := make([]float64, len(row))
		for i, v := range row {
			of[i] = float64(v)
		}
		all = append(all, of)
	}
	return all
}

// layerNames are 1, 2, …, and the logits.
func layerNames(n int) (names []string) {
	for i := range n - 1 {
		names = append(names, fmt.Sprint(i+1))
	}
	return append(names, "logits")
}
