package viz

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/fault"
)

// A Figure is a drawing that can be written in several formats.
type Figure struct {
	Width, Height float64 // cm, of the drawing: Title, Source and Caption add to the height
	Title         string  // above the drawing; may be empty
	// where it is from, such as a run: before the caption, but not in the theme paper; may be empty
	Source  string
	Caption string // below the drawing in small letters: the epoch, the data; may be empty
	Alt     string // description for those who cannot see it
	Data    Table  // the plotted values
	// Drawing draws the figure without title and caption. The canvas is Width × Height; its lower left corner is at 0.
	Drawing func(c draw.Canvas, t *Theme)
}

// A Table is the plotted values in columns.
type Table struct {
	Columns []string
	Rows    [][]any
}

// Output says how a figure is encoded. The zero value is for a screen.
type Output struct {
	Theme string // one of Themes; "": the first
	DPI   int    // dots per inch of a png; 0: 150
}

// Formats lists the file extensions of Encode.
var Formats = []string{"svg", "png", "pdf"}

// WriteFile encodes the figure for a screen, in the format of path's extension, and replaces the file at path; see
// Encode.
func (f *Figure) WriteFile(path string) error {
	b, err := f.Encode(path, Output{})
	if err != nil {
		return err
	}
	return disk.WriteFile(path, b)
}

const (
	mostSide   = 10000   // cm of a figure's side
	mostPixels = 1 << 28 // of a png
)

// fits returns an error for a figure that has no size, or one that no page and no memory has.
func (f *Figure) fits(t *Theme, raster bool, dots int) error {
	_, _, above, below := f.text(t)
	height := f.Height + above + below
	for _, side := range []float64{f.Width, height} {
		if !(side > 0 && side <= mostSide) {
			return fault.Usagef("a figure of %.4g × %.4g cm: want more than 0 and at most %d", f.Width, height,
				mostSide)
		}
	}
	perCM := float64(dots) / 2.54
	if pixels := f.Width * height * perCM * perCM; raster && (dots < 1 || pixels > mostPixels) {
		return fault.Usagef("a figure of %.4g × %.4g cm with %d dots per inch has %.3g pixels: want 1 to %.3g",
			f.Width, height, dots, pixels, float64(mostPixels))
	}
	return nil
}

// Encode draws the figure in the format of name's extension. The same figure gives the same bytes in svg and png; a pdf
// contains the date.
func (f *Figure) Encode(name string, o Output) ([]byte, error) {
	t, err := findTheme(o.Theme)
	if err != nil {
		return nil, err
	}
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	if err := f.fits(t, ext == "png", o.dots()); err != nil {
		return nil, err
	}
	w, h := f.Size(t)
	var c interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch ext {
	case "svg":
		c = vgsvg.New(w, h)
	case "pdf":
		c = vgpdf.New(w, h)
	case "png":
		c = vgimg.PngCanvas{Canvas: f.raster(o.dots(), t)}
	default:
		return nil, fault.Usagef("%s: no format %q; known: %s", name, ext, strings.Join(Formats, ", "))
	}
	if ext != "png" {
		f.paint(draw.New(c), t)
	}
	var b bytes.Buffer
	if _, err = c.WriteTo(&b); ext == "svg" {
		return f.finish(b.Bytes()), err
	}
	return b.Bytes(), err
}

func findTheme(name string) (*Theme, error) {
	if name == "" {
		return &Themes[0], nil
	}
	t := Themes.Find(name)
	if t == nil {
		return nil, fault.Usagef("no theme %q; known: %s", name, strings.Join(Themes.Names(), ", "))
	}
	return t, nil
}

func (o Output) dots() int {
	if o.DPI == 0 {
		return 150
	}
	return o.DPI
}

// raster draws the figure as pixels.
func (f *Figure) raster(dpi int, t *Theme) *vgimg.Canvas {
	c := vgimg.NewWith(vgimg.UseWH(f.Size(t)), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(t.Ground))
	f.paint(draw.New(c), t)
	return c
}

// Heights of the text around a drawing, in cm.
const (
	titleLine   = 0.55
	lineOfTitle = 0.45 // of a panel
	captionLine = 0.36
	aroundEdge  = 0.2
)

