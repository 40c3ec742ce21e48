package main

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A section is the text below a heading, for the search.
type section struct {
	heading heading
	text    string
	links   []link
}

// markdown is GitHub's, with its formulas and its names of anchors.
func markdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithInlineParsers(util.Prioritized(mathParser{}, 150))),
		goldmark.WithRendererOptions(html.WithUnsafe(), // of the repository's pages
			renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))))
}

// render sets what the page shows.
func (p *page) render(source []byte, root string, known map[string]bool) error {
	md := markdown()
	doc := md.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{}))))
	at := section{}
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			h := heading{n.Level, string(id.([]byte)), plainText(n, source)}
			if n.Level == 1 && p.Title == "" {
				p.Title = h.Text
			} else if n.Level <= 3 {
				p.TOC = append(p.TOC, h)
			}
			p.parts = append(p.parts, at)
			at = section{heading: h}
			n.AppendChild(n, anchorLink(h.ID, h.Text))
		case *ast.Link:
			to, err := p.target(string(n.Destination), root, known)
			if err != nil {
				return ast.WalkStop, err
			}
			at.links = append(at.links, link{plainText(n, source), to})
			if !strings.Contains(to, "://") && !strings.HasPrefix(to, "#") && !strings.HasPrefix(to, "mailto:") {
				to = rel(p.Path, to)
			}
			n.Destination = []byte(to)
		case *ast.Text:
			at.text += string(n.Value(source)) + " "
		case *ast.FencedCodeBlock:
			if string(n.Language(source)) != "math" {
				at.text += string(n.Lines().Value(source)) + " "
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	p.parts = append(p.parts, at)
	if p.Title == "" {
		return fmt.Errorf("no heading of level 1")
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, source, doc); err != nil {
		return err
	}
	p.Body = template.HTML(scrolling(elsewhere.ReplaceAllString(b.String(), "$1")))
	return nil
}

// live is where a page shows a view of the explorer: <!-- explorer VIEW: what can be done there -->, or VIEW&step=N of
// the tour. On GitHub it is nothing.
var live = regexp.MustCompile(`<!-- explorer (\w+(?:&step=\d+)?): ([^<>"]*?) -->`)

// withExplorer puts the live explorer, if the site has it, into the page.
func (p *page) withExplorer(there bool) {
	frame := ""
	if there {
		frame = `<iframe class="explorer" loading="lazy" src="` + rel(p.Path, "explorer.html") + `#$1&amp;bare=1" title="$2"></iframe>`
	}
	p.Body = template.HTML(live.ReplaceAllString(string(p.Body), frame))
}

// elsewhere are pictures from other places, such as badges: the page shows their words.
var elsewhere = regexp.MustCompile(`<img src="https?://[^"]*" alt="([^"]*)"[^>]*>`)

// scrolling puts tables into boxes that scroll, so that a wide one never makes the page wide. Boxes and blocks of code
// are reached with the keyboard; each box has another name.
func scrolling(body string) string {
	body = strings.ReplaceAll(body, `<pre class="chroma"`, `<pre tabindex="0" class="chroma"`)
	body = strings.ReplaceAll(body, "</table>", "</table></div>")
	n := 0
	return boxes.ReplaceAllStringFunc(body, func(begin string) string {
		n++
		if begin == "<table>" {
			return fmt.Sprintf(`<div class="wide" tabindex="0" role="region" aria-label="table %d"><table>`, n)
		}
		return fmt.Sprintf(`<div class="wide math" tabindex="0" role="region" aria-label="formula %d">`, n)
	})
}

// boxes are where a box that scrolls begins.
var boxes = regexp.MustCompile(`<table>|<div class="wide math">`)

// target is where a link of the page leads: a path on the site, or an address elsewhere.
func (p *page) target(to, root string, known map[string]bool) (string, error) {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "mailto:") {
		return to, nil
	}
	file, anchor, _ := strings.Cut(to, "#")
	file = path.Join(path.Dir(p.Source), file)
	if anchor != "" {
		anchor = "#" + anchor
	}
	for _, name := range []string{file, file + "/README.md"} {
		if known[name] {
			return pathOf(name) + anchor, nil
		}
	}
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return "", fmt.Errorf("link to %s: no such file", to)
	}
	for _, dir := range pictures {
		if strings.HasPrefix(file, dir+"/") {
			return file, nil
		}
	}
	kind := "/blob/main/"
	if info.IsDir() {
		kind = "/tree/main/"
	}
	return repository + kind + file + anchor, nil
}

// anchorLink is the sign behind a heading that links to it.
func anchorLink(id, name string) ast.Node {
	l := ast.NewLink()
	l.Destination = []byte("#" + id)
	l.SetAttributeString("class", []byte("anchor"))
	l.SetAttributeString("aria-label", []byte("link to "+name))
	l.AppendChild(l, ast.NewString([]byte("#")))
	return l
}

func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it returns no error
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// anchors names headings as GitHub does: small letters, spaces as hyphens, no other signs, and a number for a name that
// was used.
type anchors struct{ used map[string]int }

func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	if a.used == nil {
		a.used = map[string]int{}
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(markup.ReplaceAllString(string(value), "$1")))
	n := a.used[name]
	a.used[name]++
	if n > 0 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return []byte(name)
}

// markup is that of a link in a heading, of which the text counts.
var markup = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

func (a *anchors) Put([]byte) {}
