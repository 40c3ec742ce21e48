// Package exampleruns has the trained runs and the images that `attnconv runs examples` writes. They are part of the
// program: looking at a trained network takes no training and no network connection. `make example-runs` trains them
// again.
package exampleruns

import (
	"archive/zip"
	"bytes"
	"embed"
	"io/fs"
)

//go:embed *.zip
var archives embed.FS

// A Run is one trained network.
type Run struct {
	Name  string   // of its archive; its label is "example-" and this name
	ID    string   // of the run
	Train []string // the command that trained it; the same command gives the same weights on any number of threads
}

// Runs lists the examples in the order of their training.
var Runs = []Run{
	{"resnet18", "rn18", []string{"train", "--data", "shapes32", "--model", "resnet18", "--width", "6"}},
	{"learned", "lrnd", []string{"train", "--data", "shapes32", "--encoding", "learned"}},
	{"quadratic", "quad", []string{"train", "--data", "shapes32", "--encoding", "quadratic"}},
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
