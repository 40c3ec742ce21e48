package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// Forty images of two classes in files of their own become a figure.
func TestFilesBecomeAFigure(t *testing.T) {
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "heads.svg")
	for name, n := range map[string]int{"train": 40, "t10k": 10} {
		var pixels, labels []byte
		for i := range n {
			labels = append(labels, byte(i%2))
			for j := range 64 {
				pixels = append(pixels, byte(i%2*100+j))
			}
		}
		for file, b := range map[string][]byte{
			name + "-images-idx3-ubyte": append(header(3, n, 8, 8), pixels...),
			name + "-labels-idx1-ubyte": append(header(1, n), labels...),
		} {
			if err := os.WriteFile(filepath.Join(dir, file), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := trainAndDraw(dir, to, "train.epochs=1", "train.batch=8", "model.layers=1"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to); err != nil || info.Size() < 1000 {
		t.Errorf("%v, %v", info, err)
	}
}

// header is that of an IDX file of bytes.
func header(dims int, sizes ...int) []byte {
	b := []byte{0, 0, 8, byte(dims)}
	for _, n := range sizes {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return b
}
