package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/viz"
)

// themes are those of package viz that the documentation has figures in.
var themes = []string{"light", "dark"}

// A figure is a file of the documentation, once for each theme.
type figure struct {
	name, ext string
	slow      bool    // takes more than a few seconds
	width     float64 // cm
	title     string
	line      string // the command that draws it, if one does
	run       string // the run that it is of, if it is of one of the list training
	draw      func(p *program, theme string) ([]byte, error)
}

// file returns the name of the figure's file.
func (f figure) file(theme string) string {
	if theme == themes[0] {
		return f.name + f.ext
	}
	return f.name + "-" + theme + f.ext
}

const (
	column = 8.4 // cm, of print
	page   = 17.0
)

// figures lists the figures. Commands draw most of them; what a command says of a figure is its caption.
var figures = []figure{
	// heads
	command("heads", column, "Training spreads the widths; all heads began alike (thin gray)", "plot-heads quad --null --contours 50"),
	command("heads-first-layer", column, "Three heads of layer 1 become kernel taps: 3, 6 and 7",
		"plot-heads quad --layers 1 --null --contours 50"),
	command("heads-grid", page, "On the grid, attention ends where the image does",
		"plot-heads quad --mass grid --query 7,1 --null --contours 50"),
	slow(command("heads-general", page, "Heads with a full covariance become ellipses",
		"plot-heads runs/general --null --contours 50"), "general"),
	command("layer", page, "Layer 1 at work: each head takes a shift and multiplies by its matrix",
		"plot-heads quad --figure layer --layers 1"),
	drawn("shifts", 12, "Nine heads are a 3 × 3 convolution", shifts),
	animation("heads-moving", "plot-heads quad --null"),

	// maps
	command("maps-first-layer", column, "The same heads on the grid: 3, 6 and 7 select one token",
		"plot-heads quad --layers 1 --figure maps"),
	command("maps", page, "The same heads from two queries: at a border their maps change", "plot-heads quad --figure maps --query 4,4 --query 0,7"),
	command("maps-learned", page, "Learned positions: points in layers 1 and 2, stripes in layer 3", "plot-heads lrnd"),
	command("maps-image", page, "Four heads of layer 1 look next to the query, five at everything",
		"plot-maps quad runs/example-images/star.png --query 3,4 --layers 1"),
	slow(command("maps-content", page, "Attention by content and shift, averaged over images",
		"plot-heads runs/content --average 100 --query 4,4 --layers 1-2"), "content"),
	slow(command("maps-scores", page, "Scores that follow the image",
		"plot-maps runs/content runs/example-images/star.png --query 5,3 --layers 1-2 --raw --beside"), "content"),

	// the dial
	dial("taps", "Taps of a convolution: a head sees one token"),
	dial("window", "A window of 5 × 5 tokens, and positions"),
	dial("clamp", "A window that stays inside, content and positions"),
	dial("gate", "A gate between content and positions"),
	dial("positions", "Positions, and all tokens"),
	dial("everything", "Content, and all tokens"),

	// runs
	command("curves", page, "In these three runs, one each, ResNet18 is ahead at every epoch", "plot-curves quad lrnd rn18"),
	command("curves-reading", page, "The training loss is above the validation loss: its labels are smoothed",
		"plot-curves quad"),
	slow(command("confusion", column, "Almost no errors after six epochs", "eval quad"), ""),
	slow(command("shapes32", page, "", "data show shapes32"), ""),
	slow(command("batch", page, "", "data show shapes32 --augment crop,flip,cutout"), ""),

	// measures
	drawn("layers", column, "Layers 1 and 2 are mostly 3 × 3", layers),
	slow(command("shares", column, "Layer 1 is mostly a 3 × 3 convolution; layer 3 is not", "analyse quad --no-images"), ""),
	slow(command("kernels", column, "The nearest convolution grows with depth",
		"analyse quad --no-images --figure kernels"), ""),
	slow(command("leverage", column, "Layer 1 can express four of nine shifts",
		"analyse quad --no-images --figure leverage"), ""),
	slow(command("bits", column, "Heads 3, 6 and 7 of layer 1 hardly blur", "analyse quad --no-images --figure bits"), ""),
	slow(command("profiles", page, "Each layer mixes several convolutions: the profiles of its heads",
		"analyse quad --no-images --figure profiles"), ""),
	slow(slow(slow(command("four-heads", page, "Four heads are enough for layer 1 to become a 3 × 3 convolution",
		"analyse runs/four-0 runs/four-1 runs/four-2 --over epochs"), "four-0"), "four-1"), "four-2"),
	slow(command("cka", column, "In training, what neighboring layers read became less alike",
		"analyse quad --network --figure cka"), ""),

	// the verdict
	drawn("verdict-differences", page, "Learned places beat random places; against a grid, the rate decides",
		verdictDifferences),
	drawn("verdict-shift", page, "Heads of deeper layers look farther away", outward),
	drawn("verdict-curves", page, "Which model learns faster?", verdictCurves),
	drawn("verdict-compute", page, "Ahead of matched convolutions at equal steps, behind at equal time", verdictCompute),
	drawn("verdict-rates", 12, "Both learning rates affect how many heads look at single tokens", verdictRates),
	drawn("verdict-layers", 12, "What a 3 × 3 convolution instead of a layer costs", verdictLayers),
	drawn("verdict-marks", 12, "With attention's recipe, only attention relates two far marks", verdictMarks),
	drawn("verdict-predictions", page, "What became of our predictions", verdictPredictions),

	// the theorem
	slow(command("error", page, "The error falls to rounding: at α = 17 in float32, at 37 in float64",
		"prove --border zero"), ""),
	slow(figure{name: "sharpening", ext: ".gif", draw: sharpening}, ""),
	drawn("sharpen", 12, "", sharpen),
	drawn("five-pixels", 12, "", fivePixels),
	drawn("four-by-four", page, "", fourByFour),
	drawn("dot-product", column, "", dotProduct),
	drawn("multi-head", column, "", multiHead),
	drawn("dense", column, "", dense),

	// README
	drawn("converted", page, "A trained ResNet runs as attention, with equal logits", converted),
	{name: "social", ext: ".png", draw: social},
}

