package study

import (
	"testing"

	"github.com/attnconv/attnconv/run"
)

// A run is plain if it was trained from scratch for a planned number of epochs.
func TestBegan(t *testing.T) {
	for _, c := range []struct {
		status run.Status
		from   string
		plain  bool
	}{
		{run.Status{}, "", true},
		{run.Status{From: "k3f9"}, "k3f9", false},
		{run.Status{Extended: true}, "", false},
	} {
		var r Run
		if r.began(c.status); r.Value(From) != c.from || r.Plain() != c.plain {
			t.Errorf("%q, extended %v: from %q, plain %v", c.status.From, c.status.Extended, r.Value(From), r.Plain())
		}
	}
}
