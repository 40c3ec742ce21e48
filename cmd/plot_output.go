package cmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/viz"
)

// outputOptions holds the flags of figures, which all plot commands share.
type outputOptions struct {
	Output  []string
	Data    string
	Title   string
	Caption string // "": the default
	Theme   string
	Width   float64 // cm
	DPI     int
	Force   bool

	formats []string // allowed with -o; nil: viz.Formats
}

// flags adds the flags. own describes where the figure goes without -o.
func (o *outputOptions) flags(f cli.Flags, own string) {
	f.Texts(&o.Output, "output", "o", "FILE",
		"figure to write, .svg, .png or .pdf, or - for an SVG on standard output; several may be given (default: "+own+")")
	f.Text(&o.Data, "data", "", "FILE", "also write the plotted values as CSV", nil)
	f.Text(&o.Title, "title", "", "TEXT", "a line above the figure", nil)
	f.Text(&o.Caption, "caption", "", "TEXT",
		"a small line below the figure, or none (default: run, epoch, data and accuracy)", nil)
	f.Text(&o.Theme, "theme", viz.Themes.Default(), "NAME", "colours", viz.Themes.Completions())
	f.Value(length{&o.Width}, "width", "", "CM", "of the figure, in centimetres", nil)
	f.Number(&o.DPI, "dpi", "N", "dots per inch of a .png (default: 150)", 1)
	f.Boolean(&o.Force, "force", "", "overwrite files given with -o and --data")
}

// check reports bad flags before anything is computed.
func (o *outputOptions) check() error {
	if err := viz.Themes.Check("--theme", o.Theme); err != nil {
		return err
	}
	formats := o.formats
	if formats == nil {
		formats = viz.Formats
	}
	for _, name := range o.Output {
		ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
		if name != "-" && !slices.Contains(formats, ext) {
			return cli.Usagef("", "%s: want a name that ends with .%s", name, strings.Join(formats, ", ."))
		}
	}
	for _, name := range append(slices.Clone(o.Output), o.Data) {
		if name == "-" {
			continue
		}
		if err := cli.RefuseExisting("", name, o.Force); err != nil {
			return err
		}
	}
	return nil
}

// toStdout reports whether the figure goes to standard output.
func (o *outputOptions) toStdout() bool { return slices.Contains(o.Output, "-") }

// write writes the figure and returns the names of the files. Without -o it goes to own, and overwrites what is there.
func (o *outputOptions) write(c *cli.Console, figure *viz.Figure, own string) ([]string, error) {
	figure.Title, figure.Caption = o.Title, o.caption(figure.Caption)
	return o.writeAll(c, figure.Encode, figure.Data, own)
}

// caption returns the line below a figure; own is the default.
func (o *outputOptions) caption(own string) string {
	switch o.Caption {
	case "":
		return own
	case "none":
		return ""
	}
	return o.Caption
}

func (o *outputOptions) writeAll(
	c *cli.Console, encode func(string, viz.Output) ([]byte, error), values viz.Table, own string,
) ([]string, error) {
	names := o.Output
	if len(names) == 0 {
		names = []string{own}
	}
	var files []string
	for _, name := range names {
		as := name
		if name == "-" {
			as = "-.svg"
		}
		b, err := encode(as, viz.Output{Theme: o.Theme, DPI: o.DPI})
		if err != nil {
			return nil, err
		}
		if name == "-" {
			_, err = visible.Below(c.Out).Write(b)
		} else {
			files = append(files, name)
			err = cli.WriteFile(name, b)
		}
		if err != nil {
			return nil, err
		}
	}
	if o.Data != "" {
		files = append(files, o.Data)
		return files, cli.WriteFile(o.Data, values.CSV())
	}
	return files, nil
}

func printFiles(c *cli.Console, files []string) error {
	for _, name := range files {
		if _, err := fmt.Fprintln(c.Out, name); err != nil {
			return err
		}
	}
	return nil
}

// ownFigure returns the default path of a figure of a checkpoint: in the figures of its run, else next to it.
func ownFigure(path, name string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "checkpoints" {
		return filepath.Join(filepath.Dir(dir), "figures", name)
	}
	return filepath.Join(dir, name)
}

// length is a length on paper, in centimetres.
type length struct{ p *float64 }

func (l length) Type() string { return "cm" }
func (l length) String() string {
	if l.p == nil || *l.p == 0 {
		return ""
	}
	return fmt.Sprint(*l.p)
}

func (l length) Set(text string) error {
	cm, err := strconv.ParseFloat(strings.TrimSuffix(text, "cm"), 64)
	if err != nil || !(cm >= 4 && cm <= 200) {
		return fmt.Errorf("want centimetres from 4 to 200, such as 17.5")
	}
	*l.p = cm
	return nil
}

// A place is a token of an image: row and column, from 0 at the top left.
type place [2]int

// places is a flag that may be repeated, with a token each.
type places struct{ p *[]place }

func (q places) Type() string   { return "row,column" }
func (q places) String() string { return "" }
func (q places) Set(text string) error {
	row, col, found := strings.Cut(text, ",")
	r, err1 := strconv.Atoi(strings.TrimSpace(row))
	c, err2 := strconv.Atoi(strings.TrimSpace(col))
	if !found || err1 != nil || err2 != nil || r < 0 || c < 0 {
		return fmt.Errorf("want row,column of a token, from 0 at the top left, such as 8,8")
	}
	*q.p = append(*q.p, place{r, c})
	return nil
}

// shares is a comma-separated list of percentages.
type shares struct{ p *[]float64 }

func (s shares) Type() string   { return "percentages" }
func (s shares) String() string { return "" }
func (s shares) Set(text string) error {
	*s.p = nil
	for word := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(word), "%"), 64)
		if err != nil || !(x > 0 && x < 100) {
			return fmt.Errorf("want percentages between 0 and 100, such as 50,90")
		}
		*s.p = append(*s.p, x/100)
	}
	return nil
}
