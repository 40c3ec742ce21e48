package network

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// python returns the path of a Python that has PyTorch and NumPy. It skips the test if there is none.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", "import numpy, torch").Run() == nil {
			return path
		}
	}
	t.Skip("no Python with PyTorch and NumPy: on Debian, apt-get install python3-torch")
	return ""
}

// recipes returns the Python code of a section of the documentation, by the heading of each recipe.
func recipes(t *testing.T, section string) map[string]string {
	t.Helper()
	b, err := os.ReadFile("../../docs/analyse.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), "\n## "+section+"\n")
	if !ok {
		t.Fatalf("docs/analyse.md has no section %q", section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	all := map[string]string{}
	for _, part := range strings.Split(text, "\n### ")[1:] {
		heading, rest, _ := strings.Cut(part, "\n")
		if _, code, ok := strings.Cut(rest, "\n```python\n"); ok {
			all[heading], _, _ = strings.Cut(code, "\n```")
		}
	}
	return all
}

// The recipes of the documentation write arrays that are the modules' own outputs, and that can be measured.
func TestRecipes(t *testing.T) {
	path := python(t)
	script, err := filepath.Abs("testdata/recipes.py")
	if err != nil {
		t.Fatal(err)
	}
	all := recipes(t, "Layers of other programs")
	for _, tt := range []struct {
		name, heading string
		layers        int
	}{
		{"mha", "torch.nn.MultiheadAttention", 1}, {"vit", "ViT of timm", 2}, {"swin", "Swin of timm", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			code := filepath.Join(dir, "recipe.py")
			if all[tt.heading] == "" {
				t.Fatalf("no recipe %q", tt.heading)
			}
			if err := os.WriteFile(code, []byte(all[tt.heading]), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, script, tt.name, code)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			d, err := Arrays(context.Background(), filepath.Join(dir, "layers.npz"), Options{Kernel: 3, Draws: 3}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Layers) != tt.layers {
				t.Errorf("%d layers, want %d", len(d.Layers), tt.layers)
			}
			for _, l := range d.Layers {
				if !l.ByImage || l.Grid.Rows != 4 || l.Grid.Cols != 4 || len(l.Heads) != 2 || l.Spectrum == nil ||
					l.Profiles == nil || !l.Spectrum.K3.Known() && tt.name != "swin" {
					t.Errorf("layer %d: %+v", l.Layer, l)
				}
			}
		})
	}
}
