package eval

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/term"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestEvalOptions(t *testing.T) {
	var got *Options
	try := func(args ...string) {
		c := term.NewConsole(strings.NewReader(""), io.Discard, io.Discard, nil)
		cmd := newCommand(c, func(_ context.Context, _ *term.Console, o Options) error { got = &o; return nil })
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	unplotted := cmpopts.IgnoreFields(Options{}, "Plot")
	try("run.ckpt", "--split", "val", "--batch", "32", "--data", "shapes32", "--views", "mirror", "--precision",
		"bfloat16")
	want := &Options{Refs: []string{"run.ckpt"}, Data: "shapes32"}
	want.Split, want.Batch, want.Views, want.Precision = "val", 32, "mirror", "bfloat16"
	if diff := cmp.Diff(want, got, unplotted); diff != "" {
		t.Error(diff)
	}
	try()
	want = &Options{Refs: []string{}}
	want.Split, want.Views = "test", "one"
	if diff := cmp.Diff(want, got, unplotted); diff != "" {
		t.Error(diff)
	}
}
