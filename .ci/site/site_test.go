package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const repositoryRoot = "../.."

func built(t *testing.T) map[string][]byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "site")
	if err := build(repositoryRoot, out, ""); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	err := filepath.WalkDir(out, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name[len(out):]], err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The site is made without a broken link, and twice the same.
func TestTheSiteIsTheSameEveryTime(t *testing.T) {
	one, two := built(t), built(t)
	if len(one) != len(two) || len(one) < 50 {
		t.Fatalf("%d and %d files", len(one), len(two))
	}
	for name, b := range one {
		if !bytes.Equal(b, two[name]) {
			t.Errorf("%s differs", name)
		}
		if strings.HasSuffix(name, ".html") && bytes.Contains(b, []byte("$\\")) {
			t.Errorf("%s has a formula in TeX", name)
		}
	}
}

// picture is one of a made site.
const picture = "docs/figures/" + "x.png"

// A page's links, anchors, ids, headings and pictures are checked.
func TestFaultsAreFound(t *testing.T) {
	page := func(body string) map[string][]byte {
		return map[string][]byte{"a.html": []byte("<h1 id=\"a\">A</h1>" + body), "b.html": []byte(`<h1 id="b">B</h1>`),
			picture: nil}
	}
	for _, tt := range []struct{ body, want string }{
		{`<a href="b.html#b">b</a><img src="` + picture + `"><a href="#a">a</a><a href="https://go.dev">go</a>`, ""},
		{`<a href="c.html">c</a>`, "a.html: link to c.html: no such file"},
		{`<a href="b.html#c">c</a>`, "a.html: link to b.html#c: no such heading"},
		{`<a href="#c">c</a>`, "a.html: link to #c: no such heading"},
		{`<img src="` + picture + `.png">`, "x.png.png: no such file"},
		{`<p id="a">`, "id a is there twice"},
		{`<h3 id="c">C</h3>`, "a heading of level 3 follows one of level 1"},
		{`<img src="https://elsewhere.example/x.png">`, "it fetches https://elsewhere.example/x.png"},
		{`<script src="//elsewhere.example/x.js"></script>`, "it fetches //elsewhere.example/x.js"},
		{strings.Repeat(" ", mostBytes), "bytes without pictures"},
	} {
		err := check(page(tt.body))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%.60s: %v, want %q", tt.body, err, tt.want)
		}
	}
}

// Formulas become elements; what is not known is refused.
func TestFormulas(t *testing.T) {
	for _, tt := range []struct{ tex, want string }{
		{`x_q`, `<msub><mi>x</mi><mi>q</mi></msub>`},
		{`e^{-1}`, `<msup><mi>e</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup>`},
		{`\sum_{h=1}^{N}`, `<munderover><mo>∑</mo><mrow><mi>h</mi><mo>=</mo><mn>1</mn></mrow><mrow><mi>N</mi></mrow></munderover>`},
		{`W_\text{key}^\top`, `<msubsup><mi>W</mi><mtext>key</mtext><mi>⊤</mi></msubsup>`},
		{`\frac{a}{\sqrt{D_k}}`, `<mfrac><mrow><mi>a</mi></mrow><mrow><msqrt><mrow><msub><mi>D</mi><mi>k</mi></msub></mrow></msqrt></mrow></mfrac>`},
		{`\underbrace{v}_{x}`, `<munder><munder><mrow><mi>v</mi></mrow><mo stretchy="true">⏟</mo></munder><mrow><mi>x</mi></mrow></munder>`},
		{`{\color{#0072B2} a} + b`, `<mrow><mrow style="color:var(--tex-0072B2,#0072B2)"><mi>a</mi></mrow></mrow><mo>+</mo><mi>b</mi>`},
		{`10.5<x`, `<mn>10.5</mn><mo>&lt;</mo><mi>x</mi>`},
	} {
		got, err := mathML(tt.tex, false)
		if err != nil || !strings.Contains(got, "<mrow>"+tt.want+"</mrow><annotation") {
			t.Errorf("%s: %s, %v; want %s", tt.tex, got, err, tt.want)
		}
	}
	for _, bad := range []string{`\href{x}{y}`, `{a`, `a}`, `\frac{a}`, `_x`, `\text{a`, `\color{red} x`,
		`\color{#00000"}x`, `x^`} {
		if got, err := mathML(bad, false); err == nil {
			t.Errorf("%s is accepted: %s", bad, got)
		}
	}
}

// Anchors are those of GitHub.
func TestAnchors(t *testing.T) {
	a := &anchors{}
	for _, tt := range []struct{ heading, want string }{
		{"A first hour", "a-first-hour"}, {"What it does, on one page?", "what-it-does-on-one-page"},
		{"`train` and --set", "train-and---set"}, {"3 × 3", "3--3"}, {"A first hour", "a-first-hour-1"},
		{"See [this](x.md)", "see-this"}, {"Größe_1", "größe_1"},
	} {
		if got := string(a.Generate([]byte(tt.heading), 0)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.heading, got, tt.want)
		}
	}
}

// A folder with files of somebody else is not replaced.
func TestOnlyAnOldSiteIsReplaced(t *testing.T) {
	out := t.TempDir()
	mine := filepath.Join(out, "mine.txt")
	if err := os.WriteFile(mine, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := write(out, map[string][]byte{"index.html": nil}); err == nil {
		t.Error("a folder with other files was replaced")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	fresh := filepath.Join(out, "site")
	for _, name := range []string{"old.html", "new.html"} {
		if err := write(fresh, map[string][]byte{name: nil}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(fresh, "old.html")); err == nil {
		t.Error("a page of the older site is still there")
	}
}
