package model

import "slices"

// Uses reports whether a setting, called as in YAML, has a part in the network of s: a residual network has no heads,
// and attention no width.
func (s Spec) Uses(setting string) bool {
	switch {
	case slices.Contains([]string{"kind", "classes", "image"}, setting):
		return true
	case s.isTwin():
		return slices.Contains([]string{"layers", "heads", "dim", "ffn", "pool", "dropout", "border"}, setting)
	}
	if setting == "border" {
		return false
	}
	_, residual := s.resNet()
	return residual == (setting == "width")
}
