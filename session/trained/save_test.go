package trained_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/session/trained"
)

// A saved network opens with its weights and its own architecture, whatever architecture the settings have.
func TestSave(t *testing.T) {
	settings, err := configs.Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	spec := settings.Model
	spec.Heads = model.Ints{4}
	net, err := model.New(spec, 7)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "net.ckpt")
	if err := trained.Save(path, net, settings); err != nil {
		t.Fatal(err)
	}
	m, err := trained.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Net.Spec; !reflect.DeepEqual(got.Heads, spec.Heads) || !reflect.DeepEqual(m.Config.Model, got) {
		t.Errorf("opened %+v with the settings %+v, want heads %v", got, m.Config.Model, spec.Heads)
	}
	if !reflect.DeepEqual(m.Net.Tensors(), net.Tensors()) {
		t.Error("other weights were opened than saved")
	}
	if !reflect.DeepEqual(m.Config.Train, settings.Train) {
		t.Errorf("opened the options of training %+v, want %+v", m.Config.Train, settings.Train)
	}
}

// Neither an empty network nor settings that cannot be used are written.
func TestSaveRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net.ckpt")
	settings := configs.Default()
	net, err := model.New(settings.Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := trained.Save(path, &model.Network{}, settings); err == nil {
		t.Error("an empty network: want an error")
	}
	settings.Train.Epochs = -1
	var bad *option.Error
	if err := trained.Save(path, net, settings); !errors.As(err, &bad) || bad.Key != "train.epochs" {
		t.Errorf("-1 epochs: %v, want an *option.Error for train.epochs", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused checkpoint is there: %v", err)
	}
}

// A pruned network is saved with the heads that are left.
func TestSavePruned(t *testing.T) {
	settings, err := configs.Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	net, err := model.New(settings.Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	net.Attention()[1].Encoding.(*posenc.Quadratic).Spread.Data[3] = 1e-6 // uniform
	path := filepath.Join(t.TempDir(), "net.ckpt")
	if err := trained.Save(path, net, settings); err != nil {
		t.Fatal(err)
	}
	m, err := trained.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	pruned, gone, err := m.Prune()
	if err != nil || !reflect.DeepEqual(gone, []int{0, 1, 0}) {
		t.Fatalf("pruned %v: %v", gone, err)
	}
	if err := pruned.Save(path); err != nil {
		t.Fatal(err)
	}
	if m, err = trained.Open(path); err != nil || !reflect.DeepEqual(m.Net.Tensors(), pruned.Net.Tensors()) {
		t.Errorf("the pruned network opens with other weights, or not: %v", err)
	}
}
