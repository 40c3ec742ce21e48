//go:build unix

package cmd

import (
	"bufio"
	"errors"
	"os/exec"
	"syscall"
	"testing"
)

func TestSignals(t *testing.T) {
	for _, tt := range []struct {
		signal syscall.Signal
		says   string
		code   int
	}{
		{syscall.SIGINT, "stopped by interrupt\n", 130},
		{syscall.SIGTERM, "stopped by terminated\n", 143},
	} {
		p := exec.Command("stubborn")
		in, err := p.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		out, err := p.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		for _, want := range []string{"ready\n", tt.says} {
			if got, err := lines.ReadString('\n'); got != want {
				t.Fatalf("%v: said %q (%v), want %q", tt.signal, got, err, want)
			}
			p.Process.Signal(tt.signal) // the first asks it to stop, the second ends it
		}
		var exit *exec.ExitError
		if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != tt.code {
			t.Errorf("%v: %v, want exit code %d", tt.signal, err, tt.code)
		}
	}
}
