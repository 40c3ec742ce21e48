package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/eval"
	training "github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// A trial is one run of the program whose commands only record their options.
type trial struct {
	out, err bytes.Buffer
	code     int
	train    *training.Options // what the command was run with; nil if it did not run
	eval     *eval.Options
	console  *cli.Console
}

// try runs a command line; the commands return failure.
func try(t *testing.T, ctx context.Context, failure error, args ...string) *trial {
	t.Helper()
	s := &trial{}
	env := []string{"ATTNCONV_TRAIN_MOMENTUM=0.5", "ATTNCONV_TRIAN_LR=1"}
	s.console = cli.NewConsole(strings.NewReader(""), &s.out, &s.err, env)
	args = append(args, "--data-dir", t.TempDir())
	s.code = execute(ctx, args, s.console, bodies{
		train: func(_ context.Context, _ *cli.Console, o training.Options) error { s.train = &o; return failure },
		eval:  func(_ context.Context, _ *cli.Console, o eval.Options) error { s.eval = &o; return failure },
	})
	return s
}

func TestTrainOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.yaml")
	if err := os.WriteFile(file, []byte("train: {lr: 0.5, batch: 7}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := try(t, t.Context(), nil, "train", "-c", file, "--lr", "0.25", "--heads", "9,9,4", "--augment", "none", "--set",
		"train.epochs=2", "--name", "first try", "--time-budget", "90s", "--save-every", "50", "--seed", "7")
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.err.String())
	}
	o, r := s.train, s.train.Config.Run
	got := []any{r.Preset, r.Seed, r.Data.Name, o.Set.Name, r.Train.LR, r.Train.Batch, r.Train.Epochs, r.Train.Momentum,
		r.Model.Heads.String(), len(r.Data.Augment), o.Name, o.Budget, o.Every}
	want := []any{"tiny", uint64(7), "shapes32", "shapes32", 0.25, 7, 2, 0.5,
		"9,9,4", 0, "first try", 90 * time.Second, train.Every{Steps: 50}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	origins := o.Config.Origins
	for key, want := range map[string]string{
		"train.lr": "flag --lr", "train.batch": file + ":1", "train.momentum": "env ATTNCONV_TRAIN_MOMENTUM",
		"train.epochs": "--set train.epochs", "train.optimizer": "preset small/quadratic", "model.dim": "preset tiny",
		"train.factor": "default",
	} {
		if got := origins[key].String(); got != want {
			t.Errorf("%s comes from %q, want %q", key, got, want)
		}
	}
	typed := run.Typed{Files: []string{file}, Env: []string{"ATTNCONV_TRAIN_MOMENTUM=0.5"}}
	if diff := cmp.Diff(typed, o.Typed); diff != "" {
		t.Error(diff)
	}
	warning := "warning: the environment variable ATTNCONV_TRIAN_LR sets nothing\n  did you mean ATTNCONV_TRAIN_LR?\n"
	if s.err.String() != warning {
		t.Errorf("said %q, want %q", s.err.String(), warning)
	}
}

func TestResumeLeavesTheRunItsConfiguration(t *testing.T) {
	for _, args := range [][]string{{"train", "--resume", "k3f9"}, {"train", "k3f9", "--resume"}} {
		s := try(t, t.Context(), nil, append(args, "--lr", "0.05", "--extend-epochs", "3")...)
		if s.code != 0 || !s.train.Resume || s.train.Ref != "k3f9" || s.train.Config != nil || s.train.Extend != 3 {
			t.Fatalf("%v: code %d, %+v", args, s.code, s.train)
		}
		differ, err := s.train.Sources.Differences(configs.Default())
		if err != nil || len(differ) != 2 || differ[0].Key != "train.lr" {
			t.Errorf("differences %v, %v", differ, err)
		}
	}
}

func TestBranchTakesTheOtherRunsSettings(t *testing.T) {
	s := try(t, t.Context(), nil, "train", "--from", "k3f9", "--lr", "0.05")
	if s.code != 0 || s.train.From != "k3f9" || s.train.Config != nil {
		t.Fatalf("code %d, %+v", s.code, s.train)
	}
	old := configs.Default()
	old.Data.Name, old.Train.Epochs = "shapes32", 7
	if err := s.train.Resolve(s.console, &configs.Document{Name: "k3f9", Text: old.YAML()}); err != nil {
		t.Fatal(err)
	}
	if r := s.train.Config.Run; r.Train.Epochs != 7 || r.Train.LR != 0.05 || s.train.Set.Name != "shapes32" {
		t.Errorf("got %+v", r)
	}
}

func TestFastDevRun(t *testing.T) {
	s := try(t, t.Context(), nil, "train", "--fast-dev-run", "--epochs", "2", "--quiet")
	if s.code != 0 || s.err.Len() > 0 {
		t.Fatalf("code %d: %s", s.code, s.err.String())
	}
	if o := s.train.Config.Run.Train; o.Epochs != 2 || o.TrainBatches != 2 || o.ValBatches != 1 {
		t.Errorf("%d epochs of %d steps, %d batches of validation", o.Epochs, o.TrainBatches, o.ValBatches)
	}
}

func TestDryRunNeedsNoData(t *testing.T) {
	s := try(t, t.Context(), nil, "train", "--dry-run", "--preset", "paper/quadratic")
	if s.code != 0 || s.train.Set.Train.Len() != 50_000 || s.train.Config.Run.Data.Name != "cifar10" ||
		!strings.Contains(s.err.String(), `warning: data set "cifar10" is not here yet`) {
		t.Errorf("code %d, %s", s.code, s.err.String())
	}
}

