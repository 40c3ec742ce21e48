package trained_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
)

// A network and its settings to a checkpoint, and back. A run's folder opens in the same way.
func ExampleOpen() {
	path := filepath.Join(os.TempDir(), "attnconv-example.ckpt")
	defer os.Remove(path)
	settings, err := configs.Preset("tiny")
	if err != nil {
		fmt.Println(err)
		return
	}
	net, err := model.New(settings.Model, settings.Seed)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := trained.Save(path, net, settings); err != nil {
		fmt.Println(err)
		return
	}

	m, err := trained.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Net.Spec)
	// Output: mhsa: 3 × quadratic of 9 heads, dim 48, 64 tokens
}

// Weights of PyTorch become a network, which is described.
func ExampleImport() {
	file := "../../internal/torch/testdata/quadratic.checkpoint" // from torch.save; no code in it is run
	m, err := trained.Import(file, "", configs.Sources{Set: []string{"data.name=cifar10"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := study.Inspect(study.Subject{Net: m.Net, Train: m.Config.Train})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Net.Spec)
	fmt.Println(d.Params, "parameters,", d.MACsPaper, "multiply-adds as the paper counts,", len(d.Heads),
		"Gaussian heads")
	// Output:
	// mhsa: 2 × quadratic of 4 heads, dim 8, 16 tokens
	// 2551 parameters, 37912 multiply-adds as the paper counts, 8 Gaussian heads
}
