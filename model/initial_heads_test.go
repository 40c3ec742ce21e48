package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The heads of the start are those of the whole network, bit for bit; models without Gaussian heads have none.
func TestInitialHeads(t *testing.T) {
	for _, encoding := range []string{"quadratic", "quadratic-general", "content"} {
		s := Default()
		s.Encoding, s.Layers, s.Heads, s.Dim, s.FFN, s.Absolute = encoding, Equal(3), Ints{4, 9, 2}, 16, 8, "sinusoid"
		net, err := New(s, 7)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := net.Heads()
		got, err := InitialHeads(s, 7)
		if err != nil || (want == nil) != (encoding == "content") {
			t.Fatalf("%s: %v, heads %v", encoding, err, want)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", encoding, diff)
		}
	}
	s := Default()
	s.Kind = "resnet18"
	if got, err := InitialHeads(s, 7); got != nil || err != nil {
		t.Errorf("a ResNet has heads %v, %v", got, err)
	}
}
