package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/run/event"
)

// tree lists the files below dir, with slashes.
func tree(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// others are files of somebody else in a run's folder, with names similar to a run's.
var others = []string{
	"notes.txt", "environment-notes.json", "metrics.jsonl.bak", "checkpoints/mine.ckpt", "checkpoints/.mine.tmp",
	"heads/notes.json",
	"figures/paper.svg", "predictions/all.csv", "tb/notes.txt", "x.superseded", ".x.1-00000000.tmp", "sub/run.json",
}

// written are files that a run writes.
var written = []string{
	"run.json", "config.yaml", "overrides.txt", "environment.json", "environment-2.json", "uncommitted.patch",
	"uncommitted-2.patch", "metrics.jsonl",
	"metrics.jsonl.superseded",
	"epochs.csv", "summary.json", "log.jsonl", "train.log", "run.ckpt", "checkpoints/step-000010.ckpt",
	"checkpoints/last.ckpt",
	"checkpoints/epoch-001.ckpt", "checkpoints/step-000020.ckpt.superseded",
	"checkpoints/.step-000030.ckpt.7-0badcafe.tmp",
	"heads/epoch-001.json", "figures/curves.svg", "tb/events.out.tfevents.1.x", ".attnconv.lock",
}

// Force removes nothing from a folder that was never a run's, however similar the names of its files are.
func TestForceIsForRuns(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"another program's": {map[string]string{"config.yaml": "a: 1", "train.log": "x",
			"checkpoints/last.ckpt": "weights"},
			"not a run's"},
		"another program's settings": {map[string]string{"config.yaml": "a: 1", "train.log": "x"}, "not a run's"},
		"another program's run.json": {map[string]string{"run.json": `{"state":"ok"}`, "config.yaml": "a: 1"},
			"unknown state"},
		"a torn run.json": {map[string]string{"run.json": `{"format": 1,`, "config.yaml": "a: 1"},
			"want the state of a run"},
		"a lock and other things": {map[string]string{".attnconv.lock": "", "notes.txt": "x"}, "not a run's"},
		"a lock and weights": {map[string]string{".attnconv.lock": "", "checkpoints/last.ckpt": "x"},
			"not a run's"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				touch(t, dir, file)
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, dir)
			if _, err := CreateAt(dir, info, true); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			after := slices.DeleteFunc(tree(t, dir), func(file string) bool {
				return file == lockFile &&
					tt.files[lockFile] == ""
			})
			before = slices.DeleteFunc(before, func(file string) bool { return file == lockFile })
			if !slices.Equal(before, after) {
				t.Errorf("before %v, after %v", before, after)
			}
			for file, text := range tt.files {
				if b, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(b) != text {
					t.Errorf("%s: %q, %v", file, b, err)
				}
			}
		})
	}
}

// A link to a folder is as that folder: its files count.
func TestCreateAtALink(t *testing.T) {
	finished := create(t, t.TempDir())
	events(t, finished, event.End{State: event.Done})
	finished.Close()
	folder := t.TempDir()
	touch(t, folder, "config.yaml")
	for name, dir := range map[string]string{"a run": finished.Path, "another program's": folder} {
		t.Run(name, func(t *testing.T) {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(dir, link); err != nil {
				t.Skip(err)
			}
			before, config := tree(t, dir), text(t, dir, "config.yaml")
			if _, err := CreateAt(link, info, false); !as[*NotEmptyError](err) {
				t.Errorf("got %v, want that it is not empty", err)
			}
			if got := tree(t, dir); !slices.Equal(got, before) || text(t, dir, "config.yaml") != config {
				t.Errorf("before %v, after %v", before, got)
			}
		})
	}
}

