package compare

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/term"

	"github.com/google/go-cmp/cmp"
)

func TestOptions(t *testing.T) {
	var o *options
	var out, errs bytes.Buffer
	c := term.NewConsole(strings.NewReader(""), &out, &errs, nil)
	c.DataDir = t.TempDir()
	cmd := newCommand(c, func(_ context.Context, _ *term.Console, got options) error { o = &got; return nil })
	cmd.SetArgs([]string{"a1", "b2", "--baseline", "quadratic", "--models", "quadratic-general",
		"--seeds", "0..2,7", "--metric", "val_acc", "--reach", "0.5,0.6", "--epochs", "3", "--format", "latex",
		"--paper"})
	if err := cmd.ExecuteContext(t.Context()); err != nil || o == nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	got := []any{o.Refs, o.Baseline, o.Models, o.Seeds, o.Metric.Name, o.Levels, len(o.Sources.Flags), o.Format,
		o.Paper}
	want := []any{[]string{"a1", "b2"}, "quadratic", []string{"quadratic-general"}, []uint64{0, 1, 2, 7}, "val_acc",
		[]float64{0.5, 0.6}, 1, "latex", true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
