package run

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/run/event"
)

// TestMain also serves as a process that creates a run and claims it until it is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("RUN_TRAIN"); path != "" {
		d, err := CreateAt(path, info, false)
		fmt.Println(err)
		time.Sleep(time.Hour)
		d.Close()
	}
	os.Exit(m.Run())
}

// worker starts a process that has claimed a new run.
func worker(t *testing.T) (path string, process *os.Process) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RUN_TRAIN="+path)
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
	return path, cmd.Process
}

// alter changes run.json.
func alter(t *testing.T, path string, change func(*Status)) {
	t.Helper()
	s, err := readStatus(path)
	if err != nil {
		t.Fatal(err)
	}
	change(s)
	b, err := s.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(path, statusFile), b); err != nil {
		t.Fatal(err)
	}
}

// shortSilence shortens the wait for a silent process.
func shortSilence(t *testing.T) {
	before := silence
	silence = 400 * time.Millisecond
	t.Cleanup(func() { silence = before })
}

// withoutLocks simulates a file system without locks.
func withoutLocks(t *testing.T) {
	before := acquire
	acquire = func(string) (*disk.Lock, error) { return nil, disk.ErrNoLocks }
	t.Cleanup(func() { acquire = before })
	shortSilence(t)
}

func claim(path string) (*Dir, error) {
	d := &Dir{Path: path}
	if err := d.Claim(UserInput{}, Environment{}, nil); err != nil {
		return nil, err
	}
	return d, nil
}

