package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/option"
)

func TestSurgeryRefused(t *testing.T) {
	for _, tt := range []struct{ encoding, text, want string }{
		{"quadratic", "prune", "want prune, reset, freeze"}, {"quadratic", "burn heads:1", "want prune, reset, freeze"},
		{"quadratic", "prune heads:1 before 3", "want prune, reset, freeze"},
		{"quadratic", "prune heads:1  after 2", `before training only; want "prune heads:1", or`},
		{"quadratic", "prune value.weight", "the rules are degenerate"},
		{"quadratic", "prune heads:unifrom", "the rules are degenerate"},
		{"quadratic", "prune heads:3", "with layers 1 to 2"}, {"quadratic", "prune heads:1.4", "heads 1 to 3"},
		{"quadratic", "prune heads:least", "heads:least*N"}, {"quadratic", "prune heads:least*0", "heads:least*N"},
		{"quadratic", "prune heads:uniform*2", "no number"},
		{"learned", "prune heads:degenerate", "no block of this network has Gaussian heads; want"},
		{"content-only", "prune heads:outside", "no block of this network has Gaussian heads; want"},
		{"learned", "reset heads:1.2", "share parameters"}, {"learned", "freeze heads:uniform", "share parameters"},
	} {
		s := small()
		s.Encoding = tt.encoding
		var bad *option.Error
		if err := s.CheckSurgery([]string{tt.text}); !errors.As(err, &bad) || bad.Key != "train.surgery" ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %q: %v; want an error with %q", tt.encoding, tt.text, err, tt.want)
		}
	}
	s := small()
	s.Encoding = "learned"
	good := []string{"prune heads:1.2", "prune heads:uniform", "reset heads:1"}
	if err := s.CheckSurgery(good); err != nil {
		t.Error(err)
	}
}
