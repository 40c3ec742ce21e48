package fault

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"
)

type coded int

func (c coded) Error() string { return "coded" }
func (c coded) ExitCode() int { return int(c) }

type hinted struct{ error }

func (hinted) Hint() string { return "do that" }

func TestExitCode(t *testing.T) {
	other := &exec.ExitError{}
	for name, tt := range map[string]struct {
		err  error
		want int
	}{
		"none":                  {nil, Done},
		"an error without code": {errors.New("no"), Failed},
		"wrapped":               {fmt.Errorf("x: %w", coded(Missing)), Missing},
		"usage":                 {fmt.Errorf("x: %w", Usagef("no %d", 7)), Usage},
		"several": {errors.Join(errors.New("no"), coded(Diverged), fmt.Errorf("x: %w", coded(Check))),
			Check},
		"another program's": {fmt.Errorf("x: %w", other), Failed},
		"one beside it":     {fmt.Errorf("%w: %w", other, coded(Corrupt)), Corrupt},
	} {
		if got := ExitCode(tt.err); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestHint(t *testing.T) {
	if got := Hint(fmt.Errorf("x: %w", hinted{errors.New("no")})); got != "do that" {
		t.Errorf("hint %q", got)
	}
	if got := Hint(coded(Failed)); got != "" {
		t.Errorf("hint %q of an error without one", got)
	}
}
