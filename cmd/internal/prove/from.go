package prove

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/theorem"
)

// converted is the output of prove --from --json.
type converted struct {
	V          int       `json:"v"`
	Pass       bool      `json:"pass"`
	Checkpoint string    `json:"checkpoint"`
	Data       string    `json:"data"`
	Images     int       `json:"pictures"`
	Alpha      float64   `json:"alpha"`
	Rows       []siteRow `json:"rows"`
}

type siteRow struct {
	Layer     string   `json:"layer"`
	Kernel    [2]int   `json:"kernel"`
	Stride    int      `json:"stride"`
	Channels  [2]int   `json:"channels"`
	Size      [2]int   `json:"size"`
	Heads     int      `json:"heads"`
	MaxErr    *float64 `json:"max_err"`
	MaxRelErr *float64 `json:"max_rel_err"`
	Rounding  *float64 `json:"network_rounding"`
	Leak      float64  `json:"leak"`
	Tolerance float64  `json:"tolerance"`
	Pass      bool     `json:"pass"`

	found theorem.SiteDeviation
}

// runFrom turns the convolutions of a trained network into attention, and compares the outputs of both on test images.
func runFrom(ctx context.Context, c *cli.Console, o options) error {
	if err := cli.RefuseExisting("-o", o.Output, o.Force); err != nil {
		return err
	}
	if len(o.Tolerance) > 1 || len(o.Alpha) > 1 {
		return cli.Usagef("", "--from: want one --alpha and one --tolerance, got %v and %v", o.Alpha, o.Tolerance)
	}
	r := converted{V: 1, Pass: true, Images: cmp.Or(o.Trials, 2), Alpha: 104}
	for _, a := range o.Alpha {
		r.Alpha = a
	}
	sites, err := r.open(ctx, c, o)
	if err != nil {
		return err
	}
	found, err := theorem.CompareSites(ctx, sites, r.Alpha)
	if err != nil {
		return err
	}
	for i, s := range sites {
		r.add(s, found[i], o.Tolerance)
	}
	if err := o.save(r); err != nil {
		return err
	}
	if err := c.Show(r, r.print); err != nil || r.Pass {
		return err
	}
	return r.unmet()
}

// open reads the checkpoint and test images, and returns its convolutions with their inputs.
func (r *converted) open(ctx context.Context, c *cli.Console, o options) ([]theorem.Site, error) {
	m, err := c.LoadModel(o.From, study.NeedConv)
	if err != nil {
		return nil, err
	}
	layer, ok := m.Net.Layer.(*conv.ResNet)
	if !ok {
		return nil, cli.Usagef("", "--from %s: the model is a %s, want a residual network", o.From, m.Net.Spec.Kind)
	}
	set, err := m.OpenData("", c.DataDir)
	if err != nil {
		return nil, err
	}
	x, err := testImages(ctx, set, m.Config.Data, r.Images)
	if err != nil {
		return nil, err
	}
	r.Checkpoint, r.Data = m.Path, set.Name
	sites, err := theorem.Sites(layer, x, r.Images, set.Rows, set.Cols, set.Channels)
	if err != nil || o.Layer == "" {
		return sites, err
	}
	var names []string
	for _, s := range sites {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, o.Layer) {
		return nil, invalid.Choice("--layer", o.Layer, names)
	}
	return slices.DeleteFunc(sites, func(s theorem.Site) bool { return s.Name != o.Layer }), nil
}

// testImages returns the first n test images, normalised for the network.
func testImages(ctx context.Context, set *data.Set, o data.Options, n int) ([]float32, error) {
	_, _, test, err := set.Split(o)
	if err != nil {
		return nil, err
	}
	if n > test.Len() {
		return nil, cli.Usagef("", "--trials %d: the test set has %s", n, cli.Count(test.Len(), "image"))
	}
	l, err := data.NewLoader(test, data.LoaderOptions{Batch: n})
	if err != nil {
		return nil, err
	}
	for batch := range l.Epoch(ctx, 0, 0) {
		return slices.Clone(batch.X), nil
	}
	return nil, context.Cause(ctx)
}

// add adds the row of a convolution.
func (r *converted) add(s theorem.Site, d theorem.SiteDeviation, tolerance []float64) {
	k := s.Conv
	row := siteRow{Layer: s.Name, Kernel: [2]int(k.Kernel), Stride: k.Stride[0], Channels: [2]int{k.In, k.Out},
		Size: [2]int(s.Size), Heads: k.Entries(), MaxErr: cli.Finite(d.Max), MaxRelErr: cli.Finite(d.Rel), Rounding: cli.Finite(d.Own),
		Leak: d.Leak, found: d}
	row.Tolerance = s.Limit()
	for _, t := range tolerance {
		row.Tolerance = t
	}
	row.Pass = d.Rel <= row.Tolerance && d.Own <= row.Tolerance
	r.Pass = r.Pass && row.Pass
	r.Rows = append(r.Rows, row)
}

// print writes a row for each convolution.
func (r *converted) print(c *cli.Console) error {
	fmt.Fprintf(c.Out, "The convolutions of %s as attention, α = %g, on %s of %s\n\n", r.Checkpoint, r.Alpha,
		cli.Count(r.Images, "image"), r.Data)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "layer\tkernel\tstride\tchannels\timage\theads\terror\trelative\tnetwork\t\n")
	for _, s := range r.Rows {
		fmt.Fprintf(w, "%s\t%d × %d\t%d\t%d -> %d\t%d × %d\t%d\t%.1e\t%.1e\t%.1e\t\n", s.Layer, s.Kernel[0], s.Kernel[1], s.Stride,
			s.Channels[0], s.Channels[1], s.Size[0], s.Size[1], s.Heads, s.found.Max, s.found.Rel, s.found.Own)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	worst := r.worst()
	_, err := fmt.Fprintf(c.Out, "\nerror     largest |attention - network| in the feature maps, after norm, residual sum and ReLU\n"+
		"relative  that divided by the largest |network|\n"+
		"network   the same for the network and its convolutions summed exactly\n\n%s  worst: %.1e of %.1e in %s\n", map[bool]string{true: "PASS", false: "FAIL"}[r.Pass], worst.error(),
		worst.Tolerance, worst.Layer)
	return err
}

// worst returns the layer with the largest ratio of error to tolerance.
func (r *converted) worst() siteRow {
	return slices.MaxFunc(r.Rows, func(a, b siteRow) int { return cmp.Compare(a.error()*b.Tolerance, b.error()*a.Tolerance) })
}

// error returns the error that is compared with the tolerance.
func (s siteRow) error() float64 { return max(s.found.Rel, s.found.Own) }

func (r *converted) unmet() error {
	w := r.worst()
	return cli.Unmetf("attention is not the network's convolution: relative error %.1e in %s, α = %g; want %.1e",
		w.error(), w.Layer, r.Alpha, w.Tolerance)
}
