package pickle

import (
	"math"
	"slices"
	"strings"
)

// A Storage describes Count contiguous elements of one type, elsewhere in the file.
type Storage struct {
	Kind  string // FloatStorage, HalfStorage, ...
	Key   string // its name in the file
	Count int64
}

// A Tensor is a strided view of a storage: element (i₀, i₁, …) is at Offset + Σ_a Stride[a]·i_a. Every element is
// inside the storage, and there are no more than the storage has.
type Tensor struct {
	Storage       *Storage
	Offset        int64
	Shape, Stride []int64
}

// An Object is a value of a class or a function that is not recognized, or that class or function itself. Nothing was
// called, and its state was dropped; what was put into it as into a dictionary is in Items.
type Object struct {
	Name   string // of the class or function, behind that of its Python module
	Module bool   // it is a torch.nn.Module: a network with its code, instead of its weights
	Dict
}

const (
	ordered   function = "collections.OrderedDict"             // or another dictionary that keeps what is put into it
	rebuild   function = "torch._utils._rebuild_tensor_v2"     // a view of a storage
	parameter function = "torch._utils._rebuild_parameter"     // a trainable tensor
	subclass  function = "torch._tensor._rebuild_from_type_v2" // a tensor of a class, such as one with attributes
)

// torchFunctions are the names that are recognized in PyTorch's files, in addition to those that end in Storage.
var torchFunctions = map[[2]string]function{
	{"collections", "OrderedDict"}:                    ordered,
	{"collections", "defaultdict"}:                    ordered,
	{"torch._utils", "_rebuild_tensor"}:               rebuild, // before PyTorch 0.4
	{"torch._utils", "_rebuild_tensor_v2"}:            rebuild,
	{"torch._utils", "_rebuild_parameter"}:            parameter,
	{"torch._utils", "_rebuild_parameter_with_state"}: parameter,
	{"torch._tensor", "_rebuild_from_type_v2"}:        subclass,
}

// torchInstructions are supported in PyTorch's files only.
var torchInstructions = map[byte]func(*machine) error{
	'G': func(m *machine) error { // BINFLOAT, big-endian
		b, err := m.take(8)
		v := uint64(0)
		for _, x := range b {
			v = v<<8 | uint64(x)
		}
		return m.pushRead(math.Float64frombits(v), err)
	},
	'Q': func(m *machine) error { // BINPERSID
		id, err := m.pop()
		if err != nil {
			return err
		}
		return m.persistent(id)
	},
	'1': func(m *machine) error { // POP_MARK
		_, err := m.popMark()
		return err
	},
	0x8b: func(m *machine) error { // LONG4
		n, err := m.readUint(4)
		if err == nil {
			_, err = m.take(n)
		}
		return m.pushRead(&Object{Name: "int"}, err)
	},
	0x8f: func(m *machine) error { return m.push(&Object{Name: "set"}) }, // EMPTY_SET
	0x90: func(m *machine) error { // ADDITEMS
		_, err := m.popMark()
		return err
	},
	0x91: func(m *machine) error { // FROZENSET
		_, err := m.popMark()
		return m.pushRead(&Object{Name: "frozenset"}, err)
	},
	0x81: func(m *machine) error { return m.object(1) }, // NEWOBJ: class, arguments
	0x92: func(m *machine) error { return m.object(2) }, // NEWOBJ_EX: class, arguments, arguments by name
}

// object pops n collections of arguments and a class, and pushes an object of that class.
func (m *machine) object(n int) error {
	items, err := m.popItems(1 + n)
	if err != nil {
		return err
	}
	switch class := items[0].(type) {
	case *Object:
		return m.push(&Object{Name: class.Name})
	case function: // of torch.Size and the like, which only _rebuild functions take
		return m.push(&Object{Name: string(class)})
	}
	return m.errorf("it makes an object of %s: want a class", describe(items[0]))
}

// ParseTorch is Parse for what torch.save writes: values may also be float64, *Tensor, *Storage and *Object. Keys of
// dictionaries may be anything; those that are neither strings nor integers are replaced by a text. It returns all
// storages by their keys, and the size n of the pickle at the beginning of b.
func ParseTorch(b []byte) (v any, storages map[string]*Storage, n int, err error) {
	m := &machine{in: b, memo: map[uint64]any{}, budget: len(b), storages: map[string]*Storage{}}
	v, err = m.run()
	return v, m.storages, m.pos, err
}

// torchName pushes the function or class of that name.
func (m *machine) torchName(module, name string) error {
	if f, ok := torchFunctions[[2]string{module, name}]; ok {
		return m.push(f)
	}
	if (module == "torch" || module == "torch.storage") && strings.HasSuffix(name, "Storage") &&
		len(name) <= len("ComplexDoubleStorage") {
		return m.push(function(name))
	}
	if err := m.spend(len(module) + 1 + len(name)); err != nil {
		return err
	}
	return m.push(&Object{Name: module + "." + name})
}

