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

// Opaque is the result of a recognized function whose value nobody needs; it names the function.
type Opaque string

const (
	ordered   function = "collections.OrderedDict"
	rebuild   function = "torch._utils._rebuild_tensor_v2" // a view of a storage
	parameter function = "torch._utils._rebuild_parameter" // a trainable tensor
	size      function = "torch.Size"
	device    function = "torch.device"
	scalar    function = "numpy.core.multiarray.scalar" // a NumPy scalar, such as an accuracy
)

// torchFunctions are the names that are recognized in PyTorch's files, in addition to those that end in Storage.
var torchFunctions = map[[2]string]function{
	{"collections", "OrderedDict"}:         ordered,
	{"torch._utils", "_rebuild_tensor_v2"}: rebuild,
	{"torch._utils", "_rebuild_parameter"}: parameter,
	{"torch", "Size"}:                      size,
	{"torch", "device"}:                    device,
	{"numpy.core.multiarray", "scalar"}:    scalar,
	{"numpy._core.multiarray", "scalar"}:   scalar,
	{"numpy", "dtype"}:                     dtype,
	{"_codecs", "encode"}:                  encode,
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
		return m.storage(id)
	},
}

// ParseTorch is Parse for what torch.save writes: values may also be float64, *Tensor, *Storage and Opaque, and keys of
// dictionaries integers. It returns the size n of the pickle at the beginning of b.
func ParseTorch(b []byte) (v any, n int, err error) {
	m := &machine{in: b, memo: map[uint64]any{}, budget: len(b), torch: true}
	v, err = m.run()
	return v, m.pos, err
}

func torchName(module, name string) (function, bool) {
	f, ok := torchFunctions[[2]string{module, name}]
	if !ok && module == "torch" && strings.HasSuffix(name, "Storage") && len(name) <= len("ComplexDoubleStorage") {
		return function(name), true
	}
	return f, ok
}

// storage pushes the storage of a persistent id: ("storage", type, key, device, count), with a sixth item None in old
// files.
func (m *machine) storage(id any) error {
	list, ok := id.(*List)
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
	return m.push(&Storage{string(kind), key, count})
}

// reduceTorch is reduce for the functions of PyTorch's files; known is false if f is none of them.
func (m *machine) reduceTorch(f function, args []any) (known bool, err error) {
	switch {
	case f == ordered && len(args) == 0:
		return true, m.push(&Dict{Items: map[string]any{}})
	case f == rebuild && len(args) >= 4:
		t, err := m.tensor(args)
		if err != nil {
			return true, err
		}
		return true, m.push(t)
	case f == parameter && len(args) >= 1:
		if t, ok := args[0].(*Tensor); ok {
			return true, m.push(t)
		}
	case f == dtype, f == size, f == device, f == scalar:
		return true, m.push(Opaque(f))
	}
	return false, nil
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
