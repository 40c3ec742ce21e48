// Package output is where the figure of a command goes, and how it looks: flags that all commands with figures share.
package output

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/viz"
)

// Options holds the flags of a figure.
type Options struct {
	Output  []string
	Values  string // CSV of the plotted values; "-": standard output
	Title   string
	Caption string // "": the default
	Theme   string
	Width   float64 // cm
	DPI     int
	Force   bool

	Formats []string // allowed with -o; nil: viz.Formats
	// what the command writes to standard output in any case; "": nothing, so the figure or its values may
	Stdout string

	drawn bool // without -o, too
}

// Flags adds the flags of a figure; no other place declares them. what describes the figure; own says where it goes
// without -o, or is empty if it is not drawn then.
func (o *Options) Flags(f term.Flags, what, own string) {
	if o.drawn = own != ""; o.drawn {
		own = " (default: " + own + ")"
	}
	files, values := ", .svg, .png or .pdf", "also write the plotted values, as CSV"
	if o.Stdout == "" {
		files, values = files+", or - for an SVG on standard output", values+"; - is standard output"
	}
	f.Texts(&o.Output, "output", "o", "FILE", what+files+"; several may be given"+own)
	f = term.FlagsIn(f.FlagSet, f.Group)
	f.Text(&o.Values, "values", "", "FILE", values, nil)
	f.Text(&o.Title, "title", "", "TEXT", "a line above the figure", nil)
	f.Text(&o.Caption, "caption", "", "TEXT", "a small line below the figure, or none (default: what it was made of)",
		nil)
	term.Choice(f, &o.Theme, "theme", viz.Themes.Default(), "NAME", "colors of the figure", viz.Themes)
	term.Flag(f, &o.Width, "width", "CM", "of the figure, in centimeters", centimeters)
	f.Number(&o.DPI, "dpi", "N", "dots per inch of a .png (default: 150)", 1)
	f.Boolean(&o.Force, "force", "", "overwrite the files of -o and --values")
}

// TakeFiles takes names of figures from the end of the arguments, as if they were given with -o, and returns the
// others.
func (o *Options) TakeFiles(args []string) []string {
	n := len(args)
	for n > 0 && slices.Contains(o.Allowed(), extension(args[n-1])) {
		n--
	}
	o.Output = append(o.Output, args[n:]...)
	return args[:n]
}

// Allowed lists the formats of the figure.
func (o *Options) Allowed() []string {
	if o.Formats == nil {
		return viz.Formats
	}
	return o.Formats
}

// extension returns the extension of a file, in small letters and without the dot.
func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
}

// Check reports bad flags before anything is computed.
func (o *Options) Check() error {
	if !o.drawn && len(o.Output) == 0 && o.Values != "" {
		return term.Usagef("", "--values needs -o FILE: it has the values of the figure")
	}
	for _, name := range o.Output {
		if name != "-" && !slices.Contains(o.Allowed(), extension(name)) {
			return term.Usagef("", "%s: want a name that ends with .%s", name, strings.Join(o.Allowed(), ", ."))
		}
	}
	if o.ToStdout() && o.Stdout != "" {
		return term.Usagef("standard output has "+o.Stdout, "-o - and --values -: want the name of a file")
	}
	if o.Values == "-" && slices.Contains(o.Output, "-") {
		return term.Usagef("", "-o - and --values -: only one can go to standard output")
	}
	for _, name := range append(slices.Clone(o.Output), o.Values) {
		if name == "-" {
			continue
		}
		if err := term.RefuseExisting("", name, o.Force); err != nil {
			return err
		}
	}
	return nil
}

// Of returns the options of one of several runs, called name: their files have it in their names.
func (o Options) Of(name string) Options {
	o.Output = slices.Clone(o.Output)
	for i, file := range o.Output {
		o.Output[i] = term.FileOf(file, name)
	}
	if o.Values != "" {
		o.Values = term.FileOf(o.Values, name)
	}
	return o
}

// ToStdout reports whether the figure or its values go to standard output.
func (o *Options) ToStdout() bool { return o.Values == "-" || slices.Contains(o.Output, "-") }

// Write writes the figure and returns the names of the files. Without -o it goes to own, and overwrites what is there.
func (o *Options) Write(c *term.Console, figure *viz.Figure, own string) ([]string, error) {
	figure.Title = cmp.Or(o.Title, figure.Title)
	figure.Source, figure.Caption = o.Captions(figure.Source, figure.Caption)
	return o.WriteAll(c, figure.Encode, figure.Data, own)
}

// WriteNoted writes the figure to the files of -o, with a note for each.
func (o *Options) WriteNoted(c *term.Console, figure *viz.Figure) error {
	files, err := o.Write(c, figure, "")
	for _, name := range files {
		c.Wrote(name)
	}
	return err
}

// Finish writes the figure as Write does. Unless that went to standard output, it shows the document of the files or,
// without --json, their names and then text.
func (o *Options) Finish(c *term.Console, figure *viz.Figure, own, text string,
	document func(files []string) any) error {
	files, err := o.Write(c, figure, own)
	if err != nil || o.ToStdout() {
		return err
	}
	return c.ShowFiles(files, text, document(files))
}

// Captions returns what is below a figure; source and caption are the default.
func (o *Options) Captions(source, caption string) (string, string) {
	switch o.Caption {
	case "":
		return source, caption
	case "none":
		return "", ""
	}
	return "", o.Caption
}

// WriteAll writes what encode returns for a name, likewise, and the plotted values with --values.
func (o *Options) WriteAll(
	c *term.Console, encode func(string, viz.Output) ([]byte, error), values viz.Table, own string,
) ([]string, error) {
	names, write := o.Output, term.WriteFile
	if len(names) == 0 {
		names, write = []string{own}, term.WriteOwn
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
			_, err = c.Raw().Write(b)
		} else {
			files = append(files, name)
			err = write(name, b)
		}
		if err != nil {
			return nil, err
		}
	}
	switch o.Values {
	case "":
		return files, nil
	case "-":
		_, err := c.Out.Write(values.CSV())
		return files, err
	}
	return append(files, o.Values), term.WriteFile(o.Values, values.CSV())
}

// Own returns the default path of a figure of a checkpoint: in the figures of its run, else next to it. The run is the
// one in whose folder the checkpoint is, wherever links there lead to.
func Own(path, name string) string {
	run := filepath.Dir(path)
	if filepath.Base(run) == "checkpoints" {
		run = filepath.Dir(run)
	}
	if term.Exists(filepath.Join(run, "run.json")) {
		return filepath.Join(run, "figures", name)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "checkpoints" {
		return filepath.Join(filepath.Dir(dir), "figures", name)
	}
	return filepath.Join(dir, name)
}

// centimeters reads a length on paper.
func centimeters(text string) (float64, error) {
	cm, err := strconv.ParseFloat(strings.TrimSuffix(text, "cm"), 64)
	if err != nil || !(cm >= 4 && cm <= 200) {
		return 0, errors.New("want centimeters from 4 to 200, such as 17.5")
	}
	return cm, nil
}
