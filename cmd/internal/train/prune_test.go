package train_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
)

// As in the reference, a general head is degenerate if the largest eigenvalue of S·Sᵀ is below 1e-5, or above 1000
// times the smallest.
func TestPruneDegenerateHeads(t *testing.T) {
	config := configs.Default()
	config.Data.Name = "shapes32"
	config.Model.Encoding, config.Model.Layers, config.Model.Heads = "quadratic-general", model.Equal(2), model.Ints{3}
	config.Model.Dim, config.Model.FFN, config.Model.Pool = 16, 16, 4
	net, err := model.New(config.Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	roots := net.Layer.(*attention.Stack).Attention()[1].Encoding.(*posenc.QuadraticGeneral).Root.Data
	copy(roots[0:], []float32{0.003, 0, 0, 0.003}) // λ = 9e-6: degenerate
	copy(roots[4:], []float32{1, 0, 0, 0.03})      // 1 : 9e-4: degenerate
	copy(roots[8:], []float32{1, 0, 0, 0.04})      // 1 : 1.6e-3: elongated, but not degenerate
	path := filepath.Join(t.TempDir(), "run.ckpt")
	meta := ckpt.Meta{Kind: config.Model.Kind, Config: string(config.YAML())}
	if err := ckpt.Write(path, &ckpt.File{Meta: meta.Strings(), Tensors: net.Tensors()}); err != nil {
		t.Fatal(err)
	}

	runs := t.TempDir()
	code, _, said := clitest.Run("train", "--from", path, "--prune-degenerate", "--fast-dev-run", "--batch", "4",
		"--runs", runs, "--name", "pruned", "-v")
	if code != 0 {
		t.Fatalf("code %d: %s", code, said)
	}
	want := "prune  2 of 6 heads are degenerate or pruned and left out; by layer: 0, 2"
	if !strings.Contains(said, want) {
		t.Errorf("want %q in\n%s", want, said)
	}
	list, err := filepath.Glob(filepath.Join(runs, "*-pruned-*"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	d, err := run.Open(list[0], runs)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := configs.Of(d)
	if err != nil || kept.Model.Heads.String() != "3,1" {
		t.Errorf("heads %v of the new run, want 3,1 (%v)", kept.Model.Heads, err)
	}
}
