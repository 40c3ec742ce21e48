package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"slices"

	"github.com/attnconv/attnconv"
)

// drawnBy is what a figure says of its program.
const drawnBy = "attnconv " + attnconv.Version

// stamped returns a png with the version and its letters, and with a palette where that has no loss.
func stamped(b []byte, l letters) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, indexed(img)); err != nil {
		return nil, err
	}
	const header = 8 + 25 // the signature and the chunk IHDR
	var chunks []byte
	for _, text := range []string{"tEXtSoftware\x00" + drawnBy, "tEXtComment\x00" + l.String()} {
		chunks = binary.BigEndian.AppendUint32(chunks, uint32(len(text)-4))
		chunks = binary.BigEndian.AppendUint32(append(chunks, text...), crc32.ChecksumIEEE([]byte(text)))
	}
	return slices.Insert(out.Bytes(), header, chunks...), nil
}

// indexed returns an image with at most 256 colors, unless it is a photograph, which stays as it is.
func indexed(img image.Image) image.Image {
	count := map[color.RGBA]int{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[rgba(img, x, y)]++
		}
	}
	chosen, at, fine := reduced(count)
	if !fine {
		return img
	}
	out := image.NewPaletted(b, chosen)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			out.SetColorIndex(x, y, at[rgba(img, x, y)])
		}
	}
	return out
}

// reduced chooses 256 of the colors, each time the one whose pixels are worst off, and returns which of them each color
// becomes. It reports whether nearly all pixels have a color that looks the same.
func reduced(count map[color.RGBA]int) (chosen color.Palette, at map[color.RGBA]uint8, fine bool) {
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), bytes.Compare([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B}))
	})
	at = map[color.RGBA]uint8{}
	far := slices.Repeat([]int{math.MaxInt32}, len(colors)) // squared distance to the nearest chosen color
	for next := 0; len(chosen) < min(256, len(colors)); {
		chosen = append(chosen, colors[next])
		worst := -1.0
		for i, c := range colors {
			if d := distance(c, chosen[len(chosen)-1].(color.RGBA)); d < far[i] {
				far[i], at[c] = d, uint8(len(chosen)-1)
			}
			if off := float64(far[i]) * math.Sqrt(float64(count[c])); off > worst {
				worst, next = off, i
			}
		}
	}
	const same, most = 12 * 12, 0.005 // squared distance; share of the pixels
	off, all := 0, 0
	for i, c := range colors {
		all += count[c]
		if far[i] > same {
			off += count[c]
		}
	}
	return chosen, at, float64(off) <= most*float64(all)
}

// distance returns the squared distance of two colors.
func distance(a, b color.RGBA) int {
	r, g, v := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return r*r + g*g + v*v
}

func rgba(img image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
}

// stampedGIF returns a gif with the version and its letters as a comment before its end.
func stampedGIF(b []byte, l letters) []byte {
	text := drawnBy + "; " + l.String()
	comment := append([]byte{0x21, 0xFE, byte(len(text))}, text+"\x00"...)
	return slices.Insert(b, len(b)-1, comment...)
}
