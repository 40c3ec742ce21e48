package trained_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/session/trained"
)

const torchFiles = "../../internal/torch/testdata/"

// A file of PyTorch becomes a network that is saved and opened, and whose export is imported again: with the same
// weights, and with settings that are found in the file.
func TestImportSaveAndExport(t *testing.T) {
	m, err := trained.Import(torchFiles+"quadratic.checkpoint", configs.Sources{Set: []string{"data.name=cifar10"}})
	if err != nil {
		t.Fatal(err)
	}
	if m.Net.Spec.Encoding != "quadratic" || m.Net.Spec.Image != [3]int{32, 32, 3} || m.Terms != nil ||
		len(m.LeftOut) == 0 {
		t.Errorf("%v; left out %v, terms %v", m.Net.Spec, m.LeftOut, m.Terms)
	}
	saved, exported := filepath.Join(t.TempDir(), "new", "m.ckpt"), filepath.Join(t.TempDir(), "m.safetensors")
	if err := errors.Join(m.Save(saved), ckpt.Write(exported, m.Export())); err != nil {
		t.Fatal(err)
	}
	opened, err := trained.Open(saved)
	if err != nil {
		t.Fatal(err)
	}
	again, err := trained.Import(exported, configs.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*trained.Model{"opened": opened, "imported again": again.Model} {
		for i, p := range other.Net.Params {
			if !slices.Equal(p.Data, m.Net.Params[i].Data) {
				t.Errorf("%s: %s changed", name, p.Name)
			}
		}
		if other.Config.Data.Name != "cifar10" {
			t.Errorf("%s: data set %q", name, other.Config.Data.Name)
		}
	}
	relative, err := trained.Import(torchFiles+"qr.pt", configs.Sources{Set: []string{"data.name=cifar10"}})
	if err != nil || relative.Terms == nil {
		t.Errorf("scores of the paper's code have no terms: %v", err)
	}
}

// Each way in which an import fails has a type of its own.
func TestImportErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, settings string) string {
		f := &ckpt.File{Meta: map[string]string{"attnconv.config": settings},
			Tensors: []ckpt.Tensor{{Name: "model.w", Shape: []int{1}, Data: []float32{1}}}}
		if err := ckpt.Write(filepath.Join(dir, name), f); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	var (
		unknown *trained.UnknownImageError
		none    *trained.UndeterminedError
		misfit  *trained.MisfitError
		corrupt *ckpt.CorruptError
		setting *configs.Error
	)
	image := configs.Sources{Set: []string{"data.name=cifar10"}}
	heads := configs.Sources{Set: image.Set, Flags: []configs.Flag{{Name: "--heads", Key: "model.heads", Text: "5"}}}
	wrong := configs.Sources{Set: image.Set, Flags: []configs.Flag{{Name: "--heads", Key: "model.heads", Text: "many"}}}
	for name, tt := range map[string]struct {
		path string
		s    configs.Sources
		is   func(error) bool
	}{
		"no image size": {torchFiles + "quadratic.checkpoint", configs.Sources{},
			func(err error) bool { return errors.As(err, &unknown) }},
		"other heads": {torchFiles + "quadratic.checkpoint", heads,
			func(err error) bool { return errors.As(err, &misfit) }},
		"wrong flag": {torchFiles + "quadratic.checkpoint", wrong,
			func(err error) bool { return errors.As(err, &setting) && !errors.As(err, &none) }},
		"its own settings": {write("key.ckpt", "model: {encodign: quadratic}\n"), configs.Sources{},
			func(err error) bool { return errors.As(err, &none) }},
		"far fewer weights": {write("odd.ckpt", "model: {kind: resnet18}\n"), image,
			func(err error) bool { return errors.As(err, &corrupt) }},
		"no file of weights": {"import_test.go", image, func(err error) bool { return errors.As(err, &corrupt) }},
		"no file": {filepath.Join(dir, "none"), image,
			func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
	} {
		if m, err := trained.Import(tt.path, tt.s); m != nil || !tt.is(err) {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
}
