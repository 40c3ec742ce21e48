package torch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/pickle"
)

// contents is a saved object, taken apart: its tensors and, as large as can be without a tensor in them, its other
// objects. The name of each is its path: the keys of dictionaries and the places in lists that lead to it, joined by
// dots.
type contents struct {
	tensors map[string]*pickle.Tensor
	objects []string
	module  *ModuleError // for the first whole network
	from    source
	size    int64 // of the file, in bytes

	holds  map[any]bool // whether a list or dictionary has a tensor in it
	length int          // of all names, in bytes
}

// Bounds of what walk does: one list may be in many others.
const (
	maxDepth  = 20
	maxLength = 8 << 20
)

// names lists the tensors of floats.
func (c *contents) names() (all []string) {
	for name, t := range c.tensors {
		if kinds[t.Storage.Kind].element != "" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// walk adds what is in v, whose name is given. around are the lists and dictionaries that v is in.
func (c *contents) walk(name string, v any, around map[any]bool) error {
	if c.length += len(name) + 1; c.length > maxLength {
		return errors.New("its values are in one another too many times")
	}
	if t, ok := v.(*pickle.Tensor); ok {
		c.tensors[name] = t
		return nil
	}
	if around[key(v)] || !c.hasTensor(v, len(around)) {
		c.objects = append(c.objects, name)
		return nil
	}
	around[v] = true
	defer delete(around, v)
	return each(v, func(key string, item any) error {
		at := strings.TrimPrefix(name+"."+key, ".")
		for c.tensors[at] != nil { // a key may have dots in it
			at += "'"
		}
		return c.walk(at, item, around)
	})
}

// hasTensor reports whether there is a tensor in v, which is inside of depth others.
func (c *contents) hasTensor(v any, depth int) bool {
	if _, ok := v.(*pickle.Tensor); ok {
		return true
	}
	if found, known := c.holds[key(v)]; known || depth >= maxDepth {
		return found
	}
	if key(v) == nil {
		return false
	}
	c.holds[v] = false // while v is being searched: it may contain itself
	c.holds[v] = each(v, func(_ string, item any) error {
		if c.hasTensor(item, depth+1) {
			return errFound
		}
		return nil
	}) != nil
	return c.holds[v]
}

var errFound = errors.New("found")

// key returns v if it is a list or a dictionary, by which maps can know it; else nil.
func key(v any) any {
	switch v.(type) {
	case *pickle.List, *pickle.Dict, *pickle.Object:
		return v
	}
	return nil
}

// each calls do for what is in a list or a dictionary, by key, up to the first error.
func each(v any, do func(key string, item any) error) error {
	var items map[string]any
	switch v := v.(type) {
	case *pickle.List:
		for i, item := range v.Items {
			if err := do(strconv.Itoa(i), item); err != nil {
				return err
			}
		}
	case *pickle.Dict:
		items = v.Items
	case *pickle.Object:
		items = v.Items
	}
	for _, key := range slices.Sorted(maps.Keys(items)) {
		if err := do(key, items[key]); err != nil {
			return err
		}
	}
	return nil
}

// moduleIn returns the error for a saved object that is a whole network, or has one as an entry; nil: it is none.
func moduleIn(saved any) (found *ModuleError) {
	if o, ok := saved.(*pickle.Object); ok {
		return &ModuleError{Class: o.Name, Script: strings.HasPrefix(o.Name, "__torch__.")}
	}
	each(saved, func(key string, item any) error {
		if o, ok := item.(*pickle.Object); ok && o.Module && found == nil {
			found = &ModuleError{Class: o.Name, Key: key}
		}
		return nil
	})
	return found
}

// ModuleError is the error for a file of a whole network, whose weights only its code in Python can name.
type ModuleError struct {
	Path   string
	Class  string // of the network, behind that of its Python module
	Key    string // of the network in the saved object; "": it is that object
	Script bool   // it is TorchScript
}

func (e *ModuleError) Error() string {
	what := "the file"
	if e.Key != "" {
		what = fmt.Sprintf("%.80q", e.Key)
	}
	return fmt.Sprintf("%s: %s is an object of the class %.80s, whose code import does not run", e.Path, what,
		strings.TrimPrefix(e.Class, "__torch__."))
}

func (e *ModuleError) ExitCode() int { return fault.Corrupt }
func (e *ModuleError) Hint() string {
	load := fmt.Sprintf("torch.load(%q, weights_only=False)", e.Path)
	if e.Script {
		load = fmt.Sprintf("torch.jit.load(%q)", e.Path)
	}
	if e.Key != "" {
		load += fmt.Sprintf("[%q]", e.Key)
	}
	return "save its weights in Python, where its code is installed:\n  net = " + load +
		"\n  torch.save(net.state_dict(), \"weights.pt\")\n  attnconv import weights.pt"
}
