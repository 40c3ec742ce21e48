package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/posenc"
)

// ShortName is the name of a network in lists and tables: its encoding if it is of the default kind, else its kind,
// with -heads if its convolutions are.
func ShortName(kind, encoding string) string {
	switch {
	case kind == Default().Kind:
		return cmp.Or(encoding, kind)
	case encoding != "":
		return kind + "-heads"
	}
	return kind
}

// ShortName is the name of the network in lists and tables: quadratic, resnet18, resnet18-heads.
func (s Spec) ShortName() string { return ShortName(s.Kind, s.EncodingName()) }

// NamesGaussian reports whether one of the encodings in a name of Spec.EncodingName makes heads Gaussians.
func NamesGaussian(encodings string) bool {
	return slices.ContainsFunc(strings.Split(encodings, "+"), func(name string) bool {
		k := posenc.Kinds.Find(name)
		return k != nil && k.Gaussian()
	})
}

// ShortNames lists the names of networks whose blocks are alike: the encodings, and the kinds other than the default.
func ShortNames() []string {
	names := posenc.Kinds.Names()
	for _, kind := range Kinds.Names() {
		if kind != Default().Kind {
			names = append(names, kind)
		}
	}
	return names
}