// command is a figure that a command of the program draws.
func command(name string, width float64, title, line string) figure {
	f := figure{name: name, ext: ".png", width: width, title: title, line: line}
	f.draw = func(p *program, theme string) ([]byte, error) {
		args := append(strings.Fields(line), "--theme", theme, "--width", strconv.FormatFloat(width, 'g', -1, 64),
			"--dpi", strconv.Itoa(dots(width)), "-o", "figure.png", "-o", "figure.svg")
		if title != "" {
			args = append(args, "--title", title)
		}
		files, err := p.files(args, "figure.png", "figure.svg")
		if err != nil {
			return nil, err
		}
		l, err := lettersOf(files[1])
		if err != nil {
			return nil, err
		}
		return stamped(files[0], l)
	}
	return f
}

// dial is a figure of the first layer of a run that is named after a position of the dial.
func dial(run, title string) figure {
	return slow(command("dial-"+run, column, title,
		"plot-maps runs/dial-"+run+" runs/example-images/star.png --query 2,2 --layers 1"), "dial-"+run)
}

// slow marks a figure as slow. It is of a run of the list training, if it is of one.
func slow(f figure, run string) figure {
	draw := f.draw
	f.slow, f.run = true, run
	f.draw = func(p *program, theme string) ([]byte, error) {
		if run != "" {
			if err := p.train(run); err != nil {
				return nil, err
			}
		}
		return draw(p, theme)
	}
	return f
}

// animation is a GIF that a command draws. Its letters are those of the same figure without motion.
func animation(name, line string) figure {
	f := figure{name: name, ext: ".gif", width: 11, line: line}
	f.draw = func(p *program, theme string) ([]byte, error) {
		args := append(strings.Fields(line), "--theme", theme, "--width", "11")
		still, err := p.files(append(args, "-o", "figure.svg"), "figure.svg")
		if err != nil {
			return nil, err
		}
		l, err := lettersOf(still[0])
		if err != nil {
			return nil, err
		}
		moving, err := p.files(append(args, "--animate", "figure.gif", "--dpi", "96", "--fps", "8"), "figure.gif")
		if err != nil {
			return nil, err
		}
		return stampedGIF(moving[0], l), nil
	}
	return f
}

// drawn is a figure that no command draws.
func drawn(name string, width float64, title string,
	of func(p *program, width float64) (*viz.Figure, error)) figure {
	f := figure{name: name, ext: ".png", width: width, title: title}
	f.draw = func(p *program, theme string) ([]byte, error) {
		f, err := of(p, width)
		if err != nil {
			return nil, err
		}
		f.Title = title
		return encoded(f, theme, dots(f.Width))
	}
	return f
}

// encoded returns a figure as a stamped png.
func encoded(f *viz.Figure, theme string, dpi int) ([]byte, error) {
	svg, err := f.Encode("figure.svg", viz.Output{Theme: theme})
	if err != nil {
		return nil, err
	}
	l, err := lettersOf(svg)
	if err != nil {
		return nil, err
	}
	b, err := f.Encode("figure.png", viz.Output{Theme: theme, DPI: dpi})
	if err != nil {
		return nil, err
	}
	return stamped(b, l)
}

// dots returns the dots per inch at which a figure of this width is sharp on a screen of twice as many.
func dots(width float64) int {
	const pixels = 1440
	return min(300, int(pixels/width*2.54))
}

// fast returns the figures that are drawn in a moment.
func fast() []figure {
	return slices.DeleteFunc(slices.Clone(figures), func(f figure) bool { return f.slow })
}
