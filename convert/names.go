// Package convert gives weights the names, and the form, of other programs, and takes those of others in.
package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/model"
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

// A Misfit is a weight that a file and a network do not have alike. A shape is nil where it is not there at all.
type Misfit struct {
	Name      string
	Want, Got []int
}

func (m Misfit) String() string {
	switch {
	case m.Got == nil:
		return fmt.Sprintf("%s is missing: want shape %v", m.Name, m.Want)
	case m.Want == nil:
		return fmt.Sprintf("%s is unknown: got shape %v", m.Name, m.Got)
	}
	return fmt.Sprintf("%s: want shape %v, got %v", m.Name, m.Want, m.Got)
}

// Misfits lists what keeps weights from being the network's: in the order of the network, then of the file.
func Misfits(n *model.Network, weights []ckpt.Tensor) (all []Misfit) {
	got := map[string][]int{}
	for _, t := range weights {
		got[t.Name] = append([]int{}, t.Shape...)
	}
	known := map[string]bool{}
	for _, p := range n.Params {
		known[p.Name] = true
		if shape, ok := got[p.Name]; !ok || !slices.Equal(shape, p.Shape) {
			all = append(all, Misfit{p.Name, p.Shape, shape})
		}
	}
	for _, t := range weights {
		if !known[t.Name] {
			all = append(all, Misfit{Name: t.Name, Got: got[t.Name]})
		}
	}
	return all
}
