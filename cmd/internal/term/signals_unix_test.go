//go:build unix

package term

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
)

// stubborn is the variable with which this test binary is beStubborn; saving with this value, it says that it has to
// save.
const (
	stubborn = "ATTNCONV_TEST_STUBBORN"
	saving   = "saving"
)

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
	if os.Getenv(stubborn) == saving {
		Saving(ctx)
	}
	os.Stdout.WriteString("ready\n")
	<-ctx.Done()
	os.Stdout.WriteString(context.Cause(ctx).Error() + "\n")
	io.Copy(io.Discard, os.Stdin) // until the test closes it, or a second signal comes
}

// The first signal cancels the context, the second SIGINT or SIGTERM ends the program. Several SIGHUP end nothing,
// because a lost connection sends more than one.
func TestSignals(t *testing.T) {
	for _, tt := range []struct {
		signals []syscall.Signal
		says    string
		code    int
	}{
		{[]syscall.Signal{syscall.SIGINT, syscall.SIGINT}, "stopped by interrupt\n", 130},
		{[]syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, "stopped by terminated\n", 143},
		{[]syscall.Signal{syscall.SIGHUP, syscall.SIGHUP}, "stopped by hangup\n", 0},
		{[]syscall.Signal{syscall.SIGHUP, syscall.SIGTERM}, "stopped by hangup\n", 0},
		{[]syscall.Signal{syscall.SIGTERM, syscall.SIGHUP}, "stopped by terminated\n", 0},
	} {
		if slices.Contains(tt.signals, syscall.SIGHUP) && signal.Ignored(syscall.SIGHUP) {
			continue // this test runs below nohup
		}
		p, in, lines := startStubborn(t, saving, "")
		p.Process.Signal(tt.signals[0])
		if got, err := lines.ReadString('\n'); got != tt.says {
			t.Fatalf("%v: said %q (%v), want %q", tt.signals, got, err, tt.says)
		}
		p.Process.Signal(tt.signals[1])
		if tt.code == 0 {
			in.Close() // it goes on until then
		}
		if err := p.Wait(); p.ProcessState.ExitCode() != tt.code {
			t.Errorf("%v: %v, want exit code %d", tt.signals, err, tt.code)
		}
	}
}

// A command that has nothing to save ends by itself after the first signal, whatever it computes.
func TestFirstSignalEndsWhatSavesNothing(t *testing.T) {
	p, in, _ := startStubborn(t, "computing", "")
	defer in.Close() // not before it has ended
	p.Process.Signal(syscall.SIGTERM)
	if err := p.Wait(); p.ProcessState.ExitCode() != 143 {
		t.Errorf("%v, want exit code 143", err)
	}
}

// Where SIGHUP was ignored, as nohup does, it remains ignored.
func TestNohup(t *testing.T) {
	p, _, lines := startStubborn(t, saving, "trap '' HUP; ")
	p.Process.Signal(syscall.SIGHUP)
	p.Process.Signal(syscall.SIGTERM)
	if got, err := lines.ReadString('\n'); got != "stopped by terminated\n" {
		t.Errorf("said %q (%v), want to be stopped by SIGTERM only", got, err)
	}
}

// startStubborn starts beStubborn after a command of the shell, and waits until it is ready. It ends with its standard
// input.
func startStubborn(t *testing.T, how, before string) (p *exec.Cmd, in io.Closer, said *bufio.Reader) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p = exec.Command("sh", "-c", before+`exec "$0"`, self)
	p.Env = append(os.Environ(), stubborn+"="+how)
	in, err = p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		p.Wait()
	})
	said = bufio.NewReader(out)
	if got, err := said.ReadString('\n'); got != "ready\n" {
		t.Fatalf("said %q (%v), want that it is ready", got, err)
	}
	return p, in, said
}
