// Package exampleruns has the trained runs and the images that `attnconv runs examples` writes. They are part of the
// program: looking at a trained network takes no training and no network connection. `make example-runs` trains them
// again.
package exampleruns

import (
	"archive/zip"
	"bytes"
	"embed"
	"io/fs"
	"slices"
)

//go:embed *.zip
var archives embed.FS

// A Run is one trained network.
type Run struct {
	Name  string   // of its archive; its label is "example-" and this name
	ID    string   // of the run
	Train []string // the command that trained it; the same command gives the same weights on any number of threads
	Bare  bool     // its archive has only the best weights and the last, so the run cannot be trained on
}

// Runs lists the examples in the order of their training.
var Runs = []Run{
	{"resnet18", "rn18", []string{"train", "--data", "shapes32", "--model", "resnet18", "--width", "6"}, false},
	{"learned", "lrnd", []string{"train", "--data", "shapes32", "--encoding", "learned"}, false},
	{"quadratic", "quad", []string{"train", "--data", "shapes32", "--encoding", "quadratic"}, false},
	{"cifar-resnet18", "c10r", cifar("small/resnet18", "--width", "8", "--lr", "0.12"), true},
	{"cifar-quadratic", "c10q", cifar("small/quadratic", "--dim", "48", "--ffn", "96", "--lr", "0.01",
		"--set", "train.position_lr=10"), true},
}

// cifar trains on CIFAR-10 with the recipe of our studies, longer: networks of half width, whose rates study rates
// found on validation images. Positions learn at position_lr times the rate of matrices, here 0.1.
func cifar(preset string, own ...string) []string {
	return slices.Concat([]string{"train", "--preset", preset}, own, []string{"--epochs", "12", "--batch", "256",
		"--optimizer", "muon", "--momentum", "0.95", "--weight-decay", "0.05", "--average", "0.99", "--clip", "1",
		"--augment", "crop,altflip", "--label-smoothing", "0.1", "--data", "cifar10"})
}

// Images is the name of the archive of test images, one of each class.
const Images = "images"

// Open returns the files in an archive: the name of a run, or Images.
func Open(name string) (fs.FS, error) {
	b, err := archives.ReadFile(name + ".zip")
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(b), int64(len(b)))
}
