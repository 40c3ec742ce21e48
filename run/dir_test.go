package run

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/run/event"
)

var when = time.Date(2026, 11, 20, 23, 22, 58, 112e6, time.UTC)

var info = Info{
	Preset: "tiny", Model: "mhsa", Encoding: "quadratic", Data: "cifar10", Version: "0.1",
	Config: []byte("model: {}\n"),
	Typed: UserInput{Args: []string{"attnconv", "train", "--name", "it's mine"},
		Env: []string{"ATTNCONV_THREADS=4"}},
	Environment: Environment{V: 1, Go: "go1.26"},
}

func create(t testing.TB, root string) *Dir {
	t.Helper()
	d, err := Create(root, info)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func events(t testing.TB, d *Dir, list ...event.Event) {
	t.Helper()
	for _, e := range list {
		if err := d.Event(e); err != nil {
			t.Fatal(err)
		}
	}
}

func text(t testing.TB, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCreate(t *testing.T) {
	root := filepath.Join(t.TempDir(), "deep", "runs")
	d := create(t, root)
	pattern := regexp.MustCompile(`^\d{8}-\d{6}-quadratic-cifar10-s0-[a-z][a-z0-9]{3}$`)
	if name := filepath.Base(d.Path); !pattern.MatchString(name) {
		t.Errorf("name %q", name)
	}
	if got := text(t, d.Path, "config.yaml"); got != "model: {}\n" {
		t.Errorf("config.yaml: %q", got)
	}
	if got := text(t, d.Path, "overrides.txt"); !strings.Contains(got, `argv: attnconv train --name 'it'\''s mine'`) ||
		!strings.Contains(got, "env: ATTNCONV_THREADS=4\n") {
		t.Errorf("overrides.txt: %q", got)
	}
	if path, err := resolve("latest", root); err != nil || !sameFile(t, path, d.Path) {
		t.Errorf("latest: %s, %v", path, err)
	}
	for _, name := range []string{"run.json", "environment.json"} {
		var v map[string]any
		if err := json.Unmarshal([]byte(text(t, d.Path, name)), &v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e, err := d.Environment(); err != nil || e.Go != "go1.26" {
		t.Errorf("environment %+v, %v", e, err)
	}
	if s := d.Status(); s.State != event.Running || s.PID != os.Getpid() || s.Seed != 0 || !math.IsNaN(s.ValAcc) {
		t.Errorf("status %+v", s)
	}
}

func sameFile(t testing.TB, a, b string) bool {
	t.Helper()
	x, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}

func TestLabel(t *testing.T) {
	for _, tt := range []struct {
		info Info
		want string
	}{
		{Info{Model: "mhsa", Encoding: "quadratic-general", Data: "shapes32", Seed: 3},
			"quadratic-general-shapes32-s3"},
		{Info{Model: "resnet18", Data: "/home/me/My Photos!/"}, "resnet18-my-photos-s0"},
		{Info{Model: "resnet18", Data: "x", Label: "../../etc"}, "etc"},
		{Info{Label: "..."}, "run"},
		{Info{Label: strings.Repeat("ab-", 30)}, strings.Repeat("ab-", 13) + "a"},
	} {
		if got := tt.info.label(); got != tt.want {
			t.Errorf("label of %+v is %q, want %q", tt.info, got, tt.want)
		}
	}
}

func TestCreateAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "[out]")
	d, err := CreateAt(path, info, false)
	if err != nil {
		t.Fatal(err)
	}
	var full *NotEmptyError
	if _, err := CreateAt(path, info, false); !errors.As(err, &full) || full.Path != path {
		t.Errorf("a full folder: %v", err)
	}
	var busy *BusyError
	if _, err := CreateAt(path, info, true); !errors.As(err, &busy) {
		t.Errorf("force over a living run: %v", err)
	}
	events(t, d, event.Epoch{Epoch: 1, Step: 10}, event.End{State: event.Done})
	d.Close()
	if err := os.WriteFile(filepath.Join(path, "mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	d, err = CreateAt(path, info, true)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if r, err := d.Records(); err != nil || len(r) != 0 {
		t.Errorf("the old run's records are still there: %v, %v", r, err)
	}
	text(t, path, "mine.txt")
	if s := d.Status(); s.Epoch != 0 || s.State != event.Running {
		t.Errorf("status %+v", s)
	}
}

// Of those that want the same folder at the same moment, one has it.
func TestCreateAtTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	errs := make(chan error)
	for range 8 {
		go func() {
			d, err := CreateAt(path, info, false)
			if err == nil {
				err = d.Close()
			}
			errs <- err
		}()
	}
	created := 0
	for range 8 {
		var full *NotEmptyError
		switch err := <-errs; {
		case err == nil:
			created++
		case !errors.As(err, &full) && !as[*BusyError](err):
			t.Error(err)
		}
	}
	if created != 1 {
		t.Errorf("%d have the folder", created)
	}
}

// Processes and threads that create runs at the same moment never share a folder.
func TestCreateTogether(t *testing.T) {
	if root := os.Getenv("RUN_TEST_CREATE"); root != "" {
		for range 20 {
			d, err := Create(root, info)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	root := filepath.Join(t.TempDir(), "runs")
	var children []*exec.Cmd
	for range 3 {
		c := exec.Command(os.Args[0], "-test.run=^TestCreateTogether$")
		c.Env = append(os.Environ(), "RUN_TEST_CREATE="+root)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	list, err := List(root)
	if err != nil || len(list) != 60 {
		t.Fatalf("%d runs, want 60; %v", len(list), err)
	}
	for _, e := range list {
		if e.Err != nil || e.State != event.Stopped || e.Why != "process ended" {
			t.Errorf("%s: %s %q %v", e.Name, e.State, e.Why, e.Err)
		}
	}
	if _, err := Open("latest", root); err != nil {
		t.Error(err)
	}
}

func TestCreateReadOnly(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root may write anywhere")
	}
	root := t.TempDir()
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(root, 0o755)
	if _, err := Create(root, info); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

// What cannot be finished is not left half-made.
func TestCreateCleansUp(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "latest", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(root, info); err == nil {
		t.Error("a folder called latest was replaced")
	}
	if list, _ := os.ReadDir(root); len(list) != 1 {
		t.Errorf("left: %v", list)
	}
	if _, err := Create(filepath.Join(root, "latest", "x", "\x00"), info); err == nil {
		t.Error("no error")
	}
}

func TestEventFiles(t *testing.T) {
	d := create(t, t.TempDir())
	events(t, d,
		event.Start{Steps: 20, Epochs: 2, Params: 9, Kernels: "generic"},
		event.Heads{Epoch: 0},
		event.Step{Step: 5, Epoch: 1, Loss: 2},
		event.Epoch{Epoch: 1, Step: 10, TrainLoss: 1.5, ValAcc: 0.25, ValLoss: math.NaN(), WallS: 2, Best: true},
		event.Heads{Epoch: 1},
		event.Epoch{Epoch: 2, Step: 20, TrainLoss: 1.25, ValAcc: 0.125, WallS: 3}, event.Eval{Split: "test", Acc: 0.5})
	want := "epoch,step,train_loss,train_acc,val_loss,val_acc,lr,img_s,wall_s,best\n" +
		"1,10,1.5,0,,0.25,0,0,2,true\n2,20,1.25,0,0,0.125,0,0,3,false\n"
	if got := text(t, d.Path, "epochs.csv"); got != want {
		t.Errorf("epochs.csv\n%s\nwant\n%s", got, want)
	}
	if got := text(t, d.Path, "heads", "epoch-001.json"); !strings.Contains(got, `"ev":"heads","epoch":1`) {
		t.Errorf("heads: %s", got)
	}
	events(t, d, event.End{State: event.Done, Step: 20})
	opened, err := Open(d.Path, "")
	if err != nil {
		t.Fatal(err)
	}
	s := opened.Status()
	if s.State != event.Done || s.Epoch != 2 || s.Epochs != 2 || s.ValAcc != 0.25 || s.BestEpoch != 1 ||
		s.TestAcc != 0.5 ||
		s.WallS != 5 || s.Kernels != "generic" || s.Ended.IsZero() || !math.IsNaN(s.ValLoss) {
		t.Errorf("status %+v", s)
	}
	if err := opened.Event(event.Warn{Message: "x"}); err == nil {
		t.Error("a run opened to be read was written")
	}
	if r, err := opened.Records(); err != nil || len(r) != 8 {
		t.Errorf("%d records, %v", len(r), err)
	}
}

// epochs.csv has eight digits of every value: enough for a plot and for a comparison of losses.
func TestEpochsKeepTheirDigits(t *testing.T) {
	d := create(t, t.TempDir())
	e := event.Epoch{Epoch: 1, Step: 10, TrainLoss: 1.23456789, TrainAcc: 0.43218765, ValLoss: 2.3456789e-5,
		ValAcc: 1. / 3, LR: 0.00123456789, ImgS: 12345.678, WallS: 98765.432}
	events(t, d, e)
	_, line, _ := strings.Cut(text(t, d.Path, "epochs.csv"), "\n")
	cells := strings.Split(line, ",")
	for i, want := range []float64{e.TrainLoss, e.TrainAcc, e.ValLoss, e.ValAcc, e.LR, e.ImgS, e.WallS} {
		got, err := strconv.ParseFloat(cells[2+i], 64)
		if err != nil || math.Abs(got-want) > 1e-7*want {
			t.Errorf("column %d is %v, want %v (%v)", 3+i, got, want, err)
		}
	}
}

func TestKeep(t *testing.T) {
	d := create(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Keep(ctx); err != nil {
		t.Error(err)
	}
}