// text returns the lines of the title and of the caption, and their heights in cm.
func (f *Figure) text(t *Theme) (title, caption []string, above, below float64) {
	width := cm(f.Width - 2*marginRight)
	if f.Title != "" {
		title = wrapWords(f.Title, t.Text(headingSize, nil), width)
		above = titleLine*float64(len(title)) + aroundEdge
	}
	words := f.Caption
	if f.Source != "" && !t.Anonymous {
		words = strings.TrimSuffix(f.Source+separator+words, separator)
	}
	if words != "" {
		caption = wrapWords(words, t.Text(numberSize, nil), width)
		below = captionLine*float64(len(caption)) + aroundEdge
	}
	return title, caption, above, below
}

// Size returns the extent of the figure with its title and caption.
func (f *Figure) Size(t *Theme) (width, height vg.Length) {
	_, _, above, below := f.text(t)
	return cm(f.Width), cm(f.Height + above + below)
}

// Draw draws the figure with its title and caption at the lower left of c, as large as Size says.
func (f *Figure) Draw(c draw.Canvas, t *Theme) {
	w, h := f.Size(t)
	c.Push()
	c.Translate(c.Min)
	f.paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Max: vg.Point{X: w, Y: h}}}, t)
	c.Pop()
}

// paint draws the ground, the title, the figure and the caption on a canvas whose lower left corner is at 0.
func (f *Figure) paint(c draw.Canvas, t *Theme) {
	fill(c, c.Rectangle, t.Ground)
	title, caption, above, below := f.text(t)
	for i, line := range title {
		at := vg.Point{X: c.Min.X + cm(marginRight), Y: c.Max.Y - cm(aroundEdge+titleLine*float64(i))}
		write(c, t.Text(headingSize, t.Ink), at, left, top, line)
	}
	for i, line := range caption {
		at := vg.Point{X: c.Min.X + cm(marginRight), Y: c.Min.Y + cm(below-captionLine*float64(i))}
		write(c, t.Text(numberSize, t.Quiet), at, left, top, line)
	}
	c.Push()
	c.Translate(vg.Point{Y: cm(below)})
	c.Max.Y -= cm(above + below)
	f.Drawing(c, t)
	c.Pop()
}

// separator is between the parts of a caption.
const separator = " · "

// wrapWords breaks a text into lines of at most the given width, unless a single word is wider. A separator where a
// line breaks is left out.
func wrapWords(s string, st text.Style, width vg.Length) (lines []string) {
	between := " "
	for word := range strings.FieldsSeq(s) {
		if word == strings.TrimSpace(separator) {
			between = separator
			continue
		}
		if n := len(lines) - 1; n >= 0 && st.Width(lines[n]+between+word) <= width {
			lines[n] += between + word
		} else {
			lines = append(lines, word)
		}
		between = " "
	}
	return lines
}

// finish adds the description to an svg, and fonts of the same widths for systems without Liberation. It corrects the
// media type of images, which gonum encodes as PNG and calls JPEG, and has them fill their boxes, as they do in PNG and
// PDF.
func (f *Figure) finish(svg []byte) []byte {
	head := bytes.Index(svg, []byte("<svg"))
	end := head + bytes.IndexByte(svg[head:], '>') + 1
	title := "\n<title>" + html.EscapeString(strings.TrimSpace(f.Title+" "+f.Alt)) + "</title>"
	body := strings.NewReplacer(
		`xlink:href="data:image/jpg;`, `preserveAspectRatio="none" xlink:href="data:image/png;`,
		"font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;",
	).Replace(string(svg[end:]))
	return slices.Concat(svg[:end], []byte(title), digits.ReplaceAll([]byte(body), []byte("${1}font-kerning:none;$2")))
}

// digits finds texts with neighboring digits, which browsers would kern.
var digits = regexp.MustCompile(`(<text [^>]*style=")([^>]*>[^<]*[0-9]{2})`)

// CSV returns the plotted values after a line of column names.
func (t Table) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(t.Columns) // a bytes.Buffer returns no errors
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = cell(v)
		}
		w.Write(line)
	}
	w.Flush()
	return b.Bytes()
}

func cell(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func (t *Table) add(row ...any) { t.Rows = append(t.Rows, row) }

// fill paints a rectangle.
func fill(c draw.Canvas, r vg.Rectangle, col color.Color) {
	c.FillPolygon(col, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
}

// outline draws the border of a rectangle.
func outline(c draw.Canvas, r vg.Rectangle, st draw.LineStyle) {
	c.StrokeLines(st, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}

// dot paints a disc.
func dot(c draw.Canvas, at vg.Point, radius vg.Length, col color.Color) {
	c.SetColor(col)
	var p vg.Path
	p.Move(at.Add(vg.Point{X: radius}))
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	c.Fill(p)
}
