package train

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// A trial is one command line, whose command only records its options.
type trial struct {
	train   *Options // nil: the command refused its flags
	err     error
	said    bytes.Buffer
	console *term.Console
}

// try parses the command line of train, with the global flag -v so many times; -1 is --quiet.
func try(t *testing.T, verbose int, args ...string) *trial {
	t.Helper()
	s := &trial{}
	env := []string{"ATTNCONV_TRAIN_MOMENTUM=0.5", "ATTNCONV_TRIAN_LR=1"}
	s.console = term.NewConsole(strings.NewReader(""), io.Discard, &s.said, env)
	s.console.DataDir, s.console.Verbose, s.console.Quiet = t.TempDir(), max(0, verbose), verbose < 0
	cmd := newCommand(s.console, func(_ context.Context, _ *term.Console, o Options) error {
		s.train = &o
		return nil
	})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	s.err = cmd.ExecuteContext(t.Context())
	return s
}

func TestTrainOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.yaml")
	if err := os.WriteFile(file, []byte("train: {lr: 0.5, batch: 7}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := try(t, 0, "-c", file, "--lr", "0.25", "--heads", "9,9,4", "--augment", "none", "--set",
		"train.epochs=2", "--name", "first try", "--time-budget", "90s", "--save-every", "50", "--seed", "7")
	if s.err != nil {
		t.Fatal(s.err)
	}
	o, r := s.train, s.train.Settings
	got := []any{r.Preset, r.Seed, r.Data.Name, o.Set.Name, r.Train.LR, r.Train.Batch, r.Train.Epochs, r.Train.Momentum,
		r.Model.Heads.String(), len(r.Data.Augment), o.Label, o.Budget, o.Every}
	want := []any{"tiny", uint64(7), "shapes32", "shapes32", 0.25, 7, 2, 0.5,
		"9,9,4", 0, "first try", 90 * time.Second, train.SaveInterval{Steps: 50}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	origins := o.Origins
	for key, want := range map[string]string{
		"train.lr": "flag --lr", "train.batch": file + ":1", "train.momentum": "env ATTNCONV_TRAIN_MOMENTUM",
		"train.epochs": "--set train.epochs", "train.optimizer": "preset small/quadratic", "model.dim": "preset tiny",
		"train.factor": "default",
	} {
		if got := origins[key].String(); got != want {
			t.Errorf("%s comes from %q, want %q", key, got, want)
		}
	}
	typed := run.UserInput{Files: []string{file}, Env: []string{"ATTNCONV_TRAIN_MOMENTUM=0.5"}}
	if diff := cmp.Diff(typed, o.Typed); diff != "" {
		t.Error(diff)
	}
	warning := "warning: the environment variable ATTNCONV_TRIAN_LR sets nothing\n  did you mean ATTNCONV_TRAIN_LR?\n"
	if s.said.String() != warning {
		t.Errorf("said %q, want %q", s.said.String(), warning)
	}
}

func TestResumeLeavesTheRunItsConfiguration(t *testing.T) {
	for _, args := range [][]string{{"--resume", "k3f9"}, {"k3f9", "--resume"}} {
		s := try(t, 0, append(args, "--lr", "0.05", "--extend-epochs", "3")...)
		if s.err != nil || !s.train.Resumes || s.train.Resume != "k3f9" || s.train.Set != nil || s.train.Extend != 3 {
			t.Fatalf("%v: %v, %+v", args, s.err, s.train)
		}
		differ, err := s.train.Sources.Differences(configs.Default())
		if err != nil || len(differ) != 2 || differ[0].Key != "train.lr" {
			t.Errorf("differences %v, %v", differ, err)
		}
	}
}

func TestBranchTakesTheOtherRunsSettings(t *testing.T) {
	s := try(t, 0, "--from", "k3f9", "--lr", "0.05")
	if s.err != nil || s.train.Branch != "k3f9" || s.train.Set != nil {
		t.Fatalf("%v, %+v", s.err, s.train)
	}
	old := configs.Default()
	old.Data.Name, old.Train.Epochs = "shapes32", 7
	if err := s.train.Resolve(s.console, &configs.Document{Name: "k3f9", Text: old.YAML()}); err != nil {
		t.Fatal(err)
	}
	if r := s.train.Settings; r.Train.Epochs != 7 || r.Train.LR != 0.05 || s.train.Set.Name != "shapes32" {
		t.Errorf("got %+v", r)
	}
}

func TestFastDevRun(t *testing.T) {
	s := try(t, -1, "--fast-dev-run", "--epochs", "2")
	if s.err != nil || s.said.Len() > 0 {
		t.Fatalf("%v: %s", s.err, s.said.String())
	}
	if o := s.train.Settings.Train; o.Epochs != 2 || o.TrainBatches != 2 || o.ValBatches != 1 {
		t.Errorf("%d epochs of %d steps, %d batches of validation", o.Epochs, o.TrainBatches, o.ValBatches)
	}
}

func TestDryRunNeedsNoData(t *testing.T) {
	s := try(t, 0, "--dry-run", "--preset", "paper/quadratic")
	if s.err != nil || s.train.Set.Train.Len() != 50_000 || s.train.Settings.Data.Name != "cifar10" ||
		!strings.Contains(s.said.String(), `warning: data set "cifar10" is not here yet`) {
		t.Errorf("%v, %s", s.err, s.said.String())
	}
}

func TestVerboseSaysWhereSettingsComeFrom(t *testing.T) {
	s := try(t, 1, "--lr", "0.25")
	if !regexp.MustCompile(`(?m)^ *train\.lr +0\.25 +flag --lr$`).MatchString(s.said.String()) ||
		strings.Contains(s.said.String(), "train.factor") {
		t.Errorf("-v says\n%s", s.said.String())
	}
	if s = try(t, 2); !strings.Contains(s.said.String(), "train.factor ") {
		t.Errorf("-vv says\n%s", s.said.String())
	}
}
