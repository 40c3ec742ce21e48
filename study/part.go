package study

import (
	"cmp"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

// A Part is the share of a split's images that an accuracy is a mean over, where train.limit_val_batches leaves some
// out. The zero value is all of them.
type Part struct {
	N, Of int // images; Of 0: unknown
}

// PartOf returns the part of the test images, or of the validation images, that a run's accuracy is of. Runs of earlier
// versions do not record it: the settings say how many images were at most evaluated, of data with a known size.
func PartOf(split string, s run.Status, c *configs.Run) Part {
	known := map[string]Part{"val": {s.ValN, s.ValImages}, "test": {s.TestN, s.TestImages}}[split]
	switch {
	case known.N > 0 && known.Of > 0:
		return NewPart(known.N, known.Of)
	case c == nil || c.Train.ValBatches == 0 || c.Train.OverfitBatches > 0:
		return Part{}
	}
	of := 0
	if kind := sets.Kinds.Find(c.Data.Name); kind != nil {
		if of = kind.Test; split == "val" && !c.Data.OnTest() {
			of = cmp.Or(c.Data.ValSize, kind.ValSize)
		}
	}
	return NewPart(cmp.Or(known.N, c.Train.ValBatches*c.Train.EvalBatch), of)
}

// NewPart is n of so many images; if that is all of them, the zero Part.
func NewPart(n, of int) Part {
	if of > 0 && n >= of {
		return Part{}
	}
	return Part{n, of}
}

// Images names the images of a split: "test images", or "1,000 of 10,000 test images".
func (p Part) Images(split string) string {
	switch words := map[string]string{"val": "validation images", "test": "test images"}[split]; {
	case p.N == 0:
		return words
	case p.Of == 0:
		return "at most " + table.Thousands(p.N) + " of the " + words
	default:
		return table.Thousands(p.N) + " of " + table.Thousands(p.Of) + " " + words
	}
}

// On names the images of a split, if they are not all of them: "1,000 of 10,000 test images"; else it is "".
func (p Part) On(split string) string {
	if p.N == 0 {
		return ""
	}
	return p.Images(split)
}

// Aside is On in brackets behind an accuracy: "", or " (on 1,000 of 10,000 test images)".
func (p Part) Aside(split string) string {
	if p.N == 0 {
		return ""
	}
	return " (on " + p.Images(split) + ")"
}

// Least is the part of fewer images.
func (p Part) Least(q Part) Part {
	if p.N == 0 || q.N > 0 && q.N < p.N {
		return q
	}
	return p
}

// Mark is the mark of an accuracy in a table: "", or "~". A note of PartNotes explains it.
func (p Part) Mark() string {
	if p.N == 0 {
		return ""
	}
	return "~"
}

// PartNotes explain the mark ~ below a table with these parts of a split.
func PartNotes(split string, parts ...Part) (notes []string) {
	seen := map[Part]bool{{}: true}
	for _, p := range parts {
		if !seen[p] {
			seen[p] = true
			notes = append(notes, "~ of "+p.Images(split)+" (--limit-val-batches)")
		}
	}
	return notes
}
