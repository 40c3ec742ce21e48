package table

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/visible"
)

const gap = 2 // spaces between columns

// Text formats the table for a terminal of width characters; 0 is any width. A table that is too wide is broken into
// blocks, one below the other, each with the columns that name its rows. A wide character takes two columns.
func (t *Table) Text(width int) string {
	var b strings.Builder
	if t.Title != "" {
		for _, line := range Wrap(t.Title, width) {
			b.WriteString(line + "\n")
		}
		b.WriteString("\n")
	}
	for i, block := range t.blocks(width) {
		if i > 0 {
			b.WriteString("\n")
		}
		t.block(&b, block)
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, note := range t.Notes {
		for _, line := range Wrap(note, width) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func (t *Table) block(b *strings.Builder, columns []int) {
	t.line(b, columns, func(i int) string { return t.Columns[i].Head })
	for _, row := range t.Rows {
		t.line(b, columns, func(i int) string { return row[i].Text })
	}
}

func (t *Table) line(b *strings.Builder, columns []int, text func(i int) string) {
	line := ""
	for at, i := range columns {
		if at > 0 {
			line += strings.Repeat(" ", gap)
		}
		fill := strings.Repeat(" ", t.width(i)-visible.Columns(text(i)))
		if t.Columns[i].Right {
			line += fill + text(i)
		} else {
			line += text(i) + fill
		}
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

func (t *Table) width(i int) int {
	most := visible.Columns(t.Columns[i].Head)
	for _, row := range t.Rows {
		most = max(most, visible.Columns(row[i].Text))
	}
	return most
}

// total is the width of columns next to each other.
func (t *Table) total(columns []int) (n int) {
	for _, i := range columns {
		n += gap + t.width(i)
	}
	return n - gap
}

// blocks partitions the columns into blocks: by whole groups where they fit, by single columns where a group by itself
// is too wide.
func (t *Table) blocks(width int) [][]int {
	var names []int
	var groups [][]int
	last := ""
	for _, i := range t.shown() {
		c := t.Columns[i]
		switch {
		case c.Name:
			names = append(names, i)
		case len(groups) > 0 && c.Group == last:
			groups[len(groups)-1] = append(groups[len(groups)-1], i)
		default:
			groups, last = append(groups, []int{i}), c.Group
		}
	}
	block := append([]int(nil), names...)
	var blocks [][]int
	take := func(columns ...int) bool {
		if width > 0 && len(block) > len(names) && t.total(block)+gap+t.total(columns) > width {
			return false
		}
		block = append(block, columns...)
		return true
	}
	newBlock := func() {
		blocks, block = append(blocks, block), append([]int(nil), names...)
	}
	for _, group := range groups {
		if take(group...) {
			if width == 0 || t.total(block) <= width {
				continue
			}
			block = block[:len(block)-len(group)] // too wide even by itself
		} else {
			newBlock()
			if t.total(block)+gap+t.total(group) <= width {
				block = append(block, group...)
				continue
			}
		}
		for _, i := range group {
			if !take(i) {
				newBlock()
				take(i)
			}
		}
	}
	return append(blocks, block)
}

// Wrap breaks text at spaces into lines of at most width characters; 0 is any width. A text such as "note   words",
// whose first word is followed by two or more spaces, keeps its later lines aligned with the second word. A phrase that
// begins with one of whole, such as a command to copy, is not broken; it ends at two spaces or with the text.
func Wrap(text string, width int, whole ...string) []string {
	if width <= 0 || visible.Columns(text) <= width {
		return []string{text}
	}
	indent, rest := 0, text
	if head, behind, ok := strings.Cut(text, "  "); ok && !strings.Contains(head, " ") {
		behind = strings.TrimLeft(behind, " ")
		if n := visible.Columns(text) - visible.Columns(behind); n <= max(16, width/3) {
			indent, rest = n, behind
		}
	}
	var lines []string
	line := text[:len(text)-len(rest)]
	for rest != "" {
		from := strings.TrimLeft(rest, " ")
		space := rest[:len(rest)-len(from)]
		var word string
		word, rest = cutPhrase(from, whole)
		if n := visible.Columns(line); n > indent && n+len(space)+visible.Columns(word) > width {
			lines, line = append(lines, line), strings.Repeat(" ", indent)
		}
		if visible.Columns(line) > indent {
			line += space
		}
		line += word
	}
	return append(lines, strings.TrimRight(line, " "))
}

// cutPhrase cuts text after its first word or, if that begins a phrase of whole, after the phrase. A number stays with
// its percent sign.
func cutPhrase(text string, whole []string) (word, rest string) {
	end := " "
	for _, w := range whole {
		if strings.HasPrefix(text, w+" ") {
			end = "  "
		}
	}
	at := strings.Index(text, end)
	if at < 0 {
		return text, ""
	}
	if behind := text[at:]; strings.HasPrefix(behind, " %") {
		if n := strings.Index(behind[1:], " "); n >= 0 {
			at += 1 + n
		} else {
			at = len(text)
		}
	}
	return text[:at], text[at:]
}

// Size formats a number of bytes.
func Size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// SI writes 12086844 as 12.1 M, and then the unit; NaN is a dash.
func SI(n float64, unit string) string {
	if math.IsNaN(n) {
		return "–"
	}
	for _, p := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= 0.9995*p.size { // three digits of anything less do not round up to 1000
			return fmt.Sprintf("%.3g %s%s", n/p.size, p.name, unit)
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%.3g %s", n, unit))
}

// Ranges returns the first and the last of each run of consecutive numbers in an increasing list: 1, 2, 3, 7 is 1..3
// and 7..7.
func Ranges(numbers []int) (ranges [][2]int) {
	for i, n := range numbers {
		if i > 0 && n == numbers[i-1]+1 {
			ranges[len(ranges)-1][1] = n
			continue
		}
		ranges = append(ranges, [2]int{n, n})
	}
	return ranges
}

// Count writes "1 run", "1,200 runs", "2 classes", "3 sets of weights".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	noun, rest, of := strings.Cut(what, " of ")
	if strings.HasSuffix(noun, "s") {
		noun += "e"
	}
	noun += "s"
	if of {
		rest = " of " + rest
	}
	return Thousands(n) + " " + noun + rest
}

// Thousands writes 45000 as 45,000.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Percent formats a fraction; NaN is a dash.
func Percent[F ~float64](x F) string {
	if x-x != 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*x)
}

// When formats a time in the local zone, with its year if that is not the year of now.
func When(t, now time.Time) string {
	if t = t.Local(); t.Year() != now.Year() {
		return t.Format("2 Jan 2006")
	}
	return t.Format("2 Jan 15:04")
}

// Fits reports whether a line has at most width columns; 0 means no limit.
func Fits(line string, width int) bool { return width == 0 || visible.Columns(line) <= width }

// Cut shortens a line to width; 0 means no limit.
func Cut(line string, width int) string {
	if Fits(line, width) {
		return line
	}
	return visible.Clip(line, width-1) + "…"
}
