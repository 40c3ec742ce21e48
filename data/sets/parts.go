package sets

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// The indices of survey.files, as of Splits.
const (
	trainPart = iota
	valPart
	testPart
)

// splitNames are the names of the folders of each split, in small letters.
// Source: Hugging Face, "Structure your repository", for the data sets of its hub.
var splitNames = [3][]string{
	trainPart: {"train", "training"}, valPart: {"validation", "valid", "val", "dev"},
	testPart: {"test", "testing", "eval", "evaluation"},
}

// partNames are what the splits are called in messages.
var partNames = [3]string{trainPart: "training", valPart: "validation", testPart: "test"}

// splitWords are the words of a name, in small letters: trainLabels.csv has train, labels and csv.
func splitWords(name string) []string {
	var spaced strings.Builder
	last := ' '
	for _, r := range name {
		if unicode.IsLower(last) && unicode.IsUpper(r) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
		last = r
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

// partOf is the split that a word of a name means, or -1.
func partOf(words ...string) int {
	for part, names := range splitNames {
		if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(words, n) }) {
			return part
		}
	}
	return -1
}

// lacking says which classes a split has no images of.
func lacking(part string, classes []string) string {
	const few = 10
	names := visible.Apart(classes)
	if len(names) > few {
		return fmt.Sprintf("no %s images of %d classes, from %s to %s", part, len(names), names[0], names[len(names)-1])
	}
	return fmt.Sprintf("no %s images of %s (%s)", part, table.Count(len(names), "class"), strings.Join(names, ", "))
}

// shorten joins the first of many names.
func shorten(names []string) string {
	const few = 10
	if len(names) > few+1 {
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", len(names)-few)
	}
	return strings.Join(names, ", ")
}
