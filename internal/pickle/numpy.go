package pickle

// A function is the name of one that is recognised, and never called: reduce says what it would make.
type function string

const (
	reconstruct function = "numpy.core.multiarray._reconstruct" // an array, to be filled by build
	frombuffer  function = "numpy.core.numeric._frombuffer"     // an array, of protocol 5
	ndarray     function = "numpy.ndarray"                      // the class, an argument of reconstruct
	dtype       function = "numpy.dtype"                        // what an array's elements are
	encode      function = "_codecs.encode"                     // bytes, as Python 3 writes them in protocol 2
)

// functions are all names that may appear. NumPy 2 renamed core to _core.
var functions = map[[2]string]function{
	{"numpy.core.multiarray", "_reconstruct"}:  reconstruct,
	{"numpy._core.multiarray", "_reconstruct"}: reconstruct,
	{"numpy.core.numeric", "_frombuffer"}:      frombuffer,
	{"numpy._core.numeric", "_frombuffer"}:     frombuffer,
	{"numpy", "ndarray"}:                       ndarray,
	{"numpy", "dtype"}:                         dtype,
	{"_codecs", "encode"}:                      encode,
}

// blank is an array before its shape and bytes are known.
type blank struct{ array *Array }

// elements are those of an array; only bytes are taken.
type elements struct{}

func (m *machine) name(module, name string) error {
	f, ok := functions[[2]string{module, name}]
	if m.torch {
		f, ok = torchName(module, name)
	}
	if !ok {
		return m.errorf("the name %.80q is refused: want data alone", module+"."+name)
	}
	return m.push(f)
}

// reduce makes what a function would make of its arguments.
func reduce(m *machine) error {
	args, err := m.pop()
	if err != nil {
		return err
	}
	called, err := m.pop()
	if err != nil {
		return err
	}
	f, ok := called.(function)
	list, isList := args.(*List)
	if !ok || !isList {
		return m.errorf("it calls %s: want one of NumPy's functions", describe(called))
	}
	if m.torch {
		if made, err := m.reduceTorch(f, list.Items); made {
			return err
		}
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
			return m.push(blank{new(Array)})
		}
	case dtype:
		if kind, ok := text(arg(0)); ok {
			if kind != "u1" && kind != "|u1" {
				return m.errorf("an array of %.20q: want u1, bytes", kind)
			}
			return m.push(elements{})
		}
	case encode:
		s, ok := arg(0).(string)
		if by, _ := text(arg(1)); ok && by == "latin1" {
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
	return m.errorf("%s has other arguments than NumPy gives it", f)
}

// build fills an array: (version, shape, elements, whether the first axis runs fastest, bytes).
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
	case *Dict: // attributes of an OrderedDict: the versions of modules
		if m.torch {
			return m.push(v)
		}
	case Opaque:
		return m.push(v)
	case elements: // its state says no more than that a byte has no order
		return m.push(v)
	case blank:
		list, ok := state.(*List)
		if !ok || len(list.Items) != 5 {
			return m.errorf("an array is described by %s: want a list of five", describe(state))
		}
		fortran, ok := list.Items[3].(bool)
		if n, isNumber := list.Items[3].(int64); isNumber {
			fortran, ok = n != 0, true
		}
		if !ok {
			return m.errorf("an array's order is %s: want a truth", describe(list.Items[3]))
		}
		if err := m.fill(v.array, list.Items[1], list.Items[2], fortran, list.Items[4]); err != nil {
			return err
		}
		return m.push(v.array)
	}
	return m.errorf("it gives %s a state: want an array", describe(v))
}

// fill gives a its shape and bytes.
func (m *machine) fill(a *Array, shape, kind any, fortran bool, content any) error {
	if kind != any(elements{}) {
		return m.errorf("an array of %s: want u1, bytes", describe(kind))
	}
	axes, ok := shape.(*List)
	if !ok || len(axes.Items) == 0 || len(axes.Items) > 4 {
		return m.errorf("an array's shape is %s: want 1 to 4 numbers", describe(shape))
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
			return m.errorf("an axis of an array is %s: want 1 to %d, for %d bytes", describe(axis), len(b)/size, len(b))
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

// transpose reorders a, whose first axis runs fastest.
func (m *machine) transpose(a *Array) error {
	if len(a.Shape) != 2 {
		return m.errorf("an array of %d axes whose first runs fastest: want at most two", len(a.Shape))
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

// latin1 pushes the bytes whose Latin-1 characters are s.
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

// longest is the most bytes of a word that is read for what it says.
const longest = 256

// text is v as a word, where it is a word or bytes, and short.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, len(v) <= longest
	case []byte:
		if len(v) <= longest {
			return string(v), true
		}
	}
	return "", false
}
