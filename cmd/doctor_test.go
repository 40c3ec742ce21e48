package cmd

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/kernel"
)

func TestDoctorFinds(t *testing.T) {
	broken, corrupt := filepath.Join(t.TempDir(), "runs"), t.TempDir()
	if err := os.MkdirAll(filepath.Join(broken, "20261120-100000-x-k3f9"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(broken, "20261120-100000-x-k3f9", "run.json"),
		filepath.Join(corrupt, "cifar-10-binary.tar.gz")} {
		if err := os.WriteFile(file, []byte("{"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		check  func(context.Context, *cli.Console) (string, string)
		c      cli.Console
		status string
		says   string
	}{
		{"new folder of runs", checkRuns, cli.Console{Globals: cli.Globals{Runs: filepath.Join(t.TempDir(), "a")}}, pass, "0 runs"},
		{"unreadable run", checkRuns, cli.Console{Globals: cli.Globals{Runs: broken}}, warn, "1 of them unreadable"},
		{"no data", checkData, cli.Console{Globals: cli.Globals{DataDir: t.TempDir()}}, warn, "cifar10 is not in"},
		{"corrupt archive", checkData, cli.Console{Globals: cli.Globals{DataDir: corrupt}}, fail, "cifar-10-binary.tar.gz"},
		{"disk of a folder to come", checkDisk, cli.Console{Globals: cli.Globals{Runs: filepath.Join(t.TempDir(), "a", "b")}},
			pass, "free"},
		{"narrow terminal", checkTerminal, cli.Console{ErrWidth: func() int { return 60 }}, warn, "60 columns"},
		{"wide terminal", checkTerminal, cli.Console{ErrWidth: func() int { return 80 }}, pass, "80 columns, colour"},
	} {
		tt.c.Err = io.Discard
		status, detail := tt.check(t.Context(), &tt.c)
		if status != tt.status || !strings.Contains(detail, tt.says) {
			t.Errorf("%s: %s %s; want %s … %s …", tt.name, status, detail, tt.status, tt.says)
		}
	}
	if kernel.Name() != "generic" {
		if status, detail := checkMachine(t.Context(), &cli.Console{}); status != pass {
			t.Errorf("%s: %s", status, detail)
		}
	}
}
