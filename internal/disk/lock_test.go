package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain also serves as a process that holds a lock until it is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("DISK_HOLD"); path != "" {
		l, err := acquire(path)
		fmt.Println(err)
		time.Sleep(time.Hour)
		runtime.KeepAlive(l)
	}
	os.Exit(m.Run())
}

func acquire(path string) (*Lock, error) {
	folder, name := Split(path)
	return folder.Acquire(name)
}

func held(path string) (bool, error) {
	folder, name := Split(path)
	return folder.Held(name)
}

// holder starts a process that holds the lock on path.
func holder(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "DISK_HOLD="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil || said != "<nil>\n" {
		t.Fatalf("the other process: %q, %v", said, err)
	}
	return cmd
}

// needLocks skips the test if the temporary folder has no locks.
func needLocks(t *testing.T) {
	t.Helper()
	l, err := acquire(filepath.Join(t.TempDir(), "x"))
	if errors.Is(err, ErrNoLocks) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
}

func TestOneOfManyAcquires(t *testing.T) {
	needLocks(t)
	for round := range 20 {
		path := filepath.Join(t.TempDir(), "lock")
		var got atomic.Int32
		var all sync.WaitGroup
		locks := make([]*Lock, 50)
		for i := range locks {
			all.Go(func() {
				var err error
				if locks[i], err = acquire(path); err == nil {
					got.Add(1)
				} else if !errors.Is(err, ErrHeld) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		runtime.KeepAlive(locks)
		if n := got.Load(); n != 1 {
			t.Fatalf("round %d: %d of 50 hold the lock", round, n)
		}
	}
}

// The kernel releases the lock of a process that ends, even if nobody waits for it (a zombie).
func TestKernelReleases(t *testing.T) {
	needLocks(t)
	path := filepath.Join(t.TempDir(), "lock")
	other := holder(t, path)
	if held, err := held(path); !held || err != nil {
		t.Errorf("held by another process: %v, %v", held, err)
	}
	if _, err := acquire(path); !errors.Is(err, ErrHeld) {
		t.Errorf("taken from a living process: %v", err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		l, err := acquire(path)
		if err == nil {
			l.Release()
			break
		}
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("10 s after the kill: %v", err)
		}
	}
	if held, err := held(path); held || err != nil {
		t.Errorf("released: %v, %v", held, err)
	}
}

// Calls of Held in a loop do not keep another process from the lock.
func TestReadersDoNotTakeTheLock(t *testing.T) {
	needLocks(t)
	path := filepath.Join(t.TempDir(), "lock")
	if held, err := held(path); held || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v, %v", held, err)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := lockShared(reader); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { reader.Close() })
	l, err := acquire(path)
	if err != nil {
		t.Fatalf("during a call of Held: %v", err)
	}
	l.Release()
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !stop.Load() {
				held(path)
			}
		})
	}
	for i := range 200 {
		l, err := acquire(path)
		if err != nil {
			t.Errorf("claim %d: %v", i, err)
			break
		}
		if held, err := held(path); !held || err != nil {
			t.Errorf("claim %d: held %v, %v", i, held, err)
		}
		l.Release()
	}
	stop.Store(true)
	readers.Wait()
}

// A lock on a file that was removed and created anew does not exclude anybody.
func TestAcquireLocksTheFileAtThePath(t *testing.T) {
	needLocks(t)
	path := filepath.Join(t.TempDir(), "lock")
	first, err := acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Release()
	if err := os.Remove(path); err != nil {
		t.Skip(err) // as on Windows
	}
	second, err := acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Release()
	if held, err := held(path); !held || err != nil {
		t.Errorf("the file that is there: %v, %v", held, err)
	}
}
