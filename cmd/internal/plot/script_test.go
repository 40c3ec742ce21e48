package plot_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/plot"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/internal/exampleruns"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(plot.NewHeads, plot.NewMaps, plot.NewCurves, train.New), plot.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }

// Ctrl-C stops the measurement of the heads; the figure, which it precedes, is not written.
func TestHeadsStop(t *testing.T) {
	files, err := exampleruns.Open("quadratic")
	if err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	if err := os.CopyFS(filepath.Join(runs, "quad"), files); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	figure := filepath.Join(runs, "heads.svg")
	for _, kind := range []string{"contours", "maps", "layer"} {
		cmd := plot.NewHeads(term.NewConsole(os.Stdin, io.Discard, io.Discard, os.Environ()))
		cmd.SetArgs([]string{filepath.Join(runs, "quad"), "--figure", kind, "-o", figure})
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := os.Stat(figure); err == nil {
			t.Errorf("%s: written", kind)
		}
	}
}
