package prove

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/claims"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/theorem"
)

// A result is what a kind of check found.
type result struct {
	document any // of package document
	text     string
	verdict  error
	draw     func() error // nil: nothing
}

// run does a check and writes what it found. It returns an error if the check failed.
func (o *options) run(ctx context.Context, c *term.Console, check func(context.Context, *term.Console,
	*options) (result,
	error)) error {
	for _, name := range o.Results {
		if err := term.RefuseExisting("-o", name, o.Plot.Force); err != nil {
			return err
		}
	}
	if err := o.Plot.Check(); err != nil {
		return err
	}
	r, err := check(ctx, c, o)
	if wrong := (*option.Error)(nil); errors.As(err, &wrong) {
		return term.Usagef(o.hint(wrong), "--%s", wrong)
	}
	if err != nil {
		return err
	}
	for _, name := range o.Results {
		b, err := json.MarshalIndent(r.document, "", "  ")
		if err == nil {
			err = term.WriteFile(name, append(b, '\n'))
		}
		if err != nil {
			return err
		}
		c.Wrote(name)
	}
	if r.draw != nil {
		if err := r.draw(); err != nil {
			return err
		}
	}
	return cmp.Or(c.Show(r.document, func(c *term.Console) error { return c.Print("%s", r.text) }), r.verdict)
}

// hint says which flags would do for a wrong one.
func (o *options) hint(wrong *option.Error) string {
	switch {
	case wrong.Key == "size":
		widest := o.Base
		widest.Kernel = slices.Max(o.Kernels)
		return fmt.Sprintf("take --size %d, or leave out --border %s", widest.Span(), claims.Interior)
	case wrong.Key == "border" && wrong.Known == nil:
		return "take --border zero,circular,interior"
	}
	return ""
}

// theorem1 compares random convolutions with the attention layers made of them.
func theorem1(ctx context.Context, c *term.Console, o *options) (r result, err error) {
	p, all := o.Proof, slices.Equal(o.Borders, []string{claims.All})
	p.Base.In, p.Base.Out, p.Base.Seed, p.Base.Trials = o.Channels[0], o.Channels[1], uint64(o.Seed),
		cmp.Or(o.Trials, p.Base.Trials)
	if o.Alpha != nil {
		p.Alphas = o.Alpha
	}
	if err := p.Resolve(); err != nil {
		return r, err
	}
	if o.Plot.Output != nil {
		r.draw = func() error {
			some := p
			if all { // the curves of all borders would hide each other
				some.Borders = p.Borders[:1]
			}
			drawn, err := drawErrors(ctx, some, o.Plot.Width)
			if err == nil {
				_, err = o.Plot.Write(c, drawn, "")
			}
			return err
		}
	}
	found, err := p.Run(ctx)
	if err != nil {
		return r, err
	}
	r.document, r.text, r.verdict = p.Document(found), o.text(p.Screen(found), p.Text(found)), p.Verdict(found)
	return r, nil
}

// text returns the answer, with its table for --details.
func (o *options) text(answer, table string) string {
	if o.Details {
		return answer + "\n" + table
	}
	return answer + "\n--details prints the table\n"
}

// ledgerOf checks all claims of the theory, or those of --claims.
func ledgerOf(ctx context.Context, _ *term.Console, o *options) (r result, err error) {
	list, err := claims.Claims(o.Claims...)
	if err != nil {
		return r, err
	}
	found, err := claims.Check(ctx, list, cmp.Or(o.Trials, 50), uint64(o.Seed))
	if err != nil {
		return r, err
	}
	d := claims.LedgerDocument(found, uint64(o.Seed))
	return result{document: d, text: claims.LedgerText(d, term.HelpWidth), verdict: claims.LedgerVerdict(d)}, nil
}

// exercises works the exercise out for soft and for hard heads, or for those of --alpha.
func exercises(_ context.Context, _ *term.Console, o *options) (r result, err error) {
	if o.Alpha == nil {
		o.Alpha = []float64{1, 46}
	}
	d, err := claims.Exercises(o.Alpha...)
	return result{document: d, text: claims.ExercisesText(d)}, err
}

// network turns the convolutions of a trained network into attention, and compares the outputs of both on test images.
func network(ctx context.Context, c *term.Console, o *options) (r result, err error) {
	alpha, images := theorem.Hard[float32](), cmp.Or(o.Trials, 2)
	switch {
	case len(o.Alpha) > 1:
		return r, term.Usagef("", "--from: want one --alpha, got %v", o.Alpha)
	case o.Alpha != nil:
		alpha = o.Alpha[0]
	}
	m, err := refs.LoadModel(c, o.From, refs.NeedConv)
	if err != nil {
		return r, err
	}
	layer, ok := m.Net.Layer.(*conv.ResNet)
	if !ok {
		return r, term.Usagef("rn18 is one: "+term.Command("runs", "examples"),
			"--from %s: the model is %s: want a residual network", o.From, m.Net.Spec.Kind)
	}
	set, err := refs.OpenImages(c, m, o.Data)
	if err != nil {
		return r, err
	}
	_, _, test, err := set.Split(m.Config.Data)
	if err != nil {
		return r, err
	}
	if images > test.Len() {
		return r, term.Usagef("", "--trials %d: the test set has %s", images, table.Count(test.Len(), "image"))
	}
	x, err := test.Inputs(images)
	if err != nil {
		return r, err
	}
	sites, err := claims.Sites(layer, slices.Concat(x...), images, set.Rows, set.Cols, set.Channels)
	if err != nil {
		return r, err
	}
	if sites, err = claims.SiteNamed(sites, o.Layer); err != nil {
		return r, err
	}
	d, err := claims.NetworkDocument(ctx, sites, alpha, o.Tolerance)
	d.Checkpoint, d.Data = m.Path, set.Name
	if err != nil {
		return r, err
	}
	text := o.text(claims.NetworkScreen(d), claims.NetworkText(d, c.OutWidth()))
	return result{document: d, text: text, verdict: claims.NetworkVerdict(d)}, nil
}
