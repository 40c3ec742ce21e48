package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func touch(t testing.TB, elem ...string) {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(path), 0o666); err != nil {
		t.Fatal(err)
	}
}

// resolve returns the folder of a reference's run.
func resolve(ref, root string) (string, error) {
	f, err := Lookup{Root: root}.Find(ref)
	return f.Path, err
}

func TestResolve(t *testing.T) {
	t.Chdir(t.TempDir())
	fake(t, "runs", 3)
	const a, b, c = "20261120-000000-quadratic-cifar10-s0-k000", "20261120-000001-quadratic-cifar10-s0-k001",
		"20261120-000002-quadratic-cifar10-s0-k002"
	touch(t, "runs", "notes", "readme.txt")
	touch(t, "runs", a, "checkpoints", "step-000001.ckpt")
	for _, tt := range []struct{ ref, want, err string }{
		{"k001", b, ""},
		{b, b, ""},
		{"20261120-000002", c, ""},
		{"", c, ""},
		{"latest", c, ""}, // no link: the newest
		{"runs/" + a, a, ""},
		{"./runs/" + a + "/", a, ""},
		{"runs/" + a + "/checkpoints/step-000001.ckpt", a, ""},
		{"runs/" + a + "/run.ckpt", a, ""},
		{"k00", "", "could be any of\n  " + a + "\n  " + b + "\n  " + c},
		{"k007", "", `no run "k007" in runs` + "\n" + `  did you mean "k002"?`},
		{"20261120-000001-quadratic-cifar10-s1-k001", "", "did you mean \"" + b + `"?`},
		{"notes", "", `no run "notes" in runs`},
		{"runs/notes", "", `no run "runs/notes"`},
		{"../runs", "", "no run"},
		{"zz", "", `no run "zz" in runs`},
		{"elsewhere/x.ckpt", "", `no run "elsewhere/x.ckpt"`},
	} {
		got, err := resolve(tt.ref, "runs")
		if tt.err != "" {
			var missing *NotFoundError
			var many *AmbiguousError
			if err == nil || !strings.Contains(err.Error(), tt.err) || !errors.As(err, &missing) &&
				!errors.As(err, &many) {
				t.Errorf("%q: got %q, %v; want %q", tt.ref, got, err, tt.err)
			}
		} else if err != nil || got != filepath.Join("runs", tt.want) {
			t.Errorf("%q: got %q, %v; want %q", tt.ref, got, err, tt.want)
		}
	}
}

func TestLatest(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := resolve("latest", "runs"); err == nil || err.Error() != "no run in runs" {
		t.Errorf("no runs: %v", err)
	}
	fake(t, "runs", 3)
	const first = "20261120-000000-quadratic-cifar10-s0-k000"
	d := &Dir{Path: filepath.Join("runs", first)}
	if err := d.LinkLatest("runs"); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"latest", "runs/latest"} {
		if path, err := resolve(ref, "runs"); err != nil || !sameFile(t, path, d.Path) {
			t.Errorf("%s: %s, %v", ref, path, err)
		}
	}
	if err := os.Remove("runs/latest"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("runs/latest", []byte(first+"\n"), 0o666); err != nil { // as where links are not possible
		t.Fatal(err)
	}
	for _, ref := range []string{"latest", "runs/latest"} {
		if path, err := resolve(ref, "runs"); err != nil || path != d.Path {
			t.Errorf("%s as text: %s, %v", ref, path, err)
		}
	}
	if err := os.RemoveAll(d.Path); err != nil {
		t.Fatal(err)
	}
	if path, err := resolve("latest", "runs"); err != nil || !strings.HasSuffix(path, "k002") {
		t.Errorf("the latest was deleted: %s, %v", path, err)
	}
	out := &Dir{Path: "out"} // a run outside the root
	touch(t, "out", "run.json")
	if err := out.LinkLatest("runs"); err != nil {
		t.Fatal(err)
	}
	if path, err := resolve("latest", "runs"); err != nil || !sameFile(t, path, "out") {
		t.Errorf("outside: %s, %v", path, err)
	}
}

func TestResolveCheckpoint(t *testing.T) {
	t.Chdir(t.TempDir())
	fake(t, "runs", 3)
	a, b := "runs/20261120-000000-quadratic-cifar10-s0-k000", "runs/20261120-000002-quadratic-cifar10-s0-k002"
	touch(t, a, "checkpoints", "step-000009.ckpt")
	touch(t, a, "checkpoints", "step-000010.ckpt")
	touch(t, b, "run.ckpt")
	touch(t, "mine", "weights.ckpt")
	for _, tt := range []struct{ ref, want, word, err string }{
		{"mine/weights.ckpt", "mine/weights.ckpt", "", ""},
		{"k000", a + "/checkpoints/step-000010.ckpt", "", ""},
		{"k002", b + "/run.ckpt", "", ""},
		{"latest", b + "/run.ckpt", "latest", ""},
		{"run.ckpt", b + "/run.ckpt", "latest", ""},
		{"", b + "/run.ckpt", "latest", ""},
		{"k001", "", "", "no checkpoint in runs"},
		{"mine/weigths.ckpt", "", "", `no checkpoint "mine/weigths.ckpt"` + "\n" +
			`  did you mean "mine/weights.ckpt"?`},
		{"best.ckpt", "", "", `no checkpoint "best.ckpt"`},
		{"x.safetensors", "", "", `no checkpoint "x.safetensors"`},
		{"k9", "", "", `no run "k9"`},
	} {
		got, found, err := Lookup{Root: "runs"}.FindCheckpoint(tt.ref)
		if tt.err != "" {
			var missing *NotFoundError
			if !errors.As(err, &missing) || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: got %q, %v; want %q", tt.ref, got, err, tt.err)
			}
			continue
		}
		if err != nil || filepath.ToSlash(got) != tt.want || found.Word != tt.word {
			t.Errorf("%q: got %q by %q, %v; want %q", tt.ref, got, found.Word, err, tt.want)
		}
	}
	touch(t, "run.ckpt")
	for _, ref := range []string{"run.ckpt", ""} {
		if got, found, err := (Lookup{Root: "runs"}).FindCheckpoint(ref); got != "run.ckpt" || found.Path != "" ||
			err != nil {
			t.Errorf("%q, the current folder's own: %q, %q, %v", ref, got, found.Path, err)
		}
	}
}

func TestUnfinished(t *testing.T) {
	t.Chdir(t.TempDir())
	var missing *NotFoundError
	if _, err := FindUnfinished("runs"); !errors.As(err, &missing) || err.Error() != "no unfinished run in runs" {
		t.Errorf("got %v", err)
	}
	fake(t, "runs", 5) // k001 and k003 were killed
	touch(t, "runs", "20261120-000001-quadratic-cifar10-s0-k001", "checkpoints", "step-000001.ckpt")
	d, err := FindUnfinished("runs") // k003 starts again, k004 is being trained
	if err != nil || d.Status().ID != "k003" {
		t.Errorf("got %+v, %v", d, err)
	}
}
