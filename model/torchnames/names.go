// Package torchnames gives weights the names, and the form, of other programs, and takes those of others in.
//
// Names are those of the paper's code and, for residual networks, torchvision's. Package ckpt reads and writes files.
//
// Stable: names that Export writes are kept; Adopt learns more.
package torchnames

import (
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
)

// Names of other programs, and what they are called here. The reference's names are ours behind "model."; so are
// torchvision's of a residual network.
var aliases = strings.NewReplacer(".shortcut.", ".downsample.")

// solver begins the names of a solver's state, whose tensors are shaped like the weights.
const solver = "optim"

// constant are the last parts of the names of tensors in which nothing is learned.
var constant = []string{"attention_mask", "relative_indices", "R", "num_batches_tracked"}

// Export returns a network's weights under the names that PyTorch's modules have, without "model.".
func Export(n *model.Network) []ckpt.Tensor {
	tensors := n.Tensors()
	for i, t := range tensors {
		tensors[i].Name = strings.TrimPrefix(t.Name, "model.")
	}
	return tensors
}

// Adopt renames the tensors of a set in another program's file, or in one from Export, as a checkpoint has them. The
// inventory has everything else in the file. If set is nil, all tensors are taken, except for the state of a solver.
func Adopt(f *ckpt.File, set *Set) (weights []ckpt.Tensor, v data.Inventory) {
	if set == nil {
		set = &Set{plain: func(name string) string {
			for strings.HasPrefix(unwrapped(name), "model.") {
				name = strings.TrimPrefix(unwrapped(name), "model.")
			}
			return unwrapped(name)
		}}
	}
	v.Left = []data.Rest{}
	for _, name := range set.Others {
		which := "NAME"
		if len(set.Others) == 1 {
			which = name
		}
		v.Leave("set of weights", name, "another one was taken", "--weights "+which+" takes it")
	}
	for _, t := range f.Tensors {
		if name, ok := set.cut(t.Name); ok && !isConstant(name) && !strings.HasPrefix(name, solver) {
			name = aliases.Replace("model." + name)
			if rest, ok := strings.CutPrefix(name, "model.linear."); ok {
				name = "model.fc." + rest
			}
			weights = append(weights, ckpt.Tensor{Name: name, Shape: t.Shape, Data: t.Data})
		} else {
			leave(&v, ckpt.Info{Name: t.Name, Shape: t.Shape, Type: "F32"}, set)
		}
	}
	for _, t := range f.Skipped {
		leave(&v, t, set)
	}
	v.Taken = len(weights)
	return weights, v
}

// isConstant reports whether nothing is learned in a tensor, by its name.
func isConstant(name string) bool {
	return slices.Contains(constant, name[strings.LastIndexByte(name, '.')+1:])
}

// leave adds what is not one of the weights of a set, unless it is in another one, which has a line of its own.
func leave(v *data.Inventory, t ckpt.Info, set *Set) {
	name, own := set.cut(t.Name)
	switch {
	case !own && set.inOther(t.Name):
	case t.Type == "":
		v.Leave("object", t.Name, "not weights", "")
	case own && isConstant(name):
		v.LeaveUsual("tensor", t.Name, "constant, not learned")
	case own && !strings.HasPrefix(name, solver):
		v.Leave("tensor", t.Name, "of integers", "")
	default:
		v.Leave("tensor", t.Name, "not weights", "")
	}
}
