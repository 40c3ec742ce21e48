package trained_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
)

const torchFiles = "../../internal/torch/testdata/"

// A file of PyTorch becomes a network that is saved and opened, and whose export is imported again: with the same
// weights, and with settings that are found in the file.
func TestImportSaveAndExport(t *testing.T) {
	m, err := trained.Import(torchFiles+"quadratic.checkpoint", "", configs.Sources{Set: []string{"data.name=cifar10"}})
	if err != nil {
		t.Fatal(err)
	}
	if m.Net.Spec.Encoding != "quadratic" || m.Net.Spec.Image != [3]int{32, 32, 3} || m.Terms != nil ||
		len(m.Inventory.Left) == 0 {
		t.Errorf("%v; left %v, terms %v", m.Net.Spec, m.Inventory, m.Terms)
	}
	saved, exported := filepath.Join(t.TempDir(), "new", "m.ckpt"), filepath.Join(t.TempDir(), "m.safetensors")
	if err := errors.Join(m.Save(saved), ckpt.Write(exported, m.Export())); err != nil {
		t.Fatal(err)
	}
	opened, err := trained.Open(saved)
	if err != nil {
		t.Fatal(err)
	}
	again, err := trained.Import(exported, "", configs.Sources{})
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
	relative, err := trained.Import(torchFiles+"qr.pt", "", configs.Sources{Set: []string{"data.name=cifar10"}})
	if err != nil || relative.Terms == nil {
		t.Errorf("scores of the paper's code have no terms: %v", err)
	}
}

// Of a checkpoint of a training program, the averaged weights are read. They and the inventory are all that is in the
// file, as trainer.json lists it. The other weights can be asked for.
func TestImportTakesOrNamesAll(t *testing.T) {
	b, err := os.ReadFile(torchFiles + "trainer.json")
	if err != nil {
		t.Fatal(err)
	}
	var present map[string]string
	if err := json.Unmarshal(b, &present); err != nil {
		t.Fatal(err)
	}
	image := configs.Sources{Set: []string{"data.name=cifar10"}}
	average, err := trained.Import(torchFiles+"quadratic.checkpoint", "", image)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ other, otherPath string }{
		"ema": {"state_dict", "state_dict."}, "state_dict": {"ema", "ema."},
	} {
		ask := ""
		if name == "state_dict" {
			ask = name
		}
		for _, file := range []string{"trainer.pt", "trainer.legacy"} {
			m, err := trained.Import(torchFiles+file, ask, image)
			if err != nil {
				t.Fatal(err)
			}
			sum := float32(0)
			for i, p := range m.Net.Params {
				if name == "ema" && !slices.Equal(p.Data, average.Net.Params[i].Data) {
					t.Errorf("%s: %s is not the average", file, p.Name)
				}
				for _, x := range p.Data {
					sum += x * x
				}
			}
			if (sum == 0) != (name == "state_dict") { // which are zeros
				t.Errorf("%s: %s was asked for, and the sum of squares is %v", file, name, sum)
			}
			left := map[string]string{}
			for _, r := range m.Inventory.Left {
				for _, n := range r.Names {
					left[n] = r.What
				}
			}
			if m.Weights.Name != name || left[tt.other] != "set of weights" {
				t.Errorf("%s: took %s, left %s as %q", file, m.Weights.Name, tt.other, left[tt.other])
			}
			taken := 0
			for n, what := range present {
				switch {
				case left[n] == what || strings.HasPrefix(n, tt.otherPath):
					delete(left, n)
				case left[n] == "" && what == "tensor" && strings.HasPrefix(n, name+"."):
					taken++
				default:
					t.Errorf("%s: %s %s was not taken, and is left as %q", file, what, n, left[n])
				}
			}
			if delete(left, tt.other); taken != m.Inventory.Taken || taken != len(m.Net.Params) || len(left) != 0 {
				t.Errorf("%s: took %d, not %d; left %v, which is not there", file, m.Inventory.Taken, taken, left)
			}
		}
	}
}

// Each way in which an import fails has a type or a hint of its own.
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
		misfit  *trained.MisfitError
		corrupt *ckpt.CorruptError
		setting *configs.Error
		gone    *run.NotFoundError
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
			func(err error) bool { return strings.Contains(fault.Hint(err), "model.image") }},
		"other heads": {torchFiles + "quadratic.checkpoint", heads,
			func(err error) bool { return errors.As(err, &misfit) }},
		"wrong flag": {torchFiles + "quadratic.checkpoint", wrong,
			func(err error) bool { return errors.As(err, &setting) && fault.Hint(err) == "" }},
		"its own settings": {write("key.ckpt", "model: {encodign: quadratic}\n"), configs.Sources{},
			func(err error) bool { return strings.Contains(fault.Hint(err), "flags set") }},
		"far fewer weights": {write("odd.ckpt", "model: {kind: resnet18}\n"), image,
			func(err error) bool { return errors.As(err, &corrupt) }},
		"no file of weights": {"import_test.go", image, func(err error) bool { return errors.As(err, &corrupt) }},
		"no file": {filepath.Join(dir, "none"), image,
			func(err error) bool { return errors.As(err, &gone) }},
	} {
		if m, err := trained.Import(tt.path, "", tt.s); m != nil || !tt.is(err) {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
}