func TestVerboseSaysWhereSettingsComeFrom(t *testing.T) {
	s := try(t, t.Context(), nil, "train", "--lr", "0.25", "-v")
	if !regexp.MustCompile(`(?m)^ *train\.lr +0\.25 +flag --lr$`).MatchString(s.err.String()) ||
		strings.Contains(s.err.String(), "train.factor") {
		t.Errorf("-v says\n%s", s.err.String())
	}
	if s = try(t, t.Context(), nil, "train", "-vv"); !strings.Contains(s.err.String(), "train.factor ") {
		t.Errorf("-vv says\n%s", s.err.String())
	}
}

func TestEvalOptions(t *testing.T) {
	s := try(t, t.Context(), nil, "eval", "run.ckpt", "--split", "val", "--batch", "32", "--data", "shapes32")
	unplotted := cmpopts.IgnoreFields(eval.Options{}, "Plot")
	want := &eval.Options{Ref: "run.ckpt", Data: "shapes32"}
	want.Split, want.Batch = "val", 32
	if diff := cmp.Diff(want, s.eval, unplotted); diff != "" {
		t.Error(diff)
	}
	s = try(t, t.Context(), nil, "eval")
	want = &eval.Options{}
	want.Split = "test"
	if diff := cmp.Diff(want, s.eval, unplotted); diff != "" {
		t.Error(diff)
	}
}

func TestExitCodes(t *testing.T) {
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(cli.Stopped{Signal: syscall.SIGINT})
	terminated, cancel := context.WithCancelCause(t.Context())
	cancel(cli.Stopped{Signal: syscall.SIGTERM})
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		code int
	}{
		{"done", t.Context(), nil, 0},
		{"a full disk", t.Context(), fs.ErrPermission, 1},
		{"usage", t.Context(), cli.Usagef("", "no"), 2},
		{"setting", t.Context(), &configs.Error{Msg: "no"}, 2},
		{"invalid value", t.Context(), invalid.Errorf("model.heads", "no"), 2},
		{"two runs", t.Context(), &run.Ambiguous{}, 2},
		{"busy run", t.Context(), &run.Busy{}, 2},
		{"folder in use", t.Context(), &run.NotEmpty{Path: "here"}, 2},
		{"no data", t.Context(), &data.Missing{}, 3},
		{"no run", t.Context(), &run.NotFound{}, 3},
		{"corrupt checkpoint", t.Context(), &ckpt.Corrupt{}, 4},
		{"corrupt data", t.Context(), &data.Corrupt{}, 4},
		{"corrupt run", t.Context(), &run.Corrupt{}, 4},
		{"check", t.Context(), &cli.UnmetError{What: "no"}, 5},
		{"diverged", t.Context(), &train.Diverged{}, 6},
		{"stopped on its own", t.Context(), train.ErrStopped, 1},
		{"Ctrl-C in training", interrupted, train.ErrStopped, 130},
		{"Ctrl-C elsewhere", interrupted, context.Canceled, 130},
		{"another error after Ctrl-C", interrupted, fs.ErrPermission, 1},
		{"done in spite of Ctrl-C", interrupted, nil, 0},
		{"terminated", terminated, train.ErrStopped, 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.err
			if err != nil {
				err = fmt.Errorf("somewhere: %w", err)
			}
			s := try(t, tt.ctx, err, "eval")
			if s.code != tt.code {
				t.Errorf("exit code %d, want %d", s.code, tt.code)
			}
			if silent := s.err.Len() == 0; silent != (tt.code == 0 || tt.code > 128) {
				t.Errorf("said %q", s.err.String())
			}
		})
	}
}

func TestPanicIsOneParagraph(t *testing.T) {
	crash := func(args ...string) string {
		var out, errs bytes.Buffer
		c := cli.NewConsole(strings.NewReader(""), &out, &errs, nil)
		code := execute(t.Context(), append([]string{"eval"}, args...), c, bodies{
			eval: func(context.Context, *cli.Console, eval.Options) error { panic("boom") },
		})
		if code != 1 {
			t.Errorf("exit code %d", code)
		}
		return errs.String()
	}
	want := "error: internal error: boom\n  This is a bug in attnconv.\n" +
		"  Please report it with the output of `attnconv version` and of the same command with --debug.\n"
	if diff := cmp.Diff(want, crash()); diff != "" {
		t.Error(diff)
	}
	if s := crash("--debug"); !strings.Contains(s, "cmd_test.go") {
		t.Errorf("--debug shows no trace: %s", s)
	}
}

// brokenPipe is the standard output of "attnconv … | head -0".
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestClosedPipeIsNoError(t *testing.T) {
	var errs bytes.Buffer
	c := cli.NewConsole(strings.NewReader(""), brokenPipe{}, &errs, nil)
	if code := execute(t.Context(), []string{"version"}, c, bodies{}); code != 0 || errs.Len() > 0 {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// tree lists a command and all below it.
func tree(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		all = append(all, tree(c)...)
	}
	return all
}

// Help fits a terminal of 80 columns and shows every flag in one of its groups.
func TestHelpFits(t *testing.T) {
	root, _ := newRoot(cli.NewConsole(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, nil), bodies{})
	for _, cmd := range tree(root) {
		var b bytes.Buffer
		cli.Help(&b, cmd)
		for line := range strings.Lines(b.String()) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > 80 {
				t.Errorf("%s: wider than 80 columns: %s", cmd.Name(), line)
			}
			if trimmed := strings.TrimRight(line, " \n"); trimmed != strings.TrimSuffix(line, "\n") {
				t.Errorf("%s: spaces at the end: %q", cmd.Name(), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden && !strings.Contains(b.String(), "--"+f.Name) {
				t.Errorf("%s: no --%s", cmd.Name(), f.Name)
			}
		})
	}
}
