package ckpt_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/model/ckpt"
)

// Tensors and metadata to a file and back. Any safetensors reader opens the file.
func Example() {
	path := filepath.Join(os.TempDir(), "attnconv-example.safetensors")
	defer os.Remove(path)
	err := ckpt.Write(path, &ckpt.File{
		Meta:    map[string]string{"made.by": "an example"},
		Tensors: []ckpt.Tensor{{Name: "w", Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := ckpt.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := f.Lookup("w")
	fmt.Println(w.Shape, w.Data, "by", f.Meta["made.by"])

	want := []ckpt.Tensor{{Name: "w", Shape: []int{2, 3}}}
	fmt.Println(ckpt.Fit(want, f.Tensors))
	// Output:
	// [2 2] [1 2 3 4] by an example
	// w: want shape [2 3], got [2 2]
}
