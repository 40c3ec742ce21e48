package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
)

// Tensors returns the weights as a checkpoint holds them. They share the network's memory.
func (n *Network) Tensors() []ckpt.Tensor {
	tensors := make([]ckpt.Tensor, len(n.Params))
	for i, p := range n.Params {
		tensors[i] = ckpt.Tensor{Name: p.Name, Shape: p.Shape, Data: p.Data}
	}
	return tensors
}

// Load returns the network of a checkpoint: its architecture from the model: part of the config, its weights from the
// tensors whose names start with "model.". Every weight must be there, in its shape, and no other. The error is an
// *option.MissingError where the network needs a kind that another program has registered.
func Load(f *ckpt.File) (*Network, error) {
	if f == nil {
		return nil, errors.New("the checkpoint is nil: want one of ckpt.Read")
	}
	meta, err := ckpt.ParseMeta(f.Meta)
	if err != nil {
		return nil, err
	}
	spec, err := specOf(meta.Config)
	if missing := (*option.MissingError)(nil); errors.As(err, &missing) {
		return nil, missing
	}
	if err != nil {
		return nil, fmt.Errorf("attnconv.config: %w", err)
	}
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if err := spec.FoundIn(f.Tensors); err != nil {
		return nil, err
	}
	n, err := New(spec, 0)
	if err != nil {
		return nil, err
	}
	return n, n.SetWeights(f)
}

// specOf reads the model: part of a config; what it does not name is Default's. A key that no spec has is an error: to
// pass over it would load another network than the one that was meant.
func specOf(config string) (Spec, error) {
	var parts struct {
		Model yaml.Node `yaml:"model"`
	}
	s := Default()
	if err := yaml.Unmarshal([]byte(config), &parts); err != nil {
		return s, err
	}
	if parts.Model.Kind != yaml.MappingNode {
		return s, errors.New("want a part called model, with keys and values")
	}
	if err := Missing(&parts.Model); err != nil {
		return s, err
	}
	err := specFields().Into(&s, &parts.Model, "model")
	return s, err
}

// FoundIn refuses weights that are far too few for s, before a network is made for them. Where a few are missing,
// SetWeights says which.
func (s Spec) FoundIn(weights []ckpt.Tensor) error {
	const few = 1 << 20
	if err := s.Validate(); err != nil {
		return err
	}
	held, want := 0, s.Params()
	for _, t := range weights {
		if strings.HasPrefix(t.Name, "model.") {
			held += len(t.Data)
		}
	}
	if want > held+few {
		return fmt.Errorf("%d weights, where %s has %d", held, s, want)
	}
	return nil
}

// SetWeights copies the weights of a checkpoint into the network. They may have the names that Kind.Others
// replaces. Counts of batches (num_batches_tracked) are ignored.
func (n *Network) SetWeights(f *ckpt.File) error {
	if n.Layer == nil || f == nil {
		return errors.New("want a network of New, and a checkpoint: one of them is empty")
	}
	var own ckpt.File
	for _, t := range f.Tensors {
		if !strings.HasPrefix(t.Name, "model.") || strings.HasSuffix(t.Name, ".num_batches_tracked") {
			continue
		}
		if others := Kinds.Find(n.Spec.Kind).Others; others != nil {
			name := others.Replace(t.Name)
			if _, both := f.Lookup(name); !both {
				t.Name = name
			}
		}
		own.Tensors = append(own.Tensors, t)
	}
	if err := ckpt.Fit(n.Tensors(), own.Tensors); err != nil {
		return err
	}
	for _, p := range n.Params {
		t, _ := own.Lookup(p.Name)
		if !vec.Finite(t.Data) {
			return fmt.Errorf("%s holds a number that is not finite", p.Name)
		}
		copy(p.Data, t.Data)
	}
	return nil
}

// Infer returns the spec of the network that the weights, named as in a checkpoint, belong to, as far as their names
// and shapes tell; the rest is that of base. What they do not tell is the size of the image.
func Infer(weights []ckpt.Tensor, base Spec) (Spec, error) {
	w := ckpt.ShapesOf(weights).In("model.")
	var known, reasons []string
	for _, k := range Kinds {
		if k.Infer == nil {
			continue
		}
		if !w.Has(k.Weight) {
			if !slices.Contains(known, k.Weight) {
				known = append(known, k.Weight)
			}
			continue
		}
		s, err := k.Infer(w, base)
		if err == nil {
			return s, nil
		}
		if reason := err.Error(); !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if reasons == nil {
		return base, fmt.Errorf("no weights of a known kind: no tensor is called %s", strings.Join(known, " or "))
	}
	return base, errors.New(strings.Join(reasons, "; "))
}
