package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// A letters says how legible a figure is: the size of its smallest letters and its width, in the same unit.
type letters struct{ size, width float64 }

var (
	aFontSize = regexp.MustCompile(`font-size[:=]"?([\d.]+)`)
	aViewBox  = regexp.MustCompile(`viewBox="0 0 ([\d.]+) `)
)

// lettersOf reads the letters of an svg.
func lettersOf(svg []byte) (l letters, err error) {
	box := aViewBox.FindSubmatch(svg)
	if box == nil {
		return l, fmt.Errorf("an svg without a width")
	}
	if l.width, err = strconv.ParseFloat(string(box[1]), 64); err != nil {
		return l, err
	}
	l.size = math.Inf(1)
	for _, m := range aFontSize.FindAllSubmatch(svg, -1) {
		size, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return l, err
		}
		l.size = min(l.size, size)
	}
	return l, nil
}

// shown returns the size of the smallest letters in points, where the figure is so many pixels of a page wide.
func (l letters) shown(pixels float64) float64 {
	const points = 72.0 / 96 // of a pixel, as CSS has it
	return l.size / l.width * pixels * points
}

// String is what a file says of its letters; readLetters reads it.
func (l letters) String() string {
	return fmt.Sprintf("smallest letters: %.4g of %.6g points", l.size, l.width)
}

var ofLetters = regexp.MustCompile(`smallest letters: ([\d.]+) of ([\d.]+) points`)

// readLetters returns the letters of a file that was stamped, or of an svg.
func readLetters(file []byte) (l letters, err error) {
	m := ofLetters.FindSubmatch(file)
	if m == nil {
		return lettersOf(file)
	}
	if l.size, err = strconv.ParseFloat(string(m[1]), 64); err != nil {
		return l, err
	}
	l.width, err = strconv.ParseFloat(string(m[2]), 64)
	return l, err
}
