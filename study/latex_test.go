package study

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The default columns fit the text width of LaTeX's article, with the usual baseline and the longest names and values.
func TestLaTeXFitsPage(t *testing.T) {
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip(err)
	}
	c := sample(t)
	for i := range c.Rows {
		c.Rows[i].Name, c.Rows[i].WallS = "quadratic-general", 100_000
	}
	c.Rows[0].Name = "resnet18"
	dir := t.TempDir()
	text := "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n\\noindent\n" +
		c.Table(c.page()).LaTeX() + "\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "t.tex"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex")
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(said), "booktabs.sty' not found") {
		t.Skip("no booktabs")
	}
	if err != nil || strings.Contains(string(said), "Overfull") {
		t.Errorf("%v\n%s\n%s", err, said, text)
	}
}
