//go:build unix

package sets

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/disk"
)

// aVersion is one of several sets that are imported under one name.
func aVersion(t *testing.T, v byte) *data.Set {
	t.Helper()
	s := filled(t, small)
	s.Name, s.Train.Pixels[0] = "", v
	return finish(s)
}

// importVersion imports a version as mine and replaces the one that is there.
func importVersion(t *testing.T, dir string, v byte) {
	t.Helper()
	if _, err := Import(aVersion(t, v), Source{}, "x", dir, "mine", true); err != nil {
		t.Fatal(err)
	}
}

// TestImportChild is the program that the tests below kill: it imports versions 1, 2, … until it is killed, or kills
// itself at a step.
func TestImportChild(t *testing.T) {
	dir, step := os.Getenv("DATA_IMPORT_DIR"), 0
	if dir == "" {
		t.Skip("not started by another test")
	}
	fmt.Sscan(os.Getenv("DATA_IMPORT_STEP"), &step)
	tick := func() {
		if step--; step == 0 { // never, if it was 0
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	move, swap := rename, exchange
	rename = func(in disk.Folder, from, to string) error {
		tick()
		defer tick()
		return move(in, from, to)
	}
	exchange = func(in disk.Folder, a, b string) error {
		if os.Getenv("DATA_IMPORT_EXCHANGE") == "no" {
			return errors.ErrUnsupported
		}
		tick()
		defer tick()
		return swap(in, a, b)
	}
	for v, forever := byte(1), step == 0; v == 1 || forever; v++ {
		importVersion(t, dir, v)
	}
}

// importUntilKilled runs TestImportChild and kills it after a time, if that is not 0.
func importUntilKilled(t *testing.T, after time.Duration, env ...string) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestImportChild$")
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		time.AfterFunc(after, func() { cmd.Process.Kill() })
	}
	err := cmd.Wait()
	exit := (*exec.ExitError)(nil)
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != -1) {
		t.Fatalf("the program failed by itself: %v", err)
	}
	return err != nil
}

// wantWhole fails the test unless a whole set of that name is there: listed, found and opened with the digest that it
// claims.
func wantWhole(t *testing.T, dir string) {
	t.Helper()
	s, err := Open(data.Options{Name: "mine"}, dir)
	if err != nil || s.Name != "mine" {
		t.Fatalf("the set: %v", err)
	}
	if found, err := find(dir, "mine"); err != nil || len(found) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
}

// wantTidy fails the test if anything but the set is in the data folder.
func wantTidy(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != "mine" {
		t.Errorf("left: %v, %v; want the set alone", list, err)
	}
}

// A replacement that is killed before or after any of its steps leaves the old set or the new one, and what it leaves
// besides is gone after the next.
func TestReplacementSurvivesAKillAtEachStep(t *testing.T) {
	for _, exchanges := range []string{"yes", "no"} {
		dir := t.TempDir()
		importVersion(t, dir, 100)
		step := 1
		for ; importUntilKilled(t, 0, "DATA_IMPORT_DIR="+dir, "DATA_IMPORT_EXCHANGE="+exchanges,
			fmt.Sprint("DATA_IMPORT_STEP=", step)); step++ {
			if list, err := Stores(dir); err != nil || len(list) != 1 { // first: it must not need Open to be put back
				t.Errorf("exchange %s, step %d: listed %v, %v", exchanges, step, list, err)
			}
			wantWhole(t, dir)
		}
		if want := map[string]int{"yes": 3, "no": 5}[exchanges]; step != want {
			t.Errorf("exchange %s: %d kills, want %d", exchanges, step-1, want-1)
		}
		importVersion(t, dir, 101)
		wantTidy(t, dir)
	}
}

// The same, killed by another process at any moment, also while it writes.
func TestReplacementSurvivesKills(t *testing.T) {
	dir := t.TempDir()
	importVersion(t, dir, 100)
	for range 6 {
		wait := 20*time.Millisecond + time.Duration(rand.Int64N(int64(100*time.Millisecond)))
		if !importUntilKilled(t, wait, "DATA_IMPORT_DIR="+dir) {
			t.Fatal("it ended by itself")
		}
		wantWhole(t, dir)
	}
	importVersion(t, dir, 101)
	wantTidy(t, dir)
}

// The next import of any set removes what a killed one left of another, and nothing else.
func TestImportClearsAfterKilledOnes(t *testing.T) {
	dir := t.TempDir()
	dead, other, alive := ".q.12345-0123abcd.tmp", ".notes.12345-0123abcd.tmp", ".busy.12345-0123abcd.tmp"
	for _, name := range []string{dead + "/train.bin", dead + "/.test.bin.7-0123abcd.tmp", ".q.lock",
		other + "/my file", alive + "/train.bin", ".mine too.lock", ".x.lock.txt"} {
		write(t, filepath.Join(dir, name), []byte("x"))
	}
	lock, err := disk.Folder(dir).Acquire(lockName("busy"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	importVersion(t, dir, 7)
	wantWhole(t, dir)
	for name, want := range map[string]bool{dead: false, ".q.lock": false, other + "/my file": true,
		alive + "/train.bin": true, ".busy.lock": true, ".mine too.lock": true, ".x.lock.txt": true} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}
}

// What version 0.13 left when it was killed between its renames comes back.
func TestSetOfAnEarlierVersionComesBack(t *testing.T) {
	dir := t.TempDir()
	importVersion(t, dir, 7)
	if err := os.Rename(filepath.Join(dir, "mine"), filepath.Join(dir, ".mine.123-0123abcd.tmp.old")); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, dir)
	wantTidy(t, dir)
}

// Removing a set whose folder is a link removes the link, and nothing behind it.
func TestRemoveFollowsNoLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	importVersion(t, elsewhere, 7)
	if err := os.Symlink(filepath.Join(elsewhere, "mine"), filepath.Join(dir, "mine")); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, dir) // reading follows it
	found, err := find(dir, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if err := found[0].Remove(); err != nil {
		t.Error(err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
	wantWhole(t, elsewhere)
}

// The one check of names also holds for sets.
func TestNamesOfSets(t *testing.T) {
	for _, name := range []string{"", "-rf", ".hidden", "a/b", "a\nb", "Big", "two words", strings.Repeat("a", 65)} {
		if checkName(name) == nil {
			t.Errorf("%q is a name", name)
		}
	}
}
