//go:build cgo && linux

package main

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/attnconv/attnconv/gpu/pjrt/fake"
	"github.com/attnconv/attnconv/internal/accelerator"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"attnconv": main}) }

// fakePlugin builds a plugin for a GPU that does not exist.
func fakePlugin(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the fake plugin needs gcc")
	}
	path, err := fake.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGPU runs the scripts in testdata with the fake plugin.
func TestGPU(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ATTNCONV_DATA", env.Getenv("WORK")+"/data")
			env.Setenv(accelerator.Variable, fakePlugin(t))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits CODE PROGRAM ARG... runs a program that must end with that code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	code, err := 0, ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if args[0] != strconv.Itoa(code) {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}
