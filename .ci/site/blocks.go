package main

import (
	"bytes"
	"fmt"

	chroma "github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blocks renders blocks of code and formulas.
type blocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (b blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, b.fenced)
	r.Register(ast.KindCodeBlock, b.indented)
	r.Register(kindFormula, b.formula)
}

func (b blocks) fenced(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	f := n.(*ast.FencedCodeBlock)
	code, language := string(f.Lines().Value(source)), string(f.Language(source))
	if language == "math" {
		m, err := mathML(code, true)
		if err != nil {
			return ast.WalkStop, err
		}
		_, err = fmt.Fprintf(w, `<div class="wide math">%s</div>`+"\n", m)
		return ast.WalkSkipChildren, err
	}
	return ast.WalkSkipChildren, highlighted(w, code, language)
}

func (b blocks) indented(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	return ast.WalkSkipChildren, highlighted(w, string(n.(*ast.CodeBlock).Lines().Value(source)), "")
}

// languages are those that are highlighted, by their name in Markdown.
var languages = map[string]string{"go": "go", "sh": "bash", "console": "console", "python": "python", "bibtex": "bibtex",
	"json": "json", "yaml": "yaml"}

func highlighted(w util.BufWriter, code, language string) error {
	lexer := lexers.Get(languages[language])
	if languages[language] == "" || lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return err
	}
	if _, err := w.WriteString(`<div class="code">`); err != nil {
		return err
	}
	if err := html.New(html.WithClasses(true), html.TabWidth(4)).Format(w, styles.Fallback, tokens); err != nil {
		return err
	}
	_, err = w.WriteString("</div>\n")
	return err
}

// codeStyle are the colors of code, light and dark.
func codeStyle() ([]byte, error) {
	var b bytes.Buffer
	for _, theme := range []struct{ name, other, style string }{
		{"light", "dark", "github"}, {"dark", "light", "github-dark"}} {
		for _, scope := range []string{
			fmt.Sprintf("@media (prefers-color-scheme: %s) { :root:not([data-theme='%s'])", theme.name, theme.other),
			fmt.Sprintf("@media all { :root[data-theme='%s']", theme.name)} {
			b.WriteString(scope + " {\n")
			if err := html.New(html.WithClasses(true)).WriteCSS(&b, styles.Get(theme.style)); err != nil {
				return nil, err
			}
			b.WriteString("}}\n")
		}
	}
	return b.Bytes(), nil
}

// A formula in a line: $x_q$.
type formula struct {
	ast.BaseInline
	tex string
}

var kindFormula = ast.NewNodeKind("Formula")

func (*formula) Kind() ast.NodeKind { return kindFormula }

func (f *formula) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, map[string]string{"tex": f.tex}, nil)
}

func (b blocks) formula(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	m, err := mathML(n.(*formula).tex, false)
	if err != nil {
		return ast.WalkStop, err
	}
	_, err = w.WriteString(m)
	return ast.WalkSkipChildren, err
}

// mathParser reads formulas in lines. A dollar sign before a space, as that of a price, or of a variable of a shell
// without another one behind it, begins none.
type mathParser struct{}

func (mathParser) Trigger() []byte { return []byte{'$'} }

func (mathParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	end := bytes.IndexByte(line[1:], '$')
	if end < 1 || line[1] == ' ' || line[end] == ' ' {
		return nil
	}
	block.Advance(end + 2)
	return &formula{tex: string(line[1 : end+1])}
}
