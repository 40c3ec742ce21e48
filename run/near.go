package run

import (
	"os"
	"path/filepath"
	"strings"
)

// near returns the run in root whose name or id has most in common with ref, or "".
func near(ref, root string) string {
	all, err := names(root)
	if err != nil {
		return ""
	}
	best := closest(ref, all)
	if len(ref) <= 6 && best != "" {
		return idOf(best)
	}
	return best
}

// nearFile returns the checkpoint beside a missing one whose name has most in common with it, or "".
func nearFile(path string) string {
	list, err := filepath.Glob(filepath.Join(escape(filepath.Dir(path)), "*"+filepath.Ext(path)))
	if err != nil || len(list) == 0 {
		return ""
	}
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return closest(stem, list)
}

// closest returns the last of all that shares the longest piece with ref, if that is more than half of ref, else "".
func closest(ref string, all []string) string {
	best, most := "", len(ref)/2+1
	for _, name := range all {
		if n := shared(ref, name); n >= most {
			best, most = name, n
		}
	}
	return best
}

// shared is the length of the longest piece of text that is in both a and b.
func shared(a, b string) int {
	most := 0
	row := make([]int, len(b)+1) // row[j]: what a[:i] and b[:j] share at their ends
	for i := range len(a) {
		for j := len(b); j > 0; j-- {
			if a[i] == b[j-1] {
				row[j] = row[j-1] + 1
			} else {
				row[j] = 0
			}
			most = max(most, row[j])
		}
	}
	return most
}

// escape makes a path that Glob takes literally.
func escape(path string) string {
	if os.PathSeparator == '\\' {
		return path // no escapes there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
