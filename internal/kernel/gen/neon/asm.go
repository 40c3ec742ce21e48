package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"log"
	"math"
	"strings"
)

// text, data and declarations are what has been written so far.
var text, data, declarations strings.Builder

// Registers. Of the general ones, R18 is the system's, and R27 to R30 are Go's.
type (
	general int
	vector  int
)

func (r general) String() string { return fmt.Sprintf("R%d", int(r)) }
func (v vector) String() string  { return fmt.Sprintf("V%d", int(v)) }

// f is the name of a vector register in instructions that load, store or move it.
func (v vector) f() string { return fmt.Sprintf("F%d", int(v)) }

// s4 names its four lanes of 32 bits.
func (v vector) s4() string { return v.String() + ".S4" }

// b16 names its bytes.
func (v vector) b16() string { return v.String() + ".B16" }

// A parameter is where on the stack an argument or result is.
type parameter struct {
	kind   string // its Go type
	offset int
}

// The function that is being written: its parameters, and how many registers are in use.
var (
	parameters map[string]parameter
	generals   []general // that are free
	vectors    int       // in use, from V0 on
	labels     int
)

// sizes are those of Go's types on the stack; a slice is aligned as its address is.
var sizes = map[string][2]int{ // size, alignment
	"int": {8, 8}, "float64": {8, 8}, "[]float32": {24, 8}, "float32": {4, 4}, "uint32": {4, 4}, "bool": {1, 1},
}

// begin starts a function. Its declaration in Go has the comment doc, and says that no argument escapes.
func begin(name, signature, doc string) {
	size := layOut(name, signature)
	generals, vectors = nil, 0
	for r := range 27 {
		if r != 18 {
			generals = append(generals, general(r))
		}
	}
	rest := strings.TrimPrefix(signature, "func")
	fmt.Fprintf(&declarations, "// %s %s\n//\n//go:noescape\nfunc %[1]s%[3]s\n\n", name, doc, rest)
	fmt.Fprintf(&text, "\n// func %s%s\nTEXT ·%[1]s(SB), NOSPLIT, $0-%[3]d\n", name, rest, size)
}

// layOut says where on the stack a function's parameters are, and returns how many bytes they take.
func layOut(name, signature string) (size int) {
	expr, err := parser.ParseExpr(signature)
	if err != nil {
		log.Fatal(err)
	}
	parameters = map[string]parameter{}
	at := 0
	fields := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			kind := signature[field.Type.Pos()-1 : field.Type.End()-1]
			size, ok := sizes[kind]
			if !ok {
				log.Fatalf("%s: no type %s", name, kind)
			}
			names := field.Names
			if names == nil {
				names = []*ast.Ident{{Name: "ret"}}
			}
			for _, n := range names {
				at = roundUp(at, size[1])
				parameters[n.Name] = parameter{kind, at}
				at += size[0]
			}
		}
	}
	f := expr.(*ast.FuncType)
	fields(f.Params)
	at = roundUp(at, 8)
	fields(f.Results)
	for _, p := range parameters {
		size = max(size, p.offset+sizes[p.kind][0])
	}
	return size
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// do writes an instruction.
func do(format string, args ...any) { fmt.Fprintf(&text, "\t"+format+"\n", args...) }

// word writes an instruction that Go's assembler lacks, and says which.
func word(code uint32, format string, args ...any) {
	do("WORD $0x%08x // "+format, append([]any{code}, args...)...)
}

func label(name string) { fmt.Fprintf(&text, "\n%s:\n", name) }

// unique returns a label that no other has.
func unique(what string) string {
	labels++
	return fmt.Sprintf("%s%d", what, labels)
}

// reg returns a general register that is free.
func reg() general {
	if len(generals) == 0 {
		log.Fatal("no general register is left")
	}
	r := generals[0]
	generals = generals[1:]
	return r
}

// free returns a vector register that is free.
func free() vector {
	if vectors == 32 {
		log.Fatal("no vector register is left")
	}
	vectors++
	return vector(vectors - 1)
}

func frees(n int) []vector {
	v := make([]vector, n)
	for i := range v {
		v[i] = free()
	}
	return v
}

// zeros returns n registers of zeros.
func zeros(n int) []vector {
	v := frees(n)
	for _, x := range v {
		clear0(x)
	}
	return v
}

func clear0(v vector) { do("VEOR %s, %[1]s, %[1]s", v.b16()) }

// operand is how the assembler names a parameter; of a slice, where it begins.
func operand(name string) string {
	p, ok := parameters[name]
	if !ok {
		log.Fatalf("no parameter %s", name)
	}
	if strings.HasPrefix(p.kind, "[]") {
		return fmt.Sprintf("%s_base+%d(FP)", name, p.offset)
	}
	return fmt.Sprintf("%s+%d(FP)", name, p.offset)
}

// argument loads an int, or where a slice begins.
func argument(name string) general {
	r := reg()
	move := "MOVD"
	switch parameters[name].kind {
	case "bool":
		move = "MOVBU"
	case "uint32":
		move = "MOVWU"
	}
	do("%s %s, %s", move, operand(name), r)
	return r
}

// length loads how many elements a slice has.
func length(name string) general {
	r := reg()
	do("MOVD %s_len+%d(FP), %s", name, parameters[name].offset+8, r)
	return r
}

// inBytes loads a number of float32 as a number of bytes.
func inBytes(name string) general {
	r := argument(name)
	do("LSL $2, %s, %[1]s", r)
	return r
}

// spread loads a float32 or uint32 into four lanes.
func spread(name string) vector {
	v := free()
	do("FMOVS %s, %s", operand(name), v.f())
	do("VDUP %s.S[0], %s", v, v.s4())
	return v
}

// give stores the lowest lane as a result.
func give(v vector, name string) { do("FMOVS %s, %s", v.f(), operand(name)) }

// A lane is one of the four of a register.
type lane struct {
	vector
	index int
}

func lanes(v ...vector) []lane {
	var all []lane
	for _, x := range v {
		for i := range 4 {
			all = append(all, lane{x, i})
		}
	}
	return all
}

// constants loads numbers into as few registers as hold them, and returns the lane of each.
func constants(x ...float64) []lane {
	var l []lane
	for len(x) > 0 {
		n := min(4, len(x))
		bits := make([]uint32, 4)
		for i, c := range x[:n] {
			bits[i] = math.Float32bits(float32(c))
		}
		v := free()
		at := reg()
		do("MOVD $%s, %s", global(bits), at)
		do("FMOVQ (%s), %s", at, v.f())
		generals = append(generals, at)
		l = append(l, lanes(v)[:n]...)
		x = x[n:]
	}
	return l
}

var globals = map[string]bool{}

// global returns the symbol of four words in memory.
func global(words []uint32) string {
	name := "words"
	for _, w := range words {
		name += fmt.Sprintf("_%08x", w)
	}
	name += "<>"
	if !globals[name] {
		globals[name] = true
		data.WriteString("\n")
		for i, w := range words {
			fmt.Fprintf(&data, "DATA %s+%d(SB)/4, $0x%08x\n", name, 4*i, w)
		}
		fmt.Fprintf(&data, "GLOBL %s(SB), RODATA|NOPTR, $16\n", name)
	}
	return name + "(SB)"
}
