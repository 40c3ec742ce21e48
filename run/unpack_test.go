package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

// packed is a run of two epochs, the first of which is the best.
func packed() fstest.MapFS {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"run.json": text(`{"format": 1, "id": "abcd", "name": "20261120-000000-my-run-abcd", "state": "done",
			"epoch": 2, "step": 20, "best_epoch": 1, "train_loss": null, "val_loss": null, "val_acc": 0.5,
			"test_acc": 0.5, "wall_s": 1, "img_s": 1}`),
		"metrics.jsonl": text(`{"v":1,"t":"2026-11-20T00:00:00Z","ev":"epoch","epoch":1,"step":10,"best":true}
{"v":1,"t":"2026-11-20T00:00:00Z","ev":"epoch","epoch":2,"step":20,"best":false}
`),
		"checkpoints/step-000010.ckpt": text("ten"),
		"checkpoints/step-000020.ckpt": text("twenty"),
	}
}

func TestUnpack(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	path, err := Unpack(t.Context(), root, packed())
	if err != nil || path != filepath.Join(root, "20261120-000000-my-run-abcd") {
		t.Fatalf("%s, %v", path, err)
	}
	for name, want := range map[string]string{
		"run.ckpt": "ten", "checkpoints/best.ckpt": "ten", "checkpoints/last.ckpt": "twenty",
	} {
		if got, err := os.ReadFile(filepath.Join(path, filepath.FromSlash(name))); string(got) != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
	for _, ref := range []string{"abcd", "my-run", "latest"} {
		if got, err := resolve(ref, root); err != nil || !samePlace(got, path) {
			t.Errorf("%s is %q, %v", ref, got, err)
		}
	}
	if err := Remove(path, root); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(root); err != nil || len(list) != 0 {
		t.Errorf("after its removal: %v, %v", list, err)
	}
}

// A second time the run stays, with what its owner did to it, and latest stays what it was.
func TestUnpackKeeps(t *testing.T) {
	root := t.TempDir()
	mine := create(t, root)
	if err := mine.LinkLatest(root); err != nil {
		t.Fatal(err)
	}
	path, err := Unpack(t.Context(), root, packed())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := resolve("latest", root); err != nil || !samePlace(got, mine.Path) {
		t.Errorf("latest is %q, %v", got, err)
	}
	touch(t, path, "checkpoints", "step-000010.ckpt")
	again, err := Unpack(t.Context(), root, packed())
	if again != path || !errors.Is(err, fs.ErrExist) {
		t.Errorf("%s, %v", again, err)
	}
	if b, err := os.ReadFile(filepath.Join(path, "run.ckpt")); string(b) == "ten" {
		t.Errorf("the file was written again: %v", err)
	}
}

// The folder's name comes from a file: it leads nowhere else.
func TestUnpackRefusesNames(t *testing.T) {
	for _, name := range []string{"../out", "a/b", ".hidden", ""} {
		from := packed()
		status := `{"format": 1, "id": "abcd", "state": "done", "name": "` + name + `"}`
		from["run.json"] = &fstest.MapFile{Data: []byte(status)}
		root := filepath.Join(t.TempDir(), "runs")
		if path, err := Unpack(t.Context(), root, from); err == nil {
			t.Errorf("a run called %q was written to %s", name, path)
		}
		if list, _ := os.ReadDir(filepath.Dir(root)); len(list) != 0 {
			t.Errorf("a run called %q: %v", name, list)
		}
	}
}

// A killed Unpack leaves a hidden folder: it is not listed as a run, and can be removed after an hour.
func TestKilledUnpackIsSpare(t *testing.T) {
	root := t.TempDir()
	old, young := filepath.Join(root, ".my-run.12-0123abcd.tmp"), filepath.Join(root, ".my-run.13-0123abcd.tmp")
	touch(t, old, "checkpoints", "step-000010.ckpt")
	touch(t, young, "checkpoints", "step-000010.ckpt")
	hours := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, hours, hours); err != nil {
		t.Fatal(err)
	}
	if list, err := List(root); err != nil || len(list) != 0 {
		t.Errorf("listed: %v, %v", list, err)
	}
	spares, err := Spares(root, false)
	if err != nil || len(spares) != 1 || spares[0].Path != old {
		t.Fatalf("%v, %v; want %s only", spares, err, old)
	}
	if err := spares[0].Discard(root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", old, err)
	}
}
