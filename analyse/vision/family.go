package vision

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model/ckpt"
)

// A family is networks whose files have the same names.
type family struct {
	name  string
	marks []string          // tensors of which each of its files has one
	block string            // what block %d is called
	names func() []renaming // what tensors are called here; the first that fits
	build func(f *family, w *weights, s settings) (*Network, error)

	eps       float64 // of norms
	scaledEps float64 // of networks with LayerScale; 0: eps
	mean, std []float64
	crop      float64
	twoGELU   bool        // networks without class token have GELU, or its form with tanh
	middle    bool        // a norm is between the two branches, and its result goes on
	heads     map[int]int // of channels
	// draw is how a tensor of an untrained network is drawn; nil or false: as fresh.go does
	draw func(name string, shape []int) (d drawing, ok bool)
}

// A renaming gives names that fit the pattern as a whole a new name; "" leaves a tensor out that is not used.
type renaming struct {
	pattern *regexp.Regexp
	to      string
}

// renamings are pairs of pattern and name. They are compiled when a file is read, because every command starts with
// this package.
func renamings(pairs ...string) func() []renaming {
	return sync.OnceValue(func() (all []renaming) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, renaming{regexp.MustCompile("^(?:" + pairs[i] + ")$"), pairs[i+1]})
		}
		return all
	})
}

// families are tried in this order. Another one is a file, and a line here.
var families = []*family{&swin, &convit, &timm, &torchvision, &huggingface, &compact}

// unread is an error for a network that is not read here.
func unread(format string, args ...any) error {
	return fault.WithHint(fmt.Errorf(format, args...),
		"attnconv analyse --bridge prints a Python program that measures any network")
}

// familyOf finds the family by its mark.
func familyOf(tensors []ckpt.Tensor) (*family, error) {
	names := map[string]bool{}
	for _, t := range tensors {
		names[t.Name] = true
	}
	if err := refused(tensors); err != nil {
		return nil, err
	}
	for _, f := range families {
		if slices.ContainsFunc(f.marks, func(mark string) bool { return names[mark] }) {
			return f, nil
		}
	}
	return nil, unread("no vision transformer whose names are known here")
}

// refusals are networks that are known and not read: a pattern of a name, and what they are.
var refusals = sync.OnceValue(func() (all []renaming) {
	for _, pair := range [][2]string{
		{`\.(logit_scale|cpb_mlp\..*)$`, "Swin v2, whose norms are behind its branches"},
		{`attn\.(norm|q_norm_full|ln)\.`, "a norm between attention and its output, so the layer is not a sum over heads"},
		{`attn\.(gate|g_proj)`, "a gate behind the attention, so the layer is not a sum over heads"},
		{`^blocks\.\d+\.attn\.(relative_position_bias_table|q_bias)$`, "BEiT"},
		{`^(rel_pos_bias\.|relative_position_bias\.)`, "BEiT"},
		{`(^rope_embed\.|^storage_tokens$|\.attention\.q_proj\.)`, "DINOv3, whose positions turn queries and keys"},
		{`(^|\.)resblocks\.`, "CLIP"},
		{`^stages\.\d+\.blocks\.\d+\.(attn_block|attn_grid)`, "MaxViT"},
		{`^attn_pool\.`, "attention in front of the classifier"},
	} {
		all = append(all, renaming{regexp.MustCompile(pair[0]), pair[1]})
	}
	return all
})

// refused says why a network that is known is not read.
func refused(tensors []ckpt.Tensor) error {
	for _, t := range tensors {
		for _, o := range refusals() {
			if o.pattern.MatchString(t.Name) {
				return unread("%.80q: %s, is not read here", t.Name, o.to)
			}
		}
	}
	return nil
}

// rename gives the tensors the names of weights.go.
func (f *family) rename(tensors []ckpt.Tensor) (*weights, error) {
	var renamed []ckpt.Tensor
	files := map[string]string{}
	for _, t := range tensors {
		to, ok := f.nameOf(t.Name)
		if !ok {
			return nil, unread("%s: %.80q belongs to no part of such a network", f.name, t.Name)
		}
		if to == "" {
			continue
		}
		if files[to] != "" {
			return nil, fmt.Errorf("%s: %.80q and %.80q are the same part of the network", f.name, files[to], t.Name)
		}
		files[to], t.Name = t.Name, to
		renamed = append(renamed, t)
	}
	w := newWeights(renamed)
	w.files = files
	return w, nil
}

func (f *family) nameOf(name string) (to string, ok bool) {
	for _, r := range f.names() {
		if r.pattern.MatchString(name) {
			return r.pattern.ReplaceAllString(name, r.to), true
		}
	}
	return "", false
}

var (
	imageNet = [2][]float64{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}}
	half     = [2][]float64{{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}}
	cifar10  = [2][]float64{{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}}
)
