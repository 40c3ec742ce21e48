package vision

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/visible"
)

// settings are what the files next to the weights say, and what the user does. Zero values are unknown.
type settings struct {
	Options
	architecture string  // timm's name of the network
	heads        int     // of config.json
	eps          float64 // of norms
	image        int     // pixels a side
	pool         string  // "token" or "avg"
	mean, std    []float64
	crop         float64
	hidden       string         // activation
	sizes        map[string]int // of the network, by the keys of config.json
}

// A document is config.json or preprocessor_config.json, of timm or of Hugging Face.
type document struct {
	Architecture string          `json:"architecture"`
	GlobalPool   string          `json:"global_pool"`
	ModelArgs    map[string]any  `json:"model_args"`
	Pretrained   *pretrained     `json:"pretrained_cfg"`
	Heads        json.RawMessage `json:"num_attention_heads"`
	Eps          float64         `json:"layer_norm_eps"`
	ImageSize    json.RawMessage `json:"image_size"`
	Activation   string          `json:"hidden_act"`
	Layers       *int            `json:"num_hidden_layers"`
	Channels     *int            `json:"hidden_size"`
	Features     *int            `json:"num_features"`
	Registers    *int            `json:"num_register_tokens"`
	Patch        json.RawMessage `json:"patch_size"`
	Window       *int            `json:"window_size"`
	Mean         []float64       `json:"image_mean"`
	Std          []float64       `json:"image_std"`
}

type pretrained struct {
	InputSize []int     `json:"input_size"`
	Mean      []float64 `json:"mean"`
	Std       []float64 `json:"std"`
	Crop      float64   `json:"crop_pct"`
}

// parse reads what is next to the weights.
func parse(o Options) (s settings, err error) {
	s.Options = o
	var config, processor document
	for _, f := range []struct {
		name string
		text []byte
		to   *document
	}{{"config.json", o.Config, &config}, {"preprocessor_config.json", o.Preprocessor, &processor}} {
		if f.text == nil {
			continue
		}
		if err := json.Unmarshal(f.text, f.to); err != nil {
			return s, fmt.Errorf("%s next to the weights: %w", f.name, err)
		}
	}
	s.architecture, s.pool, s.eps, s.hidden = config.Architecture, config.GlobalPool, config.Eps, config.Activation
	json.Unmarshal(config.Heads, &s.heads) // Swin has a list, which its tables have as well
	json.Unmarshal(config.ImageSize, &s.image)
	if n, ok := config.ModelArgs["num_heads"].(float64); ok {
		s.heads = int(n)
	}
	if n, ok := config.ModelArgs["img_size"].(float64); ok {
		s.image = int(n)
	}
	if act, ok := config.ModelArgs["act_layer"].(string); ok {
		s.hidden = act
	}
	s.sizes = map[string]int{}
	var patch *int
	json.Unmarshal(config.Patch, &patch) // a list is of patches that are not square
	for key, n := range map[string]*int{"num_hidden_layers": config.Layers, "hidden_size": config.Channels,
		"num_features": config.Features, "num_register_tokens": config.Registers, "patch_size": patch,
		"window_size": config.Window} {
		if n != nil {
			s.sizes[key] = *n
		}
	}
	if p := config.Pretrained; p != nil {
		s.mean, s.std, s.crop = p.Mean, p.Std, p.Crop
		if len(p.InputSize) == 3 && s.image == 0 && p.InputSize[1] == p.InputSize[2] {
			s.image = p.InputSize[1]
		}
	}
	if processor.Mean != nil {
		s.mean, s.std = processor.Mean, processor.Std
	}
	switch {
	case !slices.Contains([]string{"", "token", "avg"}, s.pool):
		return s, unread("the pooling %s of config.json is not read here", visible.Word(s.pool))
	case s.eps < 0 || s.eps > 1:
		return s, fmt.Errorf("config.json next to the weights: layer_norm_eps %v", s.eps)
	case len(s.mean) != len(s.std):
		return s, errors.New("the files next to the weights have another number of means than of standard deviations")
	}
	for i, v := range s.std {
		if !(v > 0 && v <= 1e3 && s.mean[i]-s.mean[i] == 0) {
			return s, fmt.Errorf("the files next to the weights normalize pixels by mean %v and deviation %v", s.mean, s.std)
		}
	}
	return s, nil
}
