package sets

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"io"

	"github.com/attnconv/attnconv/data"
)

// losses are what an image file has and the image that is made of it has not, a bit each.
type losses uint16

const (
	lostDepth losses = 1 << iota
	lostAlpha
	lostFrames
	lostColor
	lostInks
	lostWay
	lostBorder
	lostSize
)

// words says what a picture lost that became one of format f.
func (l losses) words(f data.Format) (all []string) {
	border := "cropped around the middle, to a square"
	if f.Rows != f.Cols {
		border = fmt.Sprintf("cropped around the middle, to the proportions %d : %d", f.Cols, f.Rows)
	}
	for _, loss := range []struct {
		is   losses
		text string
	}{
		{lostDepth, "reduced from 16 bits a channel to 8"},
		{lostAlpha, "with transparency, which became black"},
		{lostFrames, "with several frames or pages, of which the first was taken"},
		{lostColor, "turned from color to gray"},
		{lostInks, "turned from four inks (CMYK) to RGB"},
		{lostWay, "turned upright, as their EXIF data say"},
		{lostBorder, border},
		{lostSize, fmt.Sprintf("resized to %d × %d", f.Rows, f.Cols)},
	} {
		if l&loss.is != 0 {
			all = append(all, loss.text)
		}
	}
	return all
}

// lossesOf compares a decoded image with the format that it gets.
func lossesOf(img image.Image, way orientation, f data.Format) (l losses) {
	gray := false
	switch img.(type) {
	case *image.Gray:
		gray = true
	case *image.Gray16:
		gray, l = true, lostDepth
	case *image.RGBA64, *image.NRGBA64:
		l = lostDepth
	case *image.CMYK:
		l = lostInks
	}
	if o, ok := img.(interface{ Opaque() bool }); ok && !o.Opaque() {
		l |= lostAlpha
	}
	if f.Channels == 1 && !gray {
		l |= lostColor
	}
	if way != upright {
		l |= lostWay
	}
	return l | lossesOfSize(img.Bounds(), way, f)
}

// lossesOfSize compares the bounds of an image with the size of the format that it gets.
func lossesOfSize(b image.Rectangle, way orientation, f data.Format) (l losses) {
	taken := way.middle(b, f.Rows, f.Cols)
	if taken != b {
		l |= lostBorder
	}
	if rows, cols := way.stored(f.Rows, f.Cols); taken.Dy() != rows || taken.Dx() != cols {
		l |= lostSize
	}
	return l
}

// hasSeveral reports whether an image file has several frames or pages. A file that ends early has not.
func hasSeveral(in io.ReadSeeker, format string) bool {
	count := map[string]func(in *bufio.Reader) bool{"gif": severalInGIF, "png": severalInPNG}[format]
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return false
	}
	switch format {
	case "tiff":
		return severalInTIFF(in)
	case "webp": // RIFF, a size, WEBP, VP8X, a size, flags
		head := make([]byte, 21)
		_, err := io.ReadFull(in, head)
		return err == nil && string(head[12:16]) == "VP8X" && head[20]&2 != 0
	}
	return count != nil && count(bufio.NewReaderSize(in, 1<<16))
}

// severalInGIF walks through blocks: an extension (21, its kind), an image (2C), or the end (3B). The data of both come
// in parts, each with its length in front, up to an empty one.
// Source: Graphics Interchange Format, version 89a, appendix A.
func severalInGIF(in *bufio.Reader) bool {
	var head [13]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || !skipColors(in, head[10]) {
		return false
	}
	for images := 0; ; {
		kind, err := in.ReadByte()
		switch {
		case err != nil:
			return false
		case kind == 0x2c:
			if images++; images > 1 {
				return true
			}
			var at [9]byte
			if _, err := io.ReadFull(in, at[:]); err != nil || !skipColors(in, at[8]) {
				return false
			}
		case kind != 0x21:
			return false
		}
		if _, err := in.Discard(1); err != nil { // the kind of extension, or the size of codes
			return false
		}
		for n := byte(1); n > 0; {
			if n, err = in.ReadByte(); err != nil {
				return false
			}
			if _, err := in.Discard(int(n)); err != nil {
				return false
			}
		}
	}
}

// skipColors skips the table of colors that flags announce.
func skipColors(in *bufio.Reader, flags byte) bool {
	if flags&0x80 == 0 {
		return true
	}
	_, err := in.Discard(3 << (flags&7 + 1))
	return err == nil
}

// severalInPNG looks for the chunk acTL of an animation, with its number of frames, in front of the image.
// Source: W3C, Portable Network Graphics (third edition), 11.3.6.1.
func severalInPNG(in *bufio.Reader) bool {
	if _, err := in.Discard(8); err != nil {
		return false
	}
	for range mostParts {
		head, err := in.Peek(12)
		if err != nil || string(head[4:8]) == "IDAT" {
			return false
		}
		if string(head[4:8]) == "acTL" {
			return binary.BigEndian.Uint32(head[8:]) > 1
		}
		if _, err := in.Discard(12 + int(binary.BigEndian.Uint32(head))); err != nil {
			return false
		}
	}
	return false
}

// severalInTIFF reports whether the first directory, a count and entries of 12 bytes, is followed by another.
func severalInTIFF(in io.ReadSeeker) bool {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return false
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	var count [2]byte
	if _, err := in.Seek(int64(order.Uint32(head[4:])), io.SeekStart); err != nil {
		return false
	}
	if _, err := io.ReadFull(in, count[:]); err != nil {
		return false
	}
	if _, err := in.Seek(12*int64(order.Uint16(count[:])), io.SeekCurrent); err != nil {
		return false
	}
	var next [4]byte
	_, err := io.ReadFull(in, next[:])
	return err == nil && order.Uint32(next[:]) != 0
}
