package run

import (
	"os"
	"path/filepath"
	"strings"
)

// near returns the name or id of the run in root that is most similar to ref, or "".
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

// nearFile returns the checkpoint whose name is most similar to that of a missing one in the same folder, or "".
func nearFile(path string) string {
	list, err := filepath.Glob(filepath.Join(escape(filepath.Dir(path)), "*"+filepath.Ext(path)))
	if err != nil || len(list) == 0 {
		return ""
	}
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return closest(stem, list)
}

// closest returns the last of all with the longest substring in common with ref, if that is longer than half of ref.
func closest(ref string, all []string) string {
	best, most := "", len(ref)/2+1
	for _, name := range all {
		if n := commonSubstring(ref, name); n >= most {
			best, most = name, n
		}
	}
	return best
}

// commonSubstring returns the length of the longest common substring of a and b.
func commonSubstring(a, b string) int {
	most := 0
	row := make([]int, len(b)+1) // row[j]: length of the longest common suffix of a[:i] and b[:j]
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

// escape escapes the wildcards of Glob in path.
func escape(path string) string {
	if os.PathSeparator == '\\' {
		return path // no escapes there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
