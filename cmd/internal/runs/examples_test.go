package runs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
)

// examples writes the example runs into a new folder.
func examples(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "runs")
	if code, _, errs := clitest.Run("runs", "examples", "--runs", dir); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	return dir
}

// contents returns the files below a folder with their contents, and links with their targets. Hidden folders are left
// out.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if target, err := os.Readlink(path); err == nil {
			all[name] = "to " + target
			return nil
		}
		b, err := os.ReadFile(path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// top is the first folder of a path.
func top(path string) string { return strings.Split(path, string(filepath.Separator))[0] }

// The files say nothing about the machine on which they were made: no absolute path, no name of a host, no process.
func TestExamplesNameNoMachine(t *testing.T) {
	private := regexp.MustCompile(`/(tmp|home|root|Users|var|mnt)/|` +
		`"(host|data_dir|space)":|"machine": "[^"]|"pid": [1-9]`)
	all := contents(t, examples(t))
	for name, text := range all {
		if found := private.FindString(text); found != "" {
			t.Errorf("%s: %s", name, found)
		}
	}
	if len(all) < 40 {
		t.Errorf("%d files", len(all))
	}
}

// Each run takes at most 4 MB.
func TestExamplesAreSmall(t *testing.T) {
	sizes := map[string]int{}
	for name, text := range contents(t, examples(t)) {
		sizes[top(name)] += len(text)
	}
	for name, size := range sizes {
		if size > 4<<20 {
			t.Errorf("%s: %d bytes", name, size)
		}
	}
}

// Something else in the place of a run is an error, and stays.
func TestExamplesReplaceNothing(t *testing.T) {
	dir := examples(t)
	found, err := filepath.Glob(filepath.Join(dir, "*-quad"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := os.RemoveAll(found[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(found[0], []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, errs := clitest.Run("runs", "examples", "--runs", dir)
	if code != 2 || !strings.Contains(errs, found[0]+": ") || !strings.Contains(errs, "--runs DIR") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if b, err := os.ReadFile(found[0]); string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
}

// A program that is killed leaves whole runs only, and the next one writes the others.
func TestKilledExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("writes the runs many times")
	}
	want := contents(t, examples(t))
	program := clitest.Program(t, t.TempDir())
	for delay := 20 * time.Millisecond; delay < time.Second; delay = delay * 3 / 2 {
		dir := filepath.Join(t.TempDir(), "runs")
		cmd := exec.Command(program, "runs", "examples", "--runs", dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(delay)
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := os.Stat(dir); err != nil {
			continue // too early
		}
		runs := map[string]bool{} // of which something is there
		for name, text := range contents(t, dir) {
			if runs[top(name)] = true; text != want[name] {
				t.Errorf("killed after %v: %s is not whole", delay, name)
			}
		}
		for name := range want {
			if _, err := os.Lstat(filepath.Join(dir, name)); runs[top(name)] && err != nil {
				t.Errorf("killed after %v: %v", delay, err)
			}
		}
		if code, _, errs := clitest.Run("runs", "examples", "--runs", dir); code != 0 {
			t.Errorf("killed after %v: exit code %d: %s", delay, code, errs)
		}
		if got := contents(t, dir); len(got) != len(want) {
			t.Errorf("killed after %v: %d files in the end, want %d", delay, len(got), len(want))
		}
	}
}

// An interrupt ends it without a part of a run.
func TestInterruptedExamples(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no interrupts")
	}
	dir := filepath.Join(t.TempDir(), "runs")
	cmd := exec.Command(clitest.Program(t, t.TempDir()), "runs", "examples", "--runs", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 10000 { // until it writes
		if list, _ := os.ReadDir(dir); len(list) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := clitest.ExitCode(cmd.Wait()); code != 130 && code != 0 { // 0: it was faster
		t.Errorf("exit code %d", code)
	}
	hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(hidden) != 0 {
		t.Errorf("left: %v, %v", hidden, err)
	}
}
