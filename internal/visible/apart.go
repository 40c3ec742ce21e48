package visible

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Apart returns names for output, escaped as by Word. Names that look alike get their index behind them: those that
// differ only in capitals, in spaces, in the form of Unicode, or not at all once they are escaped.
func Apart(names []string) []string {
	shown, alike := make([]string, len(names)), map[string]int{}
	look := func(name string) string {
		return strings.ToLower(norm.NFKC.String(strings.Join(strings.Fields(Word(name)), " ")))
	}
	for _, name := range names {
		alike[look(name)]++
	}
	for i, name := range names {
		if shown[i] = Word(name); alike[look(name)] > 1 {
			shown[i] = fmt.Sprintf("%s [%d]", strings.TrimSpace(shown[i]), i)
		}
	}
	return shown
}
