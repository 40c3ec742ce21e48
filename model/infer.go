package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/model/ckpt"
)

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
