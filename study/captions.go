package study

import (
	"fmt"
	"slices"
	"strings"
)

// CurveCaptions says what curves show: the names or the number of the runs, and the data of each and the last epoch.
func CurveCaptions(names, data []string, epoch int) (runs, rest string) {
	const few = 3
	runs = "run " + strings.Join(names, ", ")
	switch {
	case len(names) > few:
		runs = fmt.Sprintf("%d runs", len(names))
	case len(names) > 1:
		runs = "runs " + strings.Join(names, ", ")
	}
	var sets []string
	for _, name := range data {
		if !slices.Contains(sets, name) {
			sets = append(sets, name)
		}
	}
	return runs, fmt.Sprintf("%s · to epoch %d", strings.Join(sets, ", "), epoch)
}
