package viz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
)

// face names the font of all figures.
var face = font.Font{Typeface: "Liberation", Variant: "Sans"}

// sans returns the style of sans-serif text; size is in points.
func sans(size float64, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.From(face, font.Length(size)), Handler: text.Plain{Fonts: fonts()}}
}

// fonts holds face without the kerning between digits, which pulls the digits of 11 together.
var fonts = sync.OnceValue(func() *font.Cache {
	f, err := opentype.Parse(liberationsansregular.TTF)
	if err == nil {
		f, err = evenDigits(f)
	}
	if err != nil {
		panic(fmt.Sprintf("viz: Liberation Sans: %v", err)) // unreachable: the font is part of the program
	}
	return font.NewCache(font.Collection{{Font: face, Face: f}})
})

// evenDigits returns a font whose digits are not kerned with each other. An OpenType font has kerning in the table GPOS
// or, without that, in the table kern: a list of pairs of glyphs, each with a value.
func evenDigits(f *opentype.Font) (*opentype.Font, error) {
	var buf bytes.Buffer
	if _, err := f.WriteSourceTo(nil, &buf); err != nil {
		return nil, err
	}
	digits := map[sfnt.GlyphIndex]bool{}
	for digit := '0'; digit <= '9'; digit++ {
		glyph, err := f.GlyphIndex(nil, digit)
		if err != nil {
			return nil, err
		}
		digits[glyph] = true
	}
	const header, entry, kernHeader, pair = 12, 16, 18, 6 // bytes
	b, be := buf.Bytes(), binary.BigEndian
	for i := range int(be.Uint16(b[4:])) {
		table := b[header+entry*i:][:entry]
		switch string(table[:4]) {
		case "GPOS":
			be.PutUint32(table[12:], 0) // its length
		case "kern":
			pairs := b[be.Uint32(table[8:]):][kernHeader:be.Uint32(table[12:])]
			for ; len(pairs) >= pair; pairs = pairs[pair:] {
				if digits[sfnt.GlyphIndex(be.Uint16(pairs))] && digits[sfnt.GlyphIndex(be.Uint16(pairs[2:]))] {
					be.PutUint16(pairs[4:], 0)
				}
			}
		}
	}
	return opentype.Parse(b)
}

// typeset replaces the hyphens of negative numbers by minus signs, and spaces that SVG would drop, because they are at
// an end or next to another, by no-break spaces, which are as wide.
func typeset(s string) string {
	var b strings.Builder
	at := func(i int) byte { // a space outside
		if i < 0 || i >= len(s) {
			return ' '
		}
		return s[i]
	}
	for i := range len(s) {
		before, after := at(i-1), at(i+1)
		switch {
		case s[i] == '-' && after >= '0' && after <= '9' && (before == ' ' || before == '('):
			b.WriteString("−")
		case s[i] == ' ' && (before == ' ' || after == ' '):
			b.WriteString("\u00a0")
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
