//go:build unix

package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// child is the variable with which this test binary is a child process of a sweep.
const child = "ATTNCONV_TEST_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(child); how != "" {
		os.Exit(children[how]())
	}
	os.Exit(m.Run())
}

// children are what a child process does, and its exit code.
var children = map[string]func() int{
	"says": func() int {
		fmt.Println("to the log")
		fmt.Fprintf(os.Stderr, "warning: first\nerror: the disk is full\n  make room\n%s\n",
			strings.Join(os.Args[1:], " "))
		return 1
	},
	"saves": func() int { // as ranks do: SIGUSR1 saves, and SIGTERM leaves no time to
		told := make(chan os.Signal, 2)
		signal.Notify(told, syscall.SIGUSR1, syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "ready")
		folder := filepath.Join(os.Args[len(os.Args)-1], "checkpoints")
		if <-told == syscall.SIGTERM || os.MkdirAll(folder, 0o777) != nil ||
			os.WriteFile(filepath.Join(folder, "step-000007.ckpt"), nil, 0o666) != nil || <-told != syscall.SIGTERM {
			return 1
		}
		return 143
	},
	"waits": func() int {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "ready")
		select {
		case <-stop:
			return 143
		case <-time.After(time.Minute):
			return 0
		}
	},
}

func processes(t *testing.T, how string) *Processes {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Processes{Plan: planned(t, 2), Program: self, Args: []string{"--threads", "1"},
		Env: append(os.Environ(), child+"="+how)}
}

// A child is told which trial to train or resume, its output is in the log, and its error is the first line of its
// message.
func TestProcesses(t *testing.T) {
	var stderr bytes.Buffer
	p := processes(t, "says")
	p.Stderr = &stderr
	err := p.Train(t.Context(), 1, false, 0)
	said := (*ChildError)(nil)
	if !errors.As(err, &said) || said.Line != "the disk is full" || err.Error() != said.Line {
		t.Errorf("the error is %v", err)
	}
	if err := p.Train(t.Context(), 0, true, 0); err == nil {
		t.Error("a child that failed has no error")
	}
	for i, want := range []string{"--resume " + p.Plan.Dir(0), "-c " + p.Plan.Config(1) + " --out " + p.Plan.Dir(1)} {
		want = "train --part --runs " + p.Plan.Runs() + " --threads 1 " + want
		log, err := os.ReadFile(p.Plan.Log(i))
		if err != nil || !strings.Contains(string(log), "to the log") ||
			!slices.Contains(strings.Split(string(log), "\n"), want) {
			t.Errorf("trial %d: %v, the log is %s; want %s", i, err, log, want)
		}
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("standard error lacks %s: %s", want, stderr.String())
		}
	}
}

// When the context is done, the child gets a signal with which it can save.
func TestProcessesStop(t *testing.T) {
	p := processes(t, "waits")
	ctx, stop := context.WithCancel(t.Context())
	p.Stderr = writer(func(b []byte) { stop() }) // it is ready
	err := p.Train(ctx, 0, false, 0)
	if said := (*ChildError)(nil); !errors.As(err, &said) || !strings.Contains(err.Error(), "143") {
		t.Errorf("the child ended with %v, want exit status 143", err)
	}
}

// Ranks are started by the words of Start, have the context's deadline as theirs, and are told to save before they are
// told to stop.
func TestProcessesOfRanks(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	start := []string{shell, "-c", `echo started >&2; exec "$0" "$@"`}
	p := processes(t, "says")
	p.Start = start
	ctx, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	if err := p.Train(ctx, 0, true, 0); err == nil {
		t.Error("a child that failed has no error")
	}
	log, err := os.ReadFile(p.Plan.Log(0))
	if want := "\ntrain --runs " + p.Plan.Runs() + " --threads 1 --resume " + p.Plan.Dir(0) +
		" --time-budget 1h0m0s\n"; err != nil || !strings.HasPrefix(string(log), "started\n") ||
		!strings.Contains(string(log), want) {
		t.Errorf("%v, the log is %s; want %s", err, log, want)
	}
	p = processes(t, "saves")
	p.Start = start
	ctx, stop = context.WithCancel(t.Context())
	p.Stderr = writer(func(b []byte) {
		if strings.Contains(string(b), "ready") {
			stop()
		}
	})
	if err := p.Train(ctx, 1, false, 0); err == nil || !strings.Contains(err.Error(), "143") {
		t.Errorf("the ranks ended with %v, want exit status 143", err)
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }
