package fault

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"
)

func TestExitCode(t *testing.T) {
	other := &exec.ExitError{}
	for name, tt := range map[string]struct {
		err  error
		want int
	}{
		"none":                  {nil, Done},
		"an error without code": {errors.New("no"), Failed},
		"wrapped":               {fmt.Errorf("x: %w", Errorf(Missing, "coded")), Missing},
		"usage":                 {fmt.Errorf("x: %w", Usagef("no %d", 7)), Usage},
		"several": {errors.Join(errors.New("no"), Errorf(Diverged, "coded"),
			fmt.Errorf("x: %w", Errorf(Check, "coded"))), Check},
		"another program's": {fmt.Errorf("x: %w", other), Failed},
		"one next to it":    {fmt.Errorf("%w: %w", other, Errorf(Corrupt, "coded")), Corrupt},
	} {
		if got := ExitCode(tt.err); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestHint(t *testing.T) {
	if got := Hint(fmt.Errorf("x: %w", WithHint(errors.New("no"), "do that"))); got != "do that" {
		t.Errorf("hint %q", got)
	}
	if got := Hint(Errorf(Failed, "coded")); got != "" {
		t.Errorf("hint %q of an error without one", got)
	}
}