// Replacing or removing a run deletes the files that it wrote, and keeps all others.
func TestOnlyWhatARunWroteIsDeleted(t *testing.T) {
	for name, remove := range map[string]func(dir string) error{
		"force":  func(dir string) error { d, err := CreateAt(dir, info, true); d.Close(); return err },
		"remove": func(dir string) error { return Remove(dir, filepath.Dir(dir)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			d, err := CreateAt(dir, info, false)
			if err != nil {
				t.Fatal(err)
			}
			events(t, d, event.End{State: event.Done})
			d.Close()
			status := text(t, dir, "run.json")
			for _, file := range slices.Concat(others, written) {
				touch(t, dir, file)
			}
			if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(status), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			left := tree(t, dir)
			for _, file := range others {
				if !slices.Contains(left, file) {
					t.Errorf("%s is gone", file)
				}
			}
			for _, file := range left {
				b, _ := os.ReadFile(filepath.Join(dir, file))
				if file != lockFile && slices.Contains(written, file) &&
					string(b) == filepath.Join(dir, filepath.FromSlash(file)) {
					t.Errorf("%s of the old run is left", file)
				}
			}
		})
	}
}

func TestSparesAreARuns(t *testing.T) {
	t.Chdir(t.TempDir())
	fake(t, "runs", 1)
	all, err := names("runs")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append([]string{"checkpoints/step-000010.ckpt"}, others...) {
		touch(t, "runs", all[0], file)
	}
	touch(t, "runs", ".mine.removed", "thesis.tex")
	if spares, err := Spares("runs", true); err != nil || len(spares) > 0 {
		t.Errorf("files that are not a run's are listed: %v, %v", spares, err)
	}
}

// A process that is killed while it creates a run leaves a folder in which another can.
func TestCreateAtAfterAKill(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{lockFile, "config.yaml", "environment.json", ".run.json.7-0badcafe.tmp"} {
		touch(t, dir, file)
	}
	for _, folder := range []string{checkpoints, headsFolder} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	d, err := CreateAt(dir, info, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := text(t, dir, "config.yaml"); got != string(info.Config) {
		t.Errorf("config.yaml: %q", got)
	}
}

// A config.yaml with a wrong digest is refused: settings cut off would silently have their defaults.
func TestConfigIsWhatWasWritten(t *testing.T) {
	long := info
	long.Config = []byte("seed: 1\nmodel:\n  dim: 16\ntrain:\n  epochs: 3\n")
	for name, tt := range map[string]struct{ text, want string }{
		"empty":     {"", "the file is empty, as a power cut"},
		"zeros":     {strings.Repeat("\x00", len(long.Config)), "not what was written"},
		"cut short": {string(long.Config[:20]), "not what was written when the run began"},
		"edited":    {strings.Replace(string(long.Config), "3", "4", 1), "not what was written"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Create(t.TempDir(), long)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if b, err := d.Config(); err != nil || string(b) != string(long.Config) {
				t.Fatalf("untouched: %q, %v", b, err)
			}
			path := filepath.Join(d.Path, "config.yaml")
			if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			opened, err := Open(d.Path, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []*Dir{d, opened, {Path: d.Path}} {
				var bad *CorruptError
				if _, err := d.Config(); !errors.As(err, &bad) || bad.Path != path ||
					!strings.Contains(bad.Reason, tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Config(); !as[*NotFoundError](err) {
				t.Errorf("missing: %v", err)
			}
		})
	}
}

// A process that is killed in Extend leaves settings that can be read.
func TestConfigOfARunThatWasBeingExtended(t *testing.T) {
	d := create(t, t.TempDir())
	longer := []byte("train: {epochs: 9}\n")
	alter(t, d.Path, func(s *Status) { s.ConfigSHA256 = append(s.ConfigSHA256, digest(longer)) })
	for _, text := range [][]byte{info.Config, longer} {
		if err := os.WriteFile(filepath.Join(d.Path, "config.yaml"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		if b, err := (&Dir{Path: d.Path}).Config(); err != nil || string(b) != string(text) {
			t.Errorf("%q: %q, %v", text, b, err)
		}
	}
	if err := d.Extend(longer); err != nil {
		t.Fatal(err)
	}
	if s, err := readStatus(d.Path); err != nil || !slices.Equal(s.ConfigSHA256, []string{digest(longer)}) {
		t.Errorf("at the end: %v, %v", s.ConfigSHA256, err)
	}
}
