// Package torchnames gives weights the names, and the form, of other programs, and takes those of others in.
//
// Names are those of the paper's code and, for residual networks, torchvision's. Package ckpt reads and writes files.
//
// Stable: names that Export writes are kept; Adopt learns more.
package torchnames

import (
	"slices"
	"strings"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
)

// Names of other programs, and what they are called here. The reference's names are ours behind "model."; so are
// torchvision's of a residual network.
var (
	wrappers = []string{"model.", "module.", "_orig_mod."} // in front of every name, in any order
	aliases  = strings.NewReplacer(".shortcut.", ".downsample.")
	constant = []string{"attention_mask", "relative_indices", "R", "num_batches_tracked"} // nothing learned is in these
)

// Export returns a network's weights under the names that PyTorch's modules have, without "model.".
func Export(n *model.Network) []ckpt.Tensor {
	tensors := n.Tensors()
	for i, t := range tensors {
		tensors[i].Name = strings.TrimPrefix(t.Name, "model.")
	}
	return tensors
}

// Adopt renames the tensors of another program's file, or of one from Export, as a checkpoint has them, and lists those
// that it leaves out: constants, and what is no weight here, such as a solver's state.
func Adopt(f *ckpt.File) (weights []ckpt.Tensor, left []string) {
	for _, t := range f.Tensors {
		name := unwrapped(t.Name)
		last := name[strings.LastIndexByte(name, '.')+1:]
		if slices.Contains(constant, last) || strings.HasPrefix(name, "optim.") || strings.HasPrefix(name, "ema.") {
			left = append(left, t.Name)
			continue
		}
		name = aliases.Replace(name)
		if rest, ok := strings.CutPrefix(name, "linear."); ok {
			name = "fc." + rest
		}
		weights = append(weights, ckpt.Tensor{Name: "model." + name, Shape: t.Shape, Data: t.Data})
	}
	for _, t := range f.Skipped {
		left = append(left, t.Name)
	}
	return weights, left
}

// unwrapped is name without the wrappers in front of it.
func unwrapped(name string) string {
	for before := ""; before != name; {
		before = name
		for _, w := range wrappers {
			name = strings.TrimPrefix(name, w)
		}
	}
	return name
}
