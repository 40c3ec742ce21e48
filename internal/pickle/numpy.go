package pickle

// A function is the name of a Python function or class that is recognized, and never called: reduce builds its result.
type function string

const (
	reconstruct function = "numpy.core.multiarray._reconstruct" // an array, to be filled by build
	frombuffer  function = "numpy.core.numeric._frombuffer"     // an array, in protocol 5
	ndarray     function = "numpy.ndarray"                      // the class, an argument of reconstruct
	dtype       function = "numpy.dtype"                        // the type of an array's elements
	encode      function = "_codecs.encode"                     // bytes, as Python 3 writes them in protocol 2
)

// functions are the names that are recognized. NumPy 2 renamed core to _core.
var functions = map[[2]string]function{
	{"numpy.core.multiarray", "_reconstruct"}:  reconstruct,
	{"numpy._core.multiarray", "_reconstruct"}: reconstruct,
	{"numpy.core.numeric", "_frombuffer"}:      frombuffer,
	{"numpy._core.numeric", "_frombuffer"}:     frombuffer,
	{"numpy", "ndarray"}:                       ndarray,
	{"numpy", "dtype"}:                         dtype,
	{"_codecs", "encode"}:                      encode,
}

// placeholder is an array whose shape and bytes build will set.
type placeholder struct{ array *Array }

// uint8Type is NumPy's dtype u1, the only one supported.
type uint8Type struct{}

func (m *machine) name(module, name string) error {
	if m.torch() {
		return m.torchName(module, name)
	}
	f, ok := functions[[2]string{module, name}]
	if !ok {
		return m.errorf("the name %.80q is refused: want data only", module+"."+name)
	}
	return m.push(f)
}

// reduce pushes the result that a recognized function would have for its arguments.
func reduce(m *machine) error {
	args, err := m.pop()
	if err != nil {
		return err
	}
	called, err := m.pop()
	if err != nil {
		return err
	}
	if m.torch() {
		return m.reduceTorch(called, args)
	}
	f, ok := called.(function)
	list, isList := args.(*List)
	if !ok || !isList {
		return m.errorf("it calls %s: want one of NumPy's functions", describe(called))
	}
	arg := func(i int) any {
		if i < len(list.Items) {
			return list.Items[i]
		}
		return nil
	}
	switch f {
	case reconstruct:
		if arg(0) == ndarray {
			return m.push(placeholder{new(Array)})
		}
	case dtype:
		if kind, ok := text(arg(0)); ok {
			if kind != "u1" && kind != "|u1" {
				return m.errorf("an array of %.20q: want u1, bytes", kind)
			}
			return m.push(uint8Type{})
		}
	case encode:
		s, ok := arg(0).(string)
		if codec, _ := text(arg(1)); ok && codec == "latin1" {
			return m.latin1(s)
		}
	case frombuffer:
		if order, _ := text(arg(3)); order == "C" || order == "F" {
			a := new(Array)
			if err := m.fill(a, arg(2), arg(1), order == "F", arg(0)); err != nil {
				return err
			}
			return m.push(a)
		}
	}
	return m.errorf("%s has arguments that NumPy does not write", f)
}

// build sets the state of an array: (version, shape, dtype, whether the order is Fortran's, bytes).
func build(m *machine) error {
	state, err := m.pop()
	if err != nil {
		return err
	}
	v, err := m.pop()
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case *Dict, *Tensor: // attributes of an OrderedDict: the versions of modules; or those that a program gave a tensor
		if m.torch() {
			return m.push(v)
		}
	case *Object:
		if attributes, ok := state.(*Dict); ok && attributes.Items["_parameters"] != nil {
			v.Module = true
		}
		return m.push(v)
	case uint8Type: // the state is the byte order, which bytes do not have
		return m.push(v)
	case placeholder:
		list, ok := state.(*List)
		if !ok || len(list.Items) != 5 {
			return m.errorf("an array is described by %s: want a list of five", describe(state))
		}
		fortran, ok := list.Items[3].(bool)
		if n, isNumber := list.Items[3].(int64); isNumber {
			fortran, ok = n != 0, true
		}
		if !ok {
			return m.errorf("an array's order is %s: want a boolean", describe(list.Items[3]))
		}
		if err := m.fill(v.array, list.Items[1], list.Items[2], fortran, list.Items[4]); err != nil {
			return err
		}
		return m.push(v.array)
	}
	return m.errorf("it gives %s a state: want an array", describe(v))
}

// fill sets shape and bytes of a.
func (m *machine) fill(a *Array, shape, kind any, fortran bool, content any) error {
	if kind != any(uint8Type{}) {
		return m.errorf("an array of %s: want u1, bytes", describe(kind))
	}
	axes, ok := shape.(*List)
	if !ok || len(axes.Items) == 0 || len(axes.Items) > 4 {
		return m.errorf("an array's shape is %s: want 1 to 4 integers", describe(shape))
	}
	b, ok := content.([]byte)
	if s, isText := content.(string); isText { // Python 2 has one type for both
		if err := m.spend(len(s)); err != nil {
			return err
		}
		b, ok = []byte(s), true
	}
	if !ok {
		return m.errorf("an array's content is %s: want bytes", describe(content))
	}
	size := 1
	for _, axis := range axes.Items {
		n, ok := axis.(int64)
		if !ok || n < 1 || n > int64(len(b)/size) {
			return m.errorf("an axis of an array is %s: want 1 to %d, for %d bytes", describe(axis), len(b)/size,
				len(b))
		}
		a.Shape = append(a.Shape, int(n))
		size *= int(n)
	}
	if size != len(b) {
		return m.errorf("an array of shape %v has %d bytes: want %d", a.Shape, len(b), size)
	}
	a.Data = b
	if fortran && len(a.Shape) > 1 {
		return m.transpose(a)
	}
	return nil
}

// transpose converts a from Fortran order (column-major) to row-major order.
func (m *machine) transpose(a *Array) error {
	if len(a.Shape) != 2 {
		return m.errorf("an array of %d axes in Fortran order: want at most two", len(a.Shape))
	}
	if err := m.spend(len(a.Data)); err != nil {
		return err
	}
	rows, cols := a.Shape[0], a.Shape[1]
	out := make([]byte, len(a.Data))
	for r := range rows {
		for c := range cols {
			out[r*cols+c] = a.Data[c*rows+r]
		}
	}
	a.Data = out
	return nil
}

// latin1 pushes s encoded in Latin-1.
func (m *machine) latin1(s string) error {
	if err := m.spend(len(s)); err != nil {
		return err
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return m.errorf("%q is no byte in Latin-1", r)
		}
		out = append(out, byte(r))
	}
	return m.push(out)
}

// maxText is the largest size in bytes of a string that is a key or an argument.
const maxText = 256

// text returns v as a string, if it is a string or bytes of at most maxText bytes.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, len(v) <= maxText
	case []byte:
		if len(v) <= maxText {
			return string(v), true
		}
	}
	return "", false
}
