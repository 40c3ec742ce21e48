package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/viz"
)

// A page is HTML under construction. Text reaches it only through text, which escapes it.
type page struct{ strings.Builder }

// text writes what people read: names of runs and files may hold anything.
func (p *page) text(s string) { p.WriteString(html.EscapeString(visible.Text(s))) }

// element writes an element that holds text. tag may have attributes, and is none of the user's text.
func (p *page) element(tag, text string) {
	p.WriteString("<" + tag + ">")
	p.text(text)
	name, _, _ := strings.Cut(tag, " ")
	p.WriteString("</" + name + ">\n")
}

// table writes a table as people read it, with its title and notes.
func (p *page) table(t *table.Table) {
	if len(t.Rows) == 0 {
		return
	}
	p.WriteString(`<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead><tr>`)
	for _, c := range t.Columns {
		if c.Head != "" {
			p.element(cell("th", c, ` scope="col"`), c.Head)
		}
	}
	p.WriteString("</tr></thead><tbody>\n")
	for _, row := range t.Rows {
		p.WriteString("<tr>")
		for i, c := range t.Columns {
			switch {
			case c.Head == "":
			case c.Name:
				p.element(cell("th", c, ` scope="row"`), row[i].Text)
			default:
				p.element(cell("td", c, ""), row[i].Text)
			}
		}
		p.WriteString("</tr>\n")
	}
	p.WriteString("</tbody></table></div>\n")
	for _, note := range t.Notes {
		p.element(`p class="note"`, strings.TrimSpace(strings.TrimPrefix(note, "note")))
	}
}

// cell is the tag of a cell in a column.
func cell(name string, c table.Column, attributes string) string {
	if c.Right {
		attributes += ` class="right"`
	}
	return name + attributes
}

// folded writes what is shown on request.
func (p *page) folded(summary string, inside func()) {
	p.WriteString("<details>")
	p.element("summary", summary)
	inside()
	p.WriteString("</details>\n")
}

// large is the size of an SVG, in bytes, from which a figure is a PNG.
const large = 300 << 10

// figure writes a figure in the colors of both themes.
func (p *page) figure(f *viz.Figure) error {
	return p.drawing(func(ext, theme string) ([]byte, error) {
		return f.Encode("figure."+ext, viz.Output{Theme: theme, DPI: 120})
	}, f.Alt)
}

// drawing writes what encode returns for an extension and a theme of viz.
func (p *page) drawing(encode func(ext, theme string) ([]byte, error), alt string) error {
	p.WriteString("<figure>")
	defer p.WriteString("</figure>\n")
	light, err := encode("svg", "light")
	if err != nil {
		return err
	}
	dark, err := encode("svg", "dark")
	if err != nil {
		return err
	}
	if one, ok := merged(inlined(light), inlined(dark)); ok && len(one) <= large {
		p.WriteString(one)
		return nil
	}
	for _, one := range []struct {
		theme string
		svg   []byte
	}{{"light", light}, {"dark", dark}} {
		fmt.Fprintf(p, `<div class="on-%s">`, one.theme)
		if len(one.svg) <= large {
			p.WriteString(inlined(one.svg))
		} else if err := p.image(encode, one.theme, alt); err != nil {
			return err
		}
		p.WriteString("</div>")
	}
	return nil
}

// image writes a figure as a PNG.
func (p *page) image(encode func(ext, theme string) ([]byte, error), theme, alt string) error {
	b, err := encode("png", theme)
	if err == nil {
		fmt.Fprintf(p, `<img alt="%s" src="data:image/png;base64,%s">`, html.EscapeString(alt),
			base64.StdEncoding.EncodeToString(b))
	}
	return err
}

var (
	styles = regexp.MustCompile(`\s+style="([^"]*)"`)
	colors = regexp.MustCompile(`#[0-9A-Fa-f]{6}`)
)

// inlined returns an SVG of viz as part of a page whose policy refuses attributes style: their properties become
// attributes.
func inlined(svg []byte) string {
	text := string(svg[max(0, bytes.Index(svg, []byte("<svg"))):])
	return styles.ReplaceAllStringFunc(text, func(style string) string {
		var b strings.Builder
		for property := range strings.SplitSeq(styles.FindStringSubmatch(style)[1], ";") {
			if name, value, ok := strings.Cut(strings.TrimSpace(property), ":"); ok {
				fmt.Fprintf(&b, ` %s="%s"`, strings.TrimSpace(name), strings.TrimSpace(value))
			}
		}
		return b.String()
	})
}

// merged returns one drawing for both themes, if they differ in nothing but colors.
func merged(light, dark string) (string, bool) {
	if colors.ReplaceAllString(light, "#") != colors.ReplaceAllString(dark, "#") {
		return "", false
	}
	others := colors.FindAllString(dark, -1)
	i := -1
	return colors.ReplaceAllStringFunc(light, func(color string) string {
		if i++; color == others[i] {
			return color
		}
		return "light-dark(" + color + "," + others[i] + ")"
	}), true
}
