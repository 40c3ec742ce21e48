package sets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// An orientation maps the rows and columns of an image file to those of the image that it shows: EXIF's code, 1 to 8.
//
//	value      1            2           3             4            5          6           7             8
//	row 0 is   the top      the top     the bottom    the bottom   the left   the right   the right     the left
//	column 0   the left     the right   the right     the left     the top    the top     the bottom    the bottom
//
// Source: Exif 2.32 (CIPA DC-008-2019), 4.6.4, tag 274.
type orientation int

const upright orientation = 1

// ways says for each orientation where the stored image begins. Transposed, a stored row is a shown column.
var ways = [9]struct{ transposed, right, bottom bool }{
	2: {right: true}, 3: {right: true, bottom: true}, 4: {bottom: true}, 5: {transposed: true},
	6: {transposed: true, bottom: true}, 7: {transposed: true, right: true, bottom: true},
	8: {transposed: true, right: true},
}

// stored is how many rows and columns the stored form of an image has that is shown with the given ones.
func (o orientation) stored(rows, cols int) (r, c int) {
	if ways[o].transposed {
		return cols, rows
	}
	return rows, cols
}

// middle is the largest region of the stored image, around its middle, whose shown sides are as rows to cols.
func (o orientation) middle(b image.Rectangle, rows, cols int) image.Rectangle {
	w := ways[o]
	rows, cols = o.stored(rows, cols)
	width := max(1, min(b.Dx(), b.Dy()*cols/rows))
	height := max(1, min(b.Dy(), b.Dx()*rows/cols))
	x, y := (b.Dx()-width)/2, (b.Dy()-height)/2
	if w.right { // the odd pixel of a halved margin is on the far side as shown
		x = b.Dx() - width - x
	}
	if w.bottom {
		y = b.Dy() - height - y
	}
	at := b.Min.Add(image.Pt(x, y))
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(width, height))}
}

// source is the stored pixel that is shown as pixel j of an image of the given sides, both counted row by row.
func (o orientation) source(j, rows, cols int) int {
	w := ways[o]
	row, col := j/cols, j%cols
	rows, cols = o.stored(rows, cols)
	if w.transposed {
		row, col = col, row
	}
	if w.right {
		col = cols - 1 - col
	}
	if w.bottom {
		row = rows - 1 - row
	}
	return row*cols + col
}

// mostParts bounds the walk through the parts of a file.
const mostParts = 1 << 16

var errNoWay = errors.New("no orientation")

// orientationOf finds the orientation that an image file states in its EXIF data. A file without any, or with data that
// make no sense, is upright.
func orientationOf(in io.ReadSeeker) orientation {
	var head [12]byte
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return upright
	}
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return upright
	}
	for _, f := range []struct {
		is   bool
		from int64 // where its parts begin
		find func(io.ReadSeeker) (orientation, error)
	}{
		{string(head[:2]) == "\xff\xd8", 2, inJPEG},
		{string(head[:8]) == "\x89PNG\r\n\x1a\n", 8, inPNG},
		{string(head[:4]) == "RIFF" && string(head[8:]) == "WEBP", 12, inWebP},
		{string(head[:4]) == "II*\x00" || string(head[:4]) == "MM\x00*", 0, inTIFF},
	} {
		if !f.is {
			continue
		}
		if _, err := in.Seek(f.from, io.SeekStart); err != nil {
			return upright
		}
		if o, err := f.find(in); err == nil {
			return o
		}
	}
	return upright
}

// inJPEG looks through segments up to the first scan: FF, a marker, a length that counts itself.
func inJPEG(in io.ReadSeeker) (orientation, error) {
	var head [4]byte
	for range mostParts {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return 0, err
		}
		for head[1] == 0xff { // fill bytes
			copy(head[:], head[1:])
			if _, err := io.ReadFull(in, head[3:]); err != nil {
				return 0, err
			}
		}
		size := int64(binary.BigEndian.Uint16(head[2:])) - 2
		if head[0] != 0xff || head[1] == 0xda || size < 0 { // a scan
			return 0, errNoWay
		}
		if o, err := segment(in, head[1] == 0xe1, size); err == nil {
			return o, nil
		}
	}
	return 0, errNoWay
}

// inPNG looks through chunks: a length, a name, so many bytes, a checksum of 4.
func inPNG(in io.ReadSeeker) (orientation, error) {
	return inChunks(in, func(head []byte) (name string, size, behind int64) {
		return string(head[4:]), int64(binary.BigEndian.Uint32(head)), 4
	}, "eXIf")
}

// inWebP looks through chunks: a name, a length, so many bytes, padded to an even number.
func inWebP(in io.ReadSeeker) (orientation, error) {
	return inChunks(in, func(head []byte) (name string, size, behind int64) {
		size = int64(binary.LittleEndian.Uint32(head[4:]))
		return string(head[:4]), size, size % 2
	}, "EXIF")
}

func inChunks(in io.ReadSeeker, parse func(head []byte) (name string, size, behind int64), want string) (orientation,
	error) {
	var head [8]byte
	for range mostParts {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return 0, err
		}
		name, size, behind := parse(head[:])
		if o, err := segment(in, name == want, size); err == nil {
			return o, nil
		}
		if _, err := in.Seek(behind, io.SeekCurrent); err != nil {
			return 0, err
		}
	}
	return 0, errNoWay
}

// segment reads a segment of size bytes if it may be EXIF data, and leaves in behind it.
func segment(in io.ReadSeeker, wanted bool, size int64) (orientation, error) {
	const most = 1 << 20
	if !wanted || size > most {
		if _, err := in.Seek(size, io.SeekCurrent); err != nil {
			return 0, err
		}
		return 0, errNoWay
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(in, b); err != nil {
		return 0, err
	}
	return inTIFF(bytes.NewReader(bytes.TrimPrefix(b, []byte("Exif\x00\x00"))))
}

// inTIFF reads tag 274 of the first directory: byte order, 42, where the directory is; there a count, and entries of 12
// bytes, each a tag, a type, a count and a value.
func inTIFF(in io.ReadSeeker) (orientation, error) {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, err
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	if order.Uint16(head[2:]) != 42 || head[0] != head[1] {
		return 0, errNoWay
	}
	if _, err := in.Seek(int64(order.Uint32(head[4:])), io.SeekStart); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(in, head[:2]); err != nil {
		return 0, err
	}
	entries := make([]byte, 12*int(order.Uint16(head[:])))
	if _, err := io.ReadFull(in, entries); err != nil {
		return 0, err
	}
	const tag, short = 274, 3
	for e := entries; len(e) > 0; e = e[12:] {
		if order.Uint16(e) == tag && order.Uint16(e[2:]) == short {
			if o := orientation(order.Uint16(e[8:])); o >= 1 && o <= 8 {
				return o, nil
			}
		}
	}
	return 0, errNoWay
}
