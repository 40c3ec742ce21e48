package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/table"
)

// SI writes 12086844 as 12.1 M, and then the unit.
func SI(n float64, unit string) string {
	for _, p := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= p.size {
			return fmt.Sprintf("%.3g %s%s", n/p.size, p.name, unit)
		}
	}
	return fmt.Sprintf("%.0f %s", n, unit)
}

// Thousands writes 45000 as 45,000.
func Thousands(n int) string { return table.Thousands(n) }

// Seconds converts seconds to a duration.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// firstNames joins up to three names, and counts the rest.
func firstNames(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Size formats a number of bytes.
func Size(n int64) string { return table.Size(n) }

// ShellWord quotes text for a shell.
func ShellWord(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n'\"\\[]{}()*?$&|;<>`~#!") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Dash returns s, or a dash if it is empty.
func Dash(s string) string { return cmp.Or(s, "-") }

// Period formats seconds; nil is a dash.
func Period(s *float64) string {
	if s == nil {
		return "-"
	}
	return progress.Duration(Seconds(*s))
}

// Long is the duration in seconds from which on a command asks first, or suggests a faster one.
const Long = 10 * 60