func TestClaim(t *testing.T) {
	root := t.TempDir()
	first := create(t, root)
	second, err := Open("latest", root)
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if err := second.Claim(UserInput{}, Environment{}, nil); !errors.As(err, &busy) || busy.PID != os.Getpid() ||
		busy.Elsewhere {
		t.Fatalf("a living run was claimed: %v", err)
	}
	first.Close()
	for path, b := range map[string][]byte{
		".run.json.1-00000000.tmp": nil, "checkpoints/.step-000010.ckpt.1-00000000.tmp": []byte("torn"),
		"checkpoints/.mine.1-00000000.tmp": nil,
		"metrics.jsonl": []byte(`{"v":1,"t":"2026-11-20T23:22:58Z","ev":"warn","message":"a"}` +
			"\n" + `{"v":1,"t`),
	} {
		if err := os.WriteFile(filepath.Join(first.Path, filepath.FromSlash(path)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := second.Claim(UserInput{Args: []string{"attnconv", "train", "--resume"}}, Environment{}, nil); err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	events(t, second, event.Start{Step: 10})
	if got := text(t, first.Path, "overrides.txt"); strings.Count(got, "argv:") != 2 ||
		!strings.Contains(got, "--resume") {
		t.Errorf("overrides.txt: %s", got)
	}
	text(t, first.Path, "environment-2.json")
	left, _ := filepath.Glob(filepath.Join(first.Path, "*", ".*.tmp"))
	if len(left) != 1 || filepath.Base(left[0]) != ".mine.1-00000000.tmp" {
		t.Errorf("left: %v, want only the file that is not the run's", left)
	}
	if r, err := second.Records(); err != nil || len(r) != 2 { // the truncated line is gone, the next one is complete
		t.Errorf("%d records, %v", len(r), err)
	}
	if err := second.beatWhenDue(); err != nil {
		t.Error(err)
	}
}

// While a process lives nobody can claim its run, and once it is killed anybody can, whatever the clocks and run.json
// say, and even while the process is a zombie.
func TestClaimTrustsNoClock(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Status)
	}{
		{"as it is", func(*Status) {}},
		{"the clock was set back by an hour", func(s *Status) { s.Heartbeat = s.Heartbeat.Add(time.Hour) }},
		{"the clock was set forward by an hour", func(s *Status) { s.Heartbeat = s.Heartbeat.Add(-time.Hour) }},
		{"another host whose clock is ahead", func(s *Status) {
			s.Machine, s.Heartbeat = "other",
				s.Heartbeat.Add(2*time.Minute)
		}},
		{"another container", func(s *Status) { s.Space, s.PID = "pid:[1]", 1<<30 }},
		{"a container with the name of this machine", func(s *Status) { s.PID = 1 << 30 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, process := worker(t)
			alter(t, path, tt.change)
			if d, err := claim(path); !as[*BusyError](err) {
				t.Fatalf("a living run was claimed: %v, %v", d, err)
			}
			if list, err := List(filepath.Dir(path)); err != nil || len(list) != 1 || list[0].State != event.Running {
				t.Errorf("the list: %+v, %v", list, err)
			}
			if err := Remove(path, ""); !as[*BusyError](err) {
				t.Errorf("a living run was removed: %v", err)
			}
			if _, err := CreateAt(path, info, true); !as[*BusyError](err) {
				t.Errorf("a living run was written over: %v", err)
			}
			if err := process.Kill(); err != nil {
				t.Fatal(err)
			}
			list, err := List(filepath.Dir(path))
			for begin := time.Now(); err == nil && list[0].State == event.Running &&
				time.Since(begin) < 10*time.Second; {
				time.Sleep(time.Millisecond) // its last thread may be at its end
				list, err = List(filepath.Dir(path))
			}
			if err != nil || len(list) != 1 || list[0].State != event.Stopped || list[0].Why != "process ended" {
				t.Errorf("once killed, the list: %+v, %v", list, err)
			}
			d, err := claim(path)
			if err != nil {
				t.Fatalf("once killed: %v", err)
			}
			d.Close()
		})
	}
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// Of several concurrent claims of a run one succeeds.
func TestClaimAtOnce(t *testing.T) {
	d := create(t, t.TempDir())
	d.Close()
	for round := range 200 {
		dirs := make([]*Dir, 4)
		var got atomic.Int32
		var all sync.WaitGroup
		for i := range dirs {
			all.Go(func() {
				var err error
				if dirs[i], err = claim(d.Path); err == nil {
					got.Add(1)
				} else if !as[*BusyError](err) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, d := range dirs {
			if d != nil {
				d.Close()
			}
		}
		if n := got.Load(); n != 1 {
			t.Fatalf("round %d: %d of 4 claimed the run", round, n)
		}
	}
}

// Without locks a claim waits for heartbeats, by its own clock.
func TestClaimWithoutLocks(t *testing.T) {
	for name, change := range map[string]func(*Status){
		"recent":                   func(*Status) {},
		"a clock ahead":            func(s *Status) { s.Heartbeat = s.Heartbeat.Add(2 * time.Minute) },
		"a clock behind":           func(s *Status) { s.Heartbeat = s.Heartbeat.Add(-2 * time.Minute) },
		"another host":             func(s *Status) { s.Machine = "other" },
		"locks that it alone sees": func(s *Status) { s.Machine, s.Locked = "other", true },
	} {
		t.Run(name, func(t *testing.T) {
			withoutLocks(t)
			first := create(t, t.TempDir())
			alter(t, first.Path, change)
			stop, stopped := make(chan bool), make(chan bool)
			go func() { // as Keep, in haste
				defer close(stopped)
				for {
					select {
					case <-stop:
						return
					case <-time.After(30 * time.Millisecond):
						s, err := readStatus(first.Path)
						if err != nil {
							t.Error(err)
							return
						}
						s.Heartbeat = s.Heartbeat.Add(30 * time.Millisecond)
						b, _ := s.encode()
						WriteFile(filepath.Join(first.Path, statusFile), b)
					}
				}
			}()
			if _, err := claim(first.Path); !as[*BusyError](err) {
				t.Errorf("a living run was claimed: %v", err)
			}
			close(stop)
			<-stopped
			second, err := claim(first.Path)
			if err != nil {
				t.Fatalf("a silent run: %v", err)
			}
			defer second.Close()
			first.lastBeat = time.Time{} // the first process wakes up
			if err := first.beatWhenDue(); !errors.Is(err, ErrTaken) {
				t.Errorf("the first process can still write: %v", err)
			}
			if err := first.Event(event.End{State: event.Done}); !errors.Is(err, ErrTaken) {
				t.Errorf("the first process ends a run that is not its own: %v", err)
			}
		})
	}
}

// Also without locks, one of several concurrent claims succeeds.
func TestClaimAtOnceWithoutLocks(t *testing.T) {
	withoutLocks(t)
	was := abandoned
	abandoned = 5 * time.Second // a slow disk takes one for a claim
	defer func() { abandoned = was }()
	d := create(t, t.TempDir())
	events(t, d, event.End{State: event.Stopped})
	d.Close()
	touch(t, d.Path, claimFile) // of a process that was killed
	var got atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := claim(d.Path); err == nil {
				got.Add(1)
			} else if !as[*BusyError](err) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := got.Load(); n != 1 {
		t.Errorf("%d of 8 claimed the run", n)
	}
}

// Without locks, the claim of a living process is not taken for that of a killed one, however long it lasts.
func TestSlowClaimWithoutLocks(t *testing.T) {
	withoutLocks(t)
	was := abandoned
	abandoned = 50 * time.Millisecond
	defer func() { abandoned = was }()
	d := create(t, t.TempDir())
	events(t, d, event.End{State: event.Stopped})
	d.Close()
	if err := d.createOwn(claimFile); err != nil {
		t.Fatal(err)
	}
	claimed := make(chan error)
	go func() {
		_, err := claim(d.Path)
		claimed <- err
	}()
	select {
	case err := <-claimed:
		t.Fatalf("the claim of a living process was removed (%v)", err)
	case <-time.After(8 * abandoned):
	}
	if err := d.folder().Remove(claimFile); err != nil {
		t.Error(err)
	}
	if err := <-claimed; err != nil {
		t.Error(err)
	}
}

// A claim that fails releases the lock.
func TestClaimThatFails(t *testing.T) {
	d := create(t, t.TempDir())
	d.Close()
	file := filepath.Join(d.Path, "overrides.txt")
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := claim(d.Path); err == nil || as[*BusyError](err) {
		t.Fatalf("got %v, want the error of overrides.txt", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	second, err := claim(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// A folder that is not a run's cannot be claimed, and gets no lock file.
func TestClaimOfNoRun(t *testing.T) {
	dir := t.TempDir()
	_, err := claim(dir)
	_, tagErr := Tag(dir, []string{"a"}, nil)
	for _, err := range []error{err, tagErr, Remove(dir, "")} {
		if !as[*NotFoundError](err) {
			t.Errorf("got %v, want that there is no run", err)
		}
	}
	if left := tree(t, dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Removing the lock file does not make a run free that a process trains.
func TestClaimOfARunWhoseLockWasRemoved(t *testing.T) {
	shortSilence(t)
	path, process := worker(t)
	if err := os.Remove(filepath.Join(path, lockFile)); err != nil {
		t.Skip(err) // as on Windows
	}
	lastBeat := make(chan error)
	go func() {
		time.Sleep(silence / 4)
		s, err := readStatus(path)
		if err == nil {
			s.Heartbeat = time.Now()
			b, _ := s.encode()
			err = WriteFile(filepath.Join(path, statusFile), b)
		}
		lastBeat <- err
	}()
	if _, err := claim(path); !as[*BusyError](err) {
		t.Errorf("a living run was claimed: %v", err)
	}
	if err := <-lastBeat; err != nil {
		t.Error(err)
	}
	process.Kill()
}

// Heartbeats follow the monotonic clock.
func TestBeatAfterTheClockWasSetBack(t *testing.T) {
	d := create(t, t.TempDir())
	before := d.status.Heartbeat.Add(time.Hour)
	d.lastBeat, d.status.Heartbeat = d.lastBeat.Add(-heartbeat), before
	if err := d.beatWhenDue(); err != nil {
		t.Fatal(err)
	}
	if d.status.Heartbeat.Equal(before) {
		t.Error("no heartbeat for an hour")
	}
}

// A zombie is not alive.
func TestZombieIsNotAlive(t *testing.T) {
	_, process := worker(t)
	if !alive(process.Pid) {
		t.Error("a living process is not alive")
	}
	process.Kill()
	for begin := time.Now(); alive(process.Pid); time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("a process that was killed is alive")
		}
	}
}

func TestUnfinishedNamesTheRunThatIsAlive(t *testing.T) {
	root := t.TempDir()
	d := create(t, root)
	var busy *BusyError
	if _, err := FindUnfinished(root); !errors.As(err, &busy) || busy.Path != d.Path {
		t.Errorf("got %v", err)
	}
}
