package claims

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/theorem"
)

// SiteNamed returns the site with that name, only; "" stands for all. The error is an *option.Error for "layer".
func SiteNamed(sites []Site, name string) ([]Site, error) {
	if name == "" {
		return sites, nil
	}
	names := make([]string, len(sites))
	for i, s := range sites {
		names[i] = s.Name
	}
	at := slices.Index(names, name)
	if at < 0 {
		return nil, option.Choice("layer", name, names)
	}
	return sites[at : at+1], nil
}

// NetworkDocument converts every convolution to attention of sharpness alpha as CompareSites does, and returns a
// document. A row passes if both its errors are within tolerance, or, where that is 0, within Site.Limit. The caller
// adds Checkpoint and Data.
func NetworkDocument(ctx context.Context, sites []Site, alpha, tolerance float64) (NetworkProof, error) {
	r := NetworkProof{V: 1, Pass: true, Alpha: alpha}
	for _, s := range sites {
		if s.Conv == nil || s.Conv.Axes() != 2 {
			return r, fmt.Errorf("site %s: want a convolution of images, with two axes", s.Name)
		}
	}
	found, err := CompareSites(ctx, sites, alpha)
	if err != nil {
		return r, err
	}
	for i, s := range sites {
		k, d := s.Conv, found[i]
		row := ProofSite{Layer: s.Name, Kernel: [2]int(k.Kernel), Stride: theorem.At(k.Stride, 0, 1),
			Channels: [2]int{k.In, k.Out},
			Size:     [2]int(s.Size), Heads: k.Entries(), MaxErr: null.Float(d.Max), MaxRelErr: null.Float(d.Rel),
			Rounding: null.Float(d.Own), Leak: d.Leak, Tolerance: cmp.Or(tolerance, s.Limit())}
		row.Pass = d.Rel <= row.Tolerance && d.Own <= row.Tolerance
		r.Images, r.Pass, r.Rows = len(s.Images), r.Pass && row.Pass, append(r.Rows, row)
	}
	return r, nil
}

// NetworkVerdict returns nil if every convolution is attention up to rounding, else a *RefutedError for the worst of
// them.
func NetworkVerdict(r NetworkProof) error {
	if r.Pass {
		return nil
	}
	off, w := worstSite(r)
	return &RefutedError{fmt.Sprintf("attention is not the network's convolution: relative error %.1e in %s, α = %g; want "+
		"%.1e",
		off, w.Layer, r.Alpha, w.Tolerance)}
}

// NetworkScreen says in two lines how many convolutions are attention.
func NetworkScreen(r NetworkProof) string {
	off, worst := worstSite(r)
	passed, own := 0, 0.0
	for _, s := range r.Rows {
		own = max(own, orInfinite(s.Rounding))
		if s.Pass {
			passed++
		}
	}
	return fmt.Sprintf("%s  %d of %s are attention with α = %g, on %s of %s.\n"+
		"      Relative error at most %.1e (%s); the network's own: %.1e.\n", passWord(r.Pass), passed,
		table.Count(len(r.Rows), "convolution"), r.Alpha, table.Count(r.Images, "image"), r.Data, off, worst.Layer, own)
}

// NetworkText returns a row for each convolution, and what the columns mean, for a terminal of width columns; 0 is any
// width.
func NetworkText(r NetworkProof, width int) string {
	w := table.Table{Columns: []table.Column{{Head: "  layer", Right: true, Name: true}}}
	for _, head := range []string{"kernel", "stride", "channels", "image", "heads"} {
		w.Columns = append(w.Columns, table.Column{Head: head, Right: true})
	}
	for _, head := range []string{"error", "relative", "network"} {
		w.Columns = append(w.Columns, table.Column{Head: head, Right: true, Group: "errors"})
	}
	for _, s := range r.Rows {
		var row []table.Cell
		for cell := range strings.SplitSeq(fmt.Sprintf("  %s\t%d × %d\t%d\t%d -> %d\t%d × %d\t%d\t%.1e\t%.1e\t%.1e",
			s.Layer,
			s.Kernel[0], s.Kernel[1], s.Stride, s.Channels[0], s.Channels[1], s.Size[0], s.Size[1], s.Heads,
			orInfinite(s.MaxErr), orInfinite(s.MaxRelErr), orInfinite(s.Rounding)), "\t") {
			row = append(row, table.Words(cell))
		}
		w.Add(row...)
	}
	return fmt.Sprintf("The convolutions of %s as attention, α = %g, on %s of %s\n\n%s\n"+
		"error     largest |attention - network| in the feature maps, after norm, residual sum and ReLU\n"+
		"relative  that divided by the largest |network|\n"+
		"network   the same for the network and its convolutions summed exactly\n",
		r.Checkpoint, r.Alpha, table.Count(r.Images, "image"), r.Data, w.Text(width))
}

// worstSite returns the row with the largest ratio of error to tolerance, and that error.
func worstSite(r NetworkProof) (off float64, worst ProofSite) {
	most := -1.0
	for _, s := range r.Rows {
		is := max(orInfinite(s.MaxRelErr), orInfinite(s.Rounding))
		if is/s.Tolerance > most {
			most, off, worst = is/s.Tolerance, is, s
		}
	}
	return off, worst
}
