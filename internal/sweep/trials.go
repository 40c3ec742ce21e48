package sweep

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
)

// FormatTrials writes increasing numbers of trials as ranges: 0-3,7.
func FormatTrials(trials []int) string {
	var parts []string
	for _, r := range table.Ranges(trials) {
		part := strconv.Itoa(r[0])
		if r[1] > r[0] {
			part += "-" + strconv.Itoa(r[1])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

// ParseTrials reads what FormatTrials writes: increasing numbers below count.
func ParseTrials(text string, count int) (trials []int, err error) {
	last := -1
	for part := range strings.SplitSeq(text, ",") {
		first, end, ranged := strings.Cut(part, "-")
		a, errA := strconv.Atoi(first)
		b, errB := a, error(nil)
		if ranged {
			b, errB = strconv.Atoi(end)
		}
		if errA != nil || errB != nil || a <= last || b < a || b >= count {
			return nil, fmt.Errorf("%q: want increasing numbers from 0 to %d, such as 0-3,7", part, count-1)
		}
		for i := a; i <= b; i++ {
			trials = append(trials, i)
		}
		last = b
	}
	return trials, nil
}

// Tasks is the number of array tasks of pack trials each.
func Tasks(trials []int, pack int) int {
	pack = min(pack, len(trials)+1)
	return (len(trials) + pack - 1) / pack
}

// PackOf returns the trials of array task i, of pack trials each but the last.
func PackOf(trials []int, pack, i int) []int {
	rest := trials[i*pack:]
	return rest[:min(pack, len(rest))]
}
