package term

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// mostSeeds catches typos: more than anybody trains.
const mostSeeds = 1000

// Seeds reads whole numbers and ranges of them, such as 0..4,7: each once, and at most 1000 in all, in the order of the
// text.
func Seeds(text string) (all []uint64, err error) {
	wrong := errors.New("want whole numbers from 0, such as 0..4 or 0,3,7; each once, and 1000 at most")
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if !isRange {
			high = low
		}
		first, errFirst := strconv.ParseUint(low, 10, 64)
		last, errLast := strconv.ParseUint(high, 10, 64)
		if errFirst != nil || errLast != nil || last < first || last-first >= uint64(mostSeeds-len(all)) {
			return nil, wrong
		}
		for i := range last - first + 1 {
			all = append(all, first+i)
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(all)))) < len(all) {
		return nil, wrong
	}
	return all, nil
}
