package run

import (
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/attnconv/attnconv/run/event"
)

// FindUnfinished returns the newest run in root that can be resumed: stopped or failed. Without a checkpoint it starts
// again. If there is none but some run is being trained, the error is a *BusyError that names it.
func FindUnfinished(root string) (*Dir, error) {
	all, err := List(root)
	if err != nil {
		return nil, err
	}
	// folders of one second are in the order of their names
	slices.SortStableFunc(all, func(a, b Entry) int { return a.Status.Started.Compare(b.Status.Started) })
	var busy *BusyError
	for _, e := range slices.Backward(all) {
		if e.Err == nil && e.State == event.Running && busy == nil {
			busy = e.Status.busy(e.Path)
		}
		if e.Err == nil && (e.State == event.Stopped || e.State == event.Failed) {
			return e.Open()
		}
	}
	if busy != nil {
		return nil, busy
	}
	return nil, &NotFoundError{What: "unfinished run", Root: root}
}

// An Entry is a run in a list.
type Entry struct {
	Path   string
	Name   string // of the folder
	Status Status
	State  string // current state; see Status.Judge
	Why    string // why State differs from Status.State, or ""
	Err    error  // of reading run.json; if set, Status and State are empty
}

// Tested reports whether the run is done and its best weights have been tested.
func (e Entry) Tested() bool { return e.State == event.Done && !math.IsNaN(e.Status.TestAcc) }

// Open opens the run for reading.
func (e Entry) Open() (*Dir, error) {
	if e.Err != nil {
		return nil, e.Err
	}
	return &Dir{Path: e.Path, status: e.Status}, nil
}

// Label returns the label that the user gave a run, as it is in the name of its folder, or "".
func (e Entry) Label() string {
	m := named.FindStringSubmatch(e.Name)
	s := e.Status
	if m == nil || e.Err != nil || m[1] == (Info{Encoding: s.Encoding, Model: s.Model, Data: s.Data,
		Seed: s.Seed}).label() {
		return ""
	}
	return m[1]
}

// List returns the runs in root, oldest first. It reads one small file per run; there is no index. Folders without a
// run.json are not runs. A root that does not exist has none.
func List(root string) ([]Entry, error) {
	all, err := names(root)
	if err != nil {
		return nil, err
	}
	now, list := time.Now(), make([]Entry, len(all))
	var reading sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		reading.Go(func() {
			for i := w; i < len(all); i += workers {
				list[i] = entryAt(filepath.Join(root, all[i]), now)
			}
		})
	}
	reading.Wait()
	return slices.DeleteFunc(list, func(e Entry) bool { return errors.Is(e.Err, fs.ErrNotExist) }), nil
}

// At returns the entry of the run in the folder path, which no reference is resolved for. Without a run.json there, its
// Err is fs.ErrNotExist.
func At(path string) Entry { return entryAt(path, time.Now()) }

// entryAt returns the entry of the run in the folder path.
func entryAt(path string, now time.Time) Entry {
	e := Entry{Path: path, Name: filepath.Base(path)}
	if strings.HasPrefix(e.Name, ".") { // "." or ".."
		if whole, err := filepath.Abs(path); err == nil {
			e.Name = filepath.Base(whole)
		}
	}
	s, err := readStatus(path)
	if err != nil {
		e.Err = err
		return e
	}
	e.State, e.Why = s.Judge(now)
	e.Status = *s
	return e
}
