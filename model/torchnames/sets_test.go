package torchnames

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
)

// network is the names of a small network's tensors behind each of the paths.
func network(paths ...string) (names []string) {
	for _, p := range paths {
		for _, n := range []string{"bn1.weight", "conv1.weight", "fc.bias", "fc.weight", "layer1.0.bn1.weight",
			"layer1.0.conv1.weight", "layer1.0.conv2.weight"} {
			names = append(names, p+n)
		}
	}
	return names
}

// The set that programs evaluate is taken: averages, then the one under a usual name. Names are the parts of paths by
// which the sets differ.
func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		format string
		names  []string
		taken  string
		path   string // of the taken tensors, in front of conv1.weight
		others []string
	}{
		{"a state dict", network(""), "top", "", nil},
		{"DataParallel", network("module."), "top", "module.", nil},
		{"Lightning", append(network("state_dict.model."), "state_dict.loss.weight"), "state_dict.model", "state_dict.model.", nil},
		{"timm", network("state_dict.", "state_dict_ema."), "state_dict_ema", "state_dict_ema.", []string{"state_dict"}},
		{"DeiT", network("model.", "model_ema."), "model_ema", "model_ema.", []string{"model"}},
		{"Lightning, averaged", network("state_dict.net.", "state_dict.ema_net.module."), "ema_net", "state_dict.ema_net.module.",
			[]string{"net"}},
		{"pycls", network("model_state.", "ema_state.module."), "ema_state", "ema_state.module.", []string{"model_state"}},
		{"ema_pytorch", network("online_model.", "ema_model."), "ema_model", "ema_model.", []string{"online_model"}},
		{"averages beside the weights", network("", "ema."), "ema", "ema.", []string{"top"}},
		{"averages beside wrapped weights", network("module.", "module.ema.module."), "ema", "module.ema.module.",
			[]string{"top"}},
		{"one word", network("model.", "modelEMA."), "modelEMA", "modelEMA.", []string{"model"}},
		{"a word inside of another", network("model.", "schema."), "model", "model.", []string{"schema"}},
		{"DINO", network("student.module.backbone.", "teacher.backbone."), "teacher", "teacher.backbone.",
			[]string{"student"}},
		{"MoCo", network("state_dict.module.encoder_q.", "state_dict.module.encoder_k."), "encoder_q",
			"state_dict.module.encoder_q.", []string{"encoder_k"}},
		{"two networks, one with the usual name", network("state_dict.", "critic."), "state_dict", "state_dict.", []string{"critic"}},
		{"compiled", network("_orig_mod."), "top", "_orig_mod.", nil},
		{"a solver's state", network("model.", "optimizer.state."), "model", "model.", nil},
		{"a part with the names of a network", append(network(""), "layer1.0.layer1.0.conv1.weight"), "top", "", nil},
		{"both names in one file", network("", "module."), "", "", nil},
		{"neither is usual", network("a.", "b."), "", "", nil},
		{"several averages", network("net.", "ema_1.", "ema_2."), "", "", nil},
	} {
		set, err := Choose(tt.names, "")
		if tt.taken == "" {
			if !strings.Contains(fault.Hint(err), "--weights") {
				t.Errorf("%s: got %v, want an error with a hint", tt.format, err)
			}
			continue
		}
		if err != nil || set.Name != tt.taken || !slices.Equal(set.Others, tt.others) ||
			(set.Why == "") != (tt.others == nil) {
			t.Errorf("%s: got %+v, %v: want %s instead of %v", tt.format, set, err, tt.taken, tt.others)
			continue
		}
		of := set.Of(tt.names)
		if !of[tt.path+"conv1.weight"] || len(of) != 7 && tt.path != "" {
			t.Errorf("%s: the set has %v", tt.format, of)
		}
		for _, name := range tt.others {
			if other, err := Choose(tt.names, name); err != nil || other.Name != name || of[tt.path+"fc.bias"] ==
				other.Of(tt.names)[tt.path+"fc.bias"] {
				t.Errorf("%s: asked for %s, got %+v, %v", tt.format, name, other, err)
			}
		}
	}
	var wrong *option.Error
	if _, err := Choose(network("a.", "b."), "c"); !errors.As(err, &wrong) || wrong.Key != "weights" {
		t.Errorf("a name that is not there: %v", err)
	}
	if set, err := Choose([]string{"blocks.0.attn.qkv.weight"}, ""); set != nil || err != nil {
		t.Errorf("another network: %v, %v", set, err)
	}
	if _, err := Choose([]string{"blocks.0.attn.qkv.weight"}, "ema"); !errors.As(err, &wrong) {
		t.Errorf("another network, asked for by a name: %v", err)
	}
}

// What is taken and what is left are all that is in a file.
func TestAdoptLeavesNothingOut(t *testing.T) {
	var f ckpt.File
	for _, n := range append(network("model.", "ema.module."), "model.bn1.num_batches_tracked", "scale", "optimizer.0.exp_avg") {
		f.Tensors = append(f.Tensors, ckpt.Tensor{Name: n, Shape: []int{1}, Data: []float32{1}})
	}
	f.Skipped = []ckpt.Info{{Name: "epoch"}, {Name: "ema.decay"}, {Name: "ema.module.layer1.0.bn1.num_batches_tracked",
		Type: "LongStorage"}, {Name: "ema.module.index", Type: "I64"}}
	for name, want := range map[string][]string{
		"ema": {"set of weights: model", "tensor: scale optimizer.0.exp_avg", "object: epoch ema.decay",
			"tensor: ema.module.layer1.0.bn1.num_batches_tracked", "tensor: ema.module.index"},
		"model": {"set of weights: ema", "tensor: model.bn1.num_batches_tracked", "tensor: scale optimizer.0.exp_avg",
			"object: epoch"},
	} {
		set, err := Choose(names(f), name)
		if err != nil {
			t.Fatal(err)
		}
		weights, v := Adopt(&f, set)
		var got []string
		for _, r := range v.Left {
			got = append(got, r.What+": "+strings.Join(r.Names, " "))
		}
		if !slices.Equal(got, want) || v.Taken != 7 || len(weights) != 7 || weights[0].Name != "model.bn1.weight" {
			t.Errorf("%s: took %d, such as %s, and left %q, want %q", name, v.Taken, weights[0].Name, got, want)
		}
	}
}

func names(f ckpt.File) (all []string) {
	for _, t := range f.Tensors {
		all = append(all, t.Name)
	}
	return all
}
