package table

import (
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/visible"
)

// A Format is a way to write a table into a file.
type Format struct {
	Name, Help string
	Ext        string // of file names
	Text       func(t *Table) string
}

// Entry implements option.Named.
func (f Format) Entry() (name, help string) { return f.Name, f.Help }

// Formats lists the ways to write a table. A new one is a line here.
var Formats = []Format{
	{"text", "columns, for a terminal", ".txt", func(t *Table) string { return t.Text(0) }},
	{"markdown", "a table of Markdown", ".md", (*Table).Markdown},
	{"csv", "values with commas between them, for programs", ".csv", (*Table).CSV},
	{"latex", "a tabular of LaTeX, with booktabs", ".tex", (*Table).LaTeX},
}

// ByName returns the format with the given name or file extension (markdown or md), or nil.
func ByName(name string) *Format {
	for i, f := range Formats {
		if name == f.Name || "."+name == f.Ext {
			return &Formats[i]
		}
	}
	return nil
}

// Markdown writes the table in GitHub's dialect.
func (t *Table) Markdown() string {
	var b strings.Builder
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	line := func(text func(i int) string) {
		b.WriteString("|")
		for _, i := range t.shown() {
			b.WriteString(" " + text(i) + " |")
		}
		b.WriteString("\n")
	}
	if t.Title != "" {
		b.WriteString(visible.Text(t.Title) + "\n\n")
	}
	line(func(i int) string { return escape.Replace(t.Columns[i].Head) })
	line(func(i int) string {
		if t.Columns[i].Right {
			return "---:"
		}
		return "---"
	})
	for _, row := range t.Rows {
		line(func(i int) string { return escape.Replace(row[i].Text) })
	}
	for _, note := range t.Notes {
		b.WriteString("\n" + visible.Text(note) + "\n")
	}
	return b.String()
}

// CSV writes the columns that have a key, with floats in full precision.
func (t *Table) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	var keys []string
	for _, c := range t.Columns {
		if c.Key != "" {
			keys = append(keys, c.Key)
		}
	}
	w.Write(keys) // a strings.Builder returns no errors
	for _, row := range t.Rows {
		var cells []string
		for i, c := range t.Columns {
			if c.Key != "" {
				cells = append(cells, plain(row[i].Value))
			}
		}
		w.Write(cells)
	}
	w.Flush()
	return b.String()
}

func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// LaTeX writes a tabular environment with the rules of the package booktabs; title and notes are comments. A note that
// explains a mark in a cell is also below the last rule, in lines as wide as the table.
func (t *Table) LaTeX() string {
	var b strings.Builder
	for _, line := range append([]string{t.Title}, t.Notes...) {
		line = visible.Text(line)
		if line != "" {
			b.WriteString("% " + strings.ReplaceAll(line, "\n", " ") + "\n")
		}
	}
	align := ""
	for _, i := range t.shown() {
		if t.Columns[i].Right {
			align += "r"
		} else {
			align += "l"
		}
	}
	line := func(text func(i int) string) {
		var cells []string
		for _, i := range t.shown() {
			cells = append(cells, latex(text(i)))
		}
		b.WriteString("  " + strings.Join(cells, " & ") + ` \\` + "\n")
	}
	b.WriteString(`\begin{tabular}{@{}` + align + "@{}} % \\usepackage{booktabs}\n" + `  \toprule` + "\n")
	line(func(i int) string { return t.Columns[i].Head })
	b.WriteString(`  \midrule` + "\n")
	for _, row := range t.Rows {
		line(func(i int) string { return row[i].Text })
	}
	b.WriteString(`  \bottomrule` + "\n")
	shown := t.shown()
	for _, note := range t.marks() {
		for _, line := range Wrap(note, max(40, t.total(shown))) {
			fmt.Fprintf(&b, `  \multicolumn{%d}{@{}l@{}}{\footnotesize %s} \\`+"\n", len(shown), latex(line))
		}
	}
	b.WriteString(`\end{tabular}` + "\n")
	return b.String()
}

// marks returns the notes that explain a mark, * or ~, of a cell.
func (t *Table) marks() (notes []string) {
	for _, note := range t.Notes {
		note = strings.TrimSpace(strings.TrimPrefix(visible.Text(note), "note "))
		mark, _, _ := strings.Cut(note, " ")
		if mark != "*" && mark != "~" {
			continue
		}
		for _, row := range t.Rows {
			if slices.ContainsFunc(t.shown(), func(i int) bool { return strings.Contains(row[i].Text, mark) }) {
				notes = append(notes, note)
				break
			}
		}
	}
	return notes
}

var toLaTeX = strings.NewReplacer(
	`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`, `{`, `\{`, `}`, `\}`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `±`, `$\pm$`, `×`, `$\times$`, `−`, `$-$`, `–`, `--`, `--`, `-{}-`,
	`<`, `$<$`, `>`, `$>$`, `α`, `$\alpha$`, `≥`, `$\geq$`, `²`, `$^2$`, `[`, `{[}`, `]`, `{]}`)

// latex escapes s for TeX. Brackets are in braces: a bracket after \\ would begin an option. A hyphen before a digit is
// a minus.
func latex(s string) string { return toLaTeX.Replace(minus.ReplaceAllString(s, "$1−$2")) }

var minus = regexp.MustCompile(`(^|[ \[])-([0-9.])`)
