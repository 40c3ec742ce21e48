package posenc_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// slope is a registered kind: scores that fall with the distance along each axis.
type slope struct {
	posenc.Encoding
	steep float64
}

type slopeOptions struct {
	Steep float64 `yaml:"steep"`
}

func slopeKind() posenc.Kind {
	return posenc.Kind{
		Name: "slope", Help: "falls with the distance", Options: &slopeOptions{Steep: 2},
		New: func(s nn.Scope, o posenc.Options) posenc.Encoding {
			s.Param("slope", nn.Const(0), o.Heads, 7)
			return slope{steep: o.Own.(*slopeOptions).Steep}
		},
	}
}

func restoreKinds(t *testing.T) {
	old := posenc.Kinds
	posenc.Kinds = slices.Clone(old)
	t.Cleanup(func() { posenc.Kinds = old })
}

func TestRegister(t *testing.T) {
	restoreKinds(t)
	posenc.Register(slopeKind())
	k := posenc.Kinds.Find("slope")
	if k == nil || !k.Registered() || posenc.Kinds.Find("quadratic").Registered() || k.Gaussian() {
		t.Fatalf("Find: %+v", k)
	}
	if e := k.Build(nn.NewScope(0), posenc.Options{Heads: 1}).(slope); e.steep != 2 {
		t.Errorf("without options of its own it is built with %v, want the default", e.steep)
	}
	if e := k.Build(nn.NewScope(0), posenc.Options{Heads: 1, Own: &slopeOptions{Steep: 5}}).(slope); e.steep != 5 {
		t.Errorf("it is built with %v, want 5", e.steep)
	}
	if name, _ := posenc.Infer(map[string]int{"slope": 2}, "quadratic", posenc.TermNames()); name != "slope" {
		t.Errorf("Infer: %s, want slope by the name of its parameter", name)
	}
}

func TestRegisterPanicsOnWrongKinds(t *testing.T) {
	restoreKinds(t)
	for want, change := range map[string]func(k *posenc.Kind){
		"posenc.Register: encoding quadratic: the name is taken": func(k *posenc.Kind) { k.Name = "quadratic" },
		`encoding "Slope": want a name`:                          func(k *posenc.Kind) { k.Name = "Slope" },
		"encoding slope: New is nil":                             func(k *posenc.Kind) { k.New = nil },
		"encoding slope: Options: want a pointer":                func(k *posenc.Kind) { k.Options = slopeOptions{} },
	} {
		k, before := slopeKind(), len(posenc.Kinds)
		change(&k)
		got := panicOf(func() { posenc.Register(k) })
		if _, isError := got.(error); !isError || !strings.Contains(fmt.Sprint(got), want) {
			t.Errorf("Register panics with %v, want an error with %q", got, want)
		}
		if len(posenc.Kinds) != before {
			t.Errorf("%s: it was registered", want)
		}
	}
}

func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
