package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/option"
)

// A Donor is another network, where whose Gaussian heads are those of a new one start: model.heads_init from:FILE, or
// with options before the colon, as in from+centers+rotated=7+reversed:FILE.
type Donor struct {
	File            string
	Centers, Widths bool    // what is taken of a head, one of them or both; the rest is drawn as usual
	Rotated         *uint64 // the seed of the angles by which centers are turned around the query; nil: they are not
	Reversed        bool    // layer l gets the heads of layer L+1-l
}

const fromDonor = "from"

// isDonor reports whether a value of heads_init names a donor.
func isDonor(start string) bool {
	return strings.HasPrefix(start, fromDonor+":") || strings.HasPrefix(start, fromDonor+"+")
}

// Donor returns the network that heads_init names. ok says whether it names one. The error is an *option.Error.
func (s Spec) Donor() (d Donor, ok bool, err error) {
	if !isDonor(s.HeadsInit) {
		return d, false, nil
	}
	bad := func(what string) (Donor, bool, error) {
		return d, true, option.Errorf("model.heads_init", "%s: %s; want from:FILE, or with some of +centers, +widths, "+
			"+rotated=SEED, +reversed before the colon, as in from+centers+reversed:FILE", s.HeadsInit, what)
	}
	options, file, _ := strings.Cut(s.HeadsInit, ":")
	if d.File = file; file == "" {
		return bad("no file is named")
	}
	for _, word := range strings.Split(options, "+")[1:] {
		seed, rotated := strings.CutPrefix(word, "rotated=")
		switch {
		case word == "centers":
			d.Centers = true
		case word == "widths":
			d.Widths = true
		case word == "reversed":
			d.Reversed = true
		case rotated:
			n, err := strconv.ParseUint(seed, 10, 64)
			if err != nil {
				return bad("a seed is a whole number from 0")
			}
			d.Rotated = &n
		default:
			return bad(strconv.Quote(word) + " is not an option")
		}
	}
	if d.Rotated != nil && d.Widths && !d.Centers {
		return bad("widths have no direction that could be rotated")
	}
	if !d.Centers && !d.Widths {
		d.Centers, d.Widths = true, true
	}
	return d, true, nil
}

// String says what is taken, and how.
func (d Donor) String() string {
	text := map[[2]bool]string{{true, true}: "centers and widths", {true, false}: "only centers",
		{false, true}: "only widths"}[[2]bool{d.Centers, d.Widths}]
	if d.Rotated != nil {
		text += fmt.Sprintf(", each center turned by an angle of seed %d", *d.Rotated)
	}
	if d.Reversed {
		text += ", the layers in reverse order"
	}
	return text
}
