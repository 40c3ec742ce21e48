package model

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/strict"
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
// tensors whose names start with "model.". Every weight must be there, in its shape, and no other.
func Load(f *ckpt.File) (*Network, error) {
	meta, err := ckpt.ParseMeta(f.Meta)
	if err != nil {
		return nil, err
	}
	spec, err := specOf(meta.Config)
	if err != nil {
		return nil, fmt.Errorf("model: attnconv.config: %w", err)
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

// Keys lists the keys of a spec in YAML, in their order.
func Keys() []string { return specFields.Keys() }

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
	err := specFields.Read(&parts.Model, "model", func(f strict.Field, v reflect.Value) {
		reflect.ValueOf(&s).Elem().Field(f.Index).Set(v)
	})
	return s, err
}

// FoundIn refuses weights that are far too few for s, before a network is made for them. Where a few are missing,
// SetWeights says which.
func (s Spec) FoundIn(weights []ckpt.Tensor) error {
	const few = 1 << 20
	held, want := 0, s.Params()
	for _, t := range weights {
		if strings.HasPrefix(t.Name, "model.") {
			held += len(t.Data)
		}
	}
	if want > held+few {
		return fmt.Errorf("model: %d weights, where %s has %d", held, s, want)
	}
	return nil
}

// SetWeights copies the weights of a checkpoint into the network. They may have a kind's other names; how many batches their norms have seen is of no use here.
func (n *Network) SetWeights(f *ckpt.File) error {
	var missing []string
	known := map[string]bool{}
	others := Kinds.Find(n.Spec.Kind).Others
	for _, p := range n.Params {
		t, ok := f.Lookup(p.Name)
		if !ok && others != nil {
			other := others.Replace(p.Name)
			t, ok = f.Lookup(other)
			known[other] = true
		}
		known[p.Name] = true
		switch {
		case !ok:
			missing = append(missing, p.Name)
		case !slices.Equal(t.Shape, p.Shape):
			return fmt.Errorf("model: %s: want shape %v, got %v", p.Name, p.Shape, t.Shape)
		case !vec.Finite(t.Data):
			return fmt.Errorf("model: %s holds a number that is not finite", p.Name)
		default:
			copy(p.Data, t.Data)
		}
	}
	var unknown []string
	for _, t := range f.Tensors {
		if strings.HasPrefix(t.Name, "model.") && !known[t.Name] && !strings.HasSuffix(t.Name, ".num_batches_tracked") {
			unknown = append(unknown, t.Name)
		}
	}
	switch {
	case len(missing) > 0:
		return fmt.Errorf("model: %d of %d weights are missing: %s", len(missing), len(n.Params), some(missing))
	case len(unknown) > 0:
		return fmt.Errorf("model: %d weights that this model does not have: %s", len(unknown), some(unknown))
	}
	return nil
}

// some names the first few of a list.
func some(names []string) string {
	const few = 3
	if len(names) > few {
		return strings.Join(names[:few], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
