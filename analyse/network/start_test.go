package network

import (
	"context"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
)

// The sentences have the numbers that Measure has of the network and of its start, and say where there is no baseline.
func TestSummarize(t *testing.T) {
	net := func(seed uint64, encoding string) *model.Network {
		n, err := model.New(gaugedSpec(func(s *model.Spec) { s.Encoding = encoding }), seed)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s := Subject{Net: net(1, "quadratic"), Start: net(2, "quadratic")}
	now, err := Measure(t.Context(), Subject{Net: s.Net}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	was, err := Measure(t.Context(), Subject{Net: s.Start}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range now.Layers {
		shares.compare(nil, &now.Layers[i], was.Layers[i:i+1])
	}
	now.baseline = "before training"
	layers, heads, err := Summarize(t.Context(), s)
	if want := howMuch(*now); err != nil || layers != "In one run, o"+want[1:] {
		t.Errorf("%v\n%s\nwant\n%s", err, layers, want)
	}
	shift := func(d *Analysis, layer int) string { return tenths(float64(shiftOf(d.Layers[layer]))) }
	for _, want := range []string{"In one run, 0 of 8 heads look at one token (0 before training); heads look ",
		shift(now, 0) + " tokens away in layer 1 (" + shift(was, 0) + ") and " + shift(now, 1) + " in layer 2 (" +
			shift(was, 1) + ")."} {
		if !strings.Contains(heads, want) {
			t.Errorf("no %q in %q", want, heads)
		}
	}
	s.Start = nil
	const none = ". There is no baseline, because the start of the run is unknown."
	if layers, heads, err := Summarize(t.Context(), s); err != nil || !strings.HasSuffix(layers, none) ||
		!strings.HasSuffix(heads, none) || strings.Contains(layers+heads, "before") {
		t.Errorf("%q, %q, %v", layers, heads, err)
	}
	if layers, heads, err := Summarize(t.Context(), Subject{Net: net(1, "content")}); layers+heads != "" || err != nil {
		t.Errorf("attention that depends on the image: %q, %q, %v", layers, heads, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if layers, heads, err := Summarize(ctx, s); layers+heads != "" || err != context.Canceled {
		t.Errorf("nobody waits: %q, %q, %v", layers, heads, err)
	}
}
