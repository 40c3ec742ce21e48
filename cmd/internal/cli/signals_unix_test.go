//go:build unix

package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// stubborn is the variable with which this test binary is beStubborn.
const stubborn = "ATTNCONV_TEST_STUBBORN"

func TestMain(m *testing.M) {
	if os.Getenv(stubborn) != "" {
		beStubborn()
		return
	}
	os.Exit(m.Run())
}

// beStubborn is a program that reports a signal to stop, and goes on.
func beStubborn() {
	ctx, release := WithSignals(context.Background())
	defer release()
	os.Stdout.WriteString("ready\n")
	<-ctx.Done()
	os.Stdout.WriteString(context.Cause(ctx).Error() + "\n")
	io.Copy(io.Discard, os.Stdin) // until the test closes it, or a second signal comes
}

// The first signal cancels the context, the second ends the program.
func TestSignals(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		signal syscall.Signal
		says   string
		code   int
	}{
		{syscall.SIGINT, "stopped by interrupt\n", 130},
		{syscall.SIGTERM, "stopped by terminated\n", 143},
	} {
		p := exec.Command(self)
		p.Env = append(os.Environ(), stubborn+"=1")
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
