package vision_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/model/ckpt"
)

// TestOfficialCounts makes official configurations from their keys and shapes. All weights share one list of ones.
func TestOfficialCounts(t *testing.T) {
	text, err := os.ReadFile("testdata/counts.json")
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		Key         string
		Shape       []int
		First, Last int // what * in Key stands for
	}
	var all map[string]struct {
		Parameters int
		Heads      any
		Keys       []key
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	var ones []float32
	for name, c := range all {
		var tensors []ckpt.Tensor
		want := c.Parameters
		for _, k := range c.Keys {
			n := 1
			for _, s := range k.Shape {
				n *= s
			}
			if strings.HasSuffix(k.Key, "mask_token") { // of pretraining; it is not used
				want -= n
			}
			if n > len(ones) {
				ones = slices.Repeat([]float32{1}, n)
			}
			for i := k.First; i <= k.Last; i++ {
				tensors = append(tensors, ckpt.Tensor{Name: strings.Replace(k.Key, "*", strconv.Itoa(i), 1),
					Shape: k.Shape,
					Data:  ones[:n:n]})
			}
		}
		o := vision.Options{}
		if strings.Contains(name, "gap") {
			o.Config = []byte(`{"architecture": "` + name + `", "global_pool": "avg"}`)
		}
		if h, ok := c.Heads.(float64); ok && !strings.HasPrefix(name, "convit") {
			o.Heads = int(h)
		}
		n, err := vision.New(tensors, o)
		switch {
		case strings.Contains(name, "clip"): // its activation is not in the file
			check(t, name, err, "CLIP")
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case n.Facts.Parameters != want:
			t.Errorf("%s: %d parameters, want %d", name, n.Facts.Parameters, want)
		}
	}
}