// persistent pushes what a persistent id is of: ("storage", type, key, device, count), with a sixth item None in old
// files, or ("module", class, its source file, its source).
func (m *machine) persistent(id any) error {
	list, ok := id.(*List)
	if ok && len(list.Items) == 4 && list.Items[0] == any("module") {
		return m.push(list.Items[1])
	}
	if !ok || len(list.Items) < 5 || len(list.Items) > 6 || list.Items[0] != any("storage") ||
		len(list.Items) == 6 && list.Items[5] != nil {
		return m.errorf("it has a persistent id that is no storage of a tensor")
	}
	kind, isKind := list.Items[1].(function)
	key, isKey := text(list.Items[2])
	count, isCount := list.Items[4].(int64)
	if !isKind || !strings.HasSuffix(string(kind), "Storage") || !isKey || !isCount || count < 0 ||
		count > math.MaxInt64/16 {
		return m.errorf("a storage is described by %s, %s and %s: want a type, a string and an integer",
			describe(list.Items[1]), describe(list.Items[2]), describe(list.Items[4]))
	}
	s := &Storage{string(kind), key, count}
	m.storages[key] = s
	return m.push(s)
}

// reduceTorch pushes the result of a function of PyTorch's files.
func (m *machine) reduceTorch(called, args any) error {
	list, isList := args.(*List)
	if !isList {
		return m.errorf("it calls %s with %s: want a list", describe(called), describe(args))
	}
	all := list.Items
	f, known := called.(function)
	switch {
	case f == ordered:
		return m.dictionary(all)
	case f == rebuild && len(all) >= 4:
		t, err := m.tensor(all)
		return m.pushRead(t, err)
	case f == parameter && len(all) >= 1:
		if t, ok := all[0].(*Tensor); ok {
			return m.push(t)
		}
	case f == subclass && len(all) >= 3 && all[0] != any(subclass): // (function, class, arguments, state)
		return m.reduceTorch(all[0], all[2])
	}
	if o, ok := called.(*Object); ok {
		if of, ok := firstObject(all); ok && strings.HasSuffix(o.Name, "reg._reconstructor") { // copy_reg or copyreg
			o = of
		}
		return m.push(&Object{Name: o.Name})
	}
	if known {
		return m.push(&Object{Name: string(f)})
	}
	return m.errorf("it calls %s: want a function", describe(called))
}

// firstObject returns the first of the arguments, if it is an object or a class.
func firstObject(args []any) (*Object, bool) {
	if len(args) == 0 {
		return nil, false
	}
	o, ok := args[0].(*Object)
	return o, ok
}

// dictionary pushes a dictionary of the pairs in its argument, which Python 2 writes; else it is filled later.
func (m *machine) dictionary(args []any) error {
	d := &Dict{Items: map[string]any{}}
	if len(args) == 1 {
		if pairs, ok := args[0].(*List); ok {
			for _, p := range pairs.Items {
				pair, ok := p.(*List)
				if !ok || len(pair.Items) != 2 {
					return m.errorf("a dictionary is made of %s: want pairs", describe(p))
				}
				if err := m.set(d, pair.Items); err != nil {
					return err
				}
			}
		}
	}
	return m.push(d)
}

// tensor builds a tensor from (storage, offset, shape, stride, ...).
func (m *machine) tensor(args []any) (*Tensor, error) {
	s, isStorage := args[0].(*Storage)
	offset, isOffset := args[1].(int64)
	shape, isShape := sizes(args[2])
	stride, isStride := sizes(args[3])
	if !isStorage || !isOffset || !isShape || !isStride || len(shape) != len(stride) {
		return nil, m.errorf("want a tensor of a storage, an offset, a shape and strides")
	}
	t := &Tensor{s, offset, shape, stride}
	if !t.inside() {
		return nil, m.errorf("a tensor of shape %v with strides %v from %d on is not inside its storage of %d", shape,
			stride, offset, s.Count)
	}
	return t, nil
}

// inside reports whether every element of t is in its storage, and t has no more elements than the storage.
func (t *Tensor) inside() bool {
	if t.Offset < 0 || t.Offset > t.Storage.Count {
		return false
	}
	if slices.Contains(t.Shape, 0) {
		return true
	}
	// reach: largest distance from the first element to the last
	elements, reach := int64(1), t.Storage.Count-t.Offset-1
	for i, n := range t.Shape {
		if elements > t.Storage.Count/n {
			return false
		}
		elements *= n
		if n > 1 && t.Stride[i] > reach/(n-1) {
			return false
		}
		reach -= (n - 1) * t.Stride[i]
	}
	return reach >= 0 && elements <= t.Storage.Count
}

// sizes returns the items of a list of at most 8 non-negative integers.
func sizes(v any) ([]int64, bool) {
	list, ok := v.(*List)
	if !ok || len(list.Items) > 8 {
		return nil, false
	}
	all := make([]int64, len(list.Items))
	for i, item := range list.Items {
		if all[i], ok = item.(int64); !ok || all[i] < 0 {
			return nil, false
		}
	}
	return all, true
}

// Len returns the number of elements.
func (t *Tensor) Len() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}
