package sets

import (
	"fmt"
	"image"
	"io"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/data"
)

// A Fit says which images a set gets that is read from files. Its zero value makes 32 × 32 RGB of image files and of
// arrays of bytes, so that a model takes the images of every set; IDX files and floats keep their size.
type Fit struct {
	Keep  bool   // as the files have them
	Shape [3]int // or resized: rows, columns, and 1 or 3 channels
}

// ParseFit reads ROWS,COLS,CHANNELS, as 28,28,1, or keep.
func ParseFit(text string) (fit Fit, err error) {
	if text == "keep" {
		return Fit{Keep: true}, nil
	}
	parts := strings.Split(text, ",")
	if len(parts) != len(fit.Shape) {
		return fit, fmt.Errorf("want ROWS,COLS,CHANNELS, as 28,28,1, or keep")
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return Fit{}, fmt.Errorf("%q: want ROWS,COLS,CHANNELS of 1 or more each, as 28,28,1, or keep", part)
		}
		fit.Shape[i] = n
	}
	return fit, nil
}

// of is the format of the images that p becomes.
func (w Fit) of(p images) (data.Format, error) {
	switch {
	case p.floats && w.Shape != [3]int{} && w.Shape != [3]int{p.rows, p.cols, p.channels}:
		return data.Format{}, fmt.Errorf("floats are never resized, and these are of %d × %d × %d: leave the size out", p.rows,
			p.cols, p.channels)
	case p.floats:
		f := data.FloatFormat(p.rows, p.cols, p.channels)
		return f, f.Check()
	case w.Keep:
		f := data.FormatOf(p.rows, p.cols, p.channels)
		return f, f.Check()
	case p.channels != 1 && p.channels != 3:
		return data.Format{}, fmt.Errorf("images of %d channels are never resized: keep them as they are", p.channels)
	}
	f := w.format()
	return f, drawable(f)
}

// format is that of image files.
func (w Fit) format() data.Format {
	if w.Shape != [3]int{} {
		return data.FormatOf(w.Shape[0], w.Shape[1], w.Shape[2])
	}
	return rgb32
}

// images says how the images of an array lie in it.
type images struct {
	rows, cols, channels int
	planes               bool // channels come first
	floats               bool
}

func (p images) size() int { return p.rows * p.cols * p.channels }

// imagesOf reads the shape of an array.
func imagesOf(h header) (p images, ok bool) {
	floats := h.kind == 'f' && h.bytes >= 4
	if !floats && (h.kind != 'u' || h.bytes != 1) || len(h.shape) < 2 {
		return p, false
	}
	color := func(n int) bool { return n == 1 || n == 3 }
	switch d := h.shape[1:]; {
	case len(d) == 1 && d[0] == rgb32.Size() && !floats:
		p = images{rows: rgb32.Rows, cols: rgb32.Cols, channels: rgb32.Channels, planes: true}
	case len(d) == 3 && color(d[0]) && !color(d[2]):
		p = images{rows: d[1], cols: d[2], channels: d[0], planes: true}
	case len(d) == 3:
		p = images{rows: d[0], cols: d[1], channels: d[2]}
	case len(d) == 2:
		p = images{rows: d[0], cols: d[1], channels: 1}
	}
	p.floats = floats
	return p, data.FormatOf(p.rows, p.cols, p.channels).Check() == nil && h.shape[0] <= mostImages
}

// read reads all images of an array, in the format of s.
func (p images) read(s *data.Split, in io.Reader, h header) error {
	n, raw := h.shape[0], make([]byte, p.size()*h.bytes)
	if p.floats {
		s.Floats = make([]float32, n*s.Size())
	} else {
		s.Pixels = make([]uint8, n*s.Size())
	}
	var values []float32
	for i := range n {
		_, err := io.ReadFull(in, raw)
		if err == nil && p.floats {
			values, err = h.appendFloats(values[:0], raw)
		}
		if err != nil {
			return fmt.Errorf("image %d: %w", i+1, cause(err))
		}
		if p.floats {
			arrange(s.Values(i), values, p)
		} else {
			p.convert(s.Bytes(i), raw, s.Format)
		}
	}
	return atEnd(in)
}

// arrange writes one image to dst, (channels, rows, cols).
func arrange[T any](dst, raw []T, p images) {
	if p.planes {
		copy(dst, raw)
		return
	}
	plane := p.rows * p.cols
	for j := range plane {
		for ch := range p.channels {
			dst[ch*plane+j] = raw[j*p.channels+ch]
		}
	}
}

// convert writes one image of bytes to dst, (channels, rows, cols) of format f.
func (p images) convert(dst, raw []byte, f data.Format) {
	if p.rows == f.Rows && p.cols == f.Cols && p.channels == f.Channels {
		arrange(dst, raw, p)
		return
	}
	at := func(j, ch int) byte { return raw[j*p.channels+min(ch, p.channels-1)] }
	if p.planes {
		at = func(j, ch int) byte { return raw[min(ch, p.channels-1)*p.rows*p.cols+j] }
	}
	if p.rows == f.Rows && p.cols == f.Cols {
		for j := range p.rows * p.cols {
			put(dst, j, f, [3]uint8{at(j, 0), at(j, 1), at(j, 2)})
		}
		return
	}
	img := image.NewNRGBA(image.Rect(0, 0, p.cols, p.rows))
	for j := range p.rows * p.cols {
		for ch := range 3 {
			img.Pix[4*j+ch] = at(j, ch)
		}
		img.Pix[4*j+3] = 255
	}
	fit(dst, img, upright, f)
}

// lossesTo compares the images of an array with the format that they get.
func (p images) lossesTo(f data.Format) losses {
	if p.floats {
		return 0
	}
	l := lossesOfSize(image.Rect(0, 0, p.cols, p.rows), upright, f)
	if p.channels > f.Channels {
		l |= lostColor
	}
	return l
}
