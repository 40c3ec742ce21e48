package main

import (
	"fmt"
	"html"
	"strings"
)

// terminal is what attnconv demo prints at its first and its last stop, without progress.
func terminal(p *program, theme string) ([]byte, error) {
	if p.demo == "" {
		out, err := p.run("demo", "--out", "demo", "--progress", "off")
		if err != nil {
			return nil, err
		}
		p.demo = out
	}
	return stampedSVG(screen(append([]string{"$ attnconv demo", ""}, excerpt(p.demo)...), theme)), nil
}

// excerpt returns the lines of the tour that are in the picture: all of a stop, or none.
func excerpt(demo string) (lines []string) {
	kept := false
	for line := range strings.Lines(demo) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.Contains(line, " of 4   "):
			kept = strings.HasPrefix(line, "1") || strings.HasPrefix(line, "4")
		case strings.HasPrefix(line, "All files are in"):
			kept = false
		}
		if kept {
			lines = append(lines, line)
		}
	}
	return lines
}

// colors of a terminal: ground, text, quiet text, commands, success
var screens = map[string][5]string{
	"light": {"#ffffff", "#1f2328", "#59636e", "#0550ae", "#116329"},
	"dark":  {"#0d1117", "#e6edf3", "#9198a1", "#79c0ff", "#7ee787"},
}

// screen draws lines of text as a terminal does.
func screen(lines []string, theme string) []byte {
	const size, line, wide, edge = 13.0, 18.0, 7.83, 18.0
	columns := 0
	for _, l := range lines {
		columns = max(columns, len([]rune(l)))
	}
	c := screens[theme]
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	width, height := 2*edge+wide*float64(columns), 2*edge+line*float64(len(lines))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f">`+
		"\n<title>What attnconv demo prints</title>\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%.0f" height="%.0f" rx="8" fill="%s" stroke="%s" stroke-opacity="0.4"/>`+
		"\n", width-1, height-1, c[0], c[2])
	b.WriteString(`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" ` +
		fmt.Sprintf(`font-size="%.0f">`+"\n", size))
	for i, l := range lines {
		if l == "" {
			continue
		}
		fill, weight := c[1], "400"
		switch {
		case strings.HasPrefix(l, "$ "):
			fill, weight = c[3], "600"
		case strings.Contains(l, " of 4   "):
			weight = "600"
		case strings.HasPrefix(l, "PASS"), strings.HasPrefix(l, "test acc"):
			fill = c[4]
		}
		fmt.Fprintf(&b, `<text x="%.0f" y="%.1f" fill="%s" font-weight="%s" textLength="%.2f">%s</text>`+"\n", edge,
			edge+line*(float64(i)+0.75), fill, weight, wide*float64(len([]rune(l))),
			strings.ReplaceAll(html.EscapeString(l), " ", "&#160;"))
	}
	b.WriteString("</g>\n</svg>\n")
	return []byte(b.String())
}
