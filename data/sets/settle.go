package sets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
)

// replacedEnding ends the name that a set has while it is replaced where two names cannot be exchanged in one step. A
// kill at that moment leaves no set of its name; the next reader puts it back.
const replacedEnding = ".old"

// The steps of settle; variables, for tests of kills between them.
var (
	exchange = disk.Folder.Exchange
	rename   = disk.Folder.Rename
)

// settle gives the set in the folder tmp its name, and removes the set that had it.
func settle(in disk.Folder, tmp, name string) error {
	if _, err := in.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return rename(in, tmp, name)
	}
	err := exchange(in, tmp, name)
	if !errors.Is(err, errors.ErrUnsupported) {
		return errors.Join(err, in.RemoveAll(tmp))
	}
	old := tmp + replacedEnding
	if err := rename(in, name, old); err != nil {
		return err
	}
	if err := rename(in, tmp, name); err != nil {
		return errors.Join(err, rename(in, old, name))
	}
	return in.RemoveAll(old)
}

// packedAt returns the folder of the imported set called name, and whether it is there. It puts back a set whose
// replacement was cut short.
func packedAt(dir, name string) (folder string, there bool) {
	folder = filepath.Join(dir, name)
	if isPacked(folder) {
		return folder, true
	}
	in := disk.Folder(dir)
	left := leftovers(in, name, replacedEnding)
	if len(left) == 0 {
		return folder, false
	}
	lock, err := in.Acquire(lockName(name))
	if err == nil {
		restore(in, name, left)
		in.Remove(lockName(name))
		lock.Release()
	}
	return folder, isPacked(folder)
}

// restore gives a set that was to be replaced its name back, if no set has it.
func restore(in disk.Folder, name string, left []string) {
	for _, old := range left {
		if _, err := in.Lstat(name); errors.Is(err, fs.ErrNotExist) && isPacked(in.Path(old)) {
			rename(in, old, name)
		}
	}
}

// places lists the folders of imported sets where that called name may be: the data folder itself and the one of its
// name in there.
func places(dir, name string) (folders []string) {
	if isPacked(dir) {
		folders = []string{dir}
	}
	if folder, there := packedAt(dir, name); there {
		folders = append(folders, folder)
	}
	return folders
}

// leftovers lists what imports of the set called name left in the folder, with an ending after the temporary name.
func leftovers(in disk.Folder, name, ending string) (left []string) {
	list, _ := in.ReadDir(".") // of a data folder that is not there, there are none
	for _, e := range list {
		if temporary, ok := strings.CutSuffix(e.Name(), ending); ok {
			if of, ok := disk.TempOf(temporary); ok && of == name {
				left = append(left, e.Name())
			}
		}
	}
	return left
}

// lockName is the name of the lock that an import of the set called name holds.
func lockName(name string) string { return "." + name + ".lock" }

// How long an import waits for another one of the same set, and the age at which its files must be those of a killed
// one, where the file system has no locks.
const (
	patience  = 10 * time.Minute
	abandoned = time.Hour
)

// begin waits until no other process imports the set called name, and clears away what killed ones left. The other
// processes wait until release is called.
func begin(in disk.Folder, name string) (release func(), err error) {
	var lock *disk.Lock
	for start := time.Now(); lock == nil; time.Sleep(20 * time.Millisecond) {
		lock, err = in.Acquire(lockName(name))
		if errors.Is(err, disk.ErrNoLocks) {
			break
		}
		if err != nil && !errors.Is(err, disk.ErrHeld) {
			return nil, err
		}
		if err != nil && time.Since(start) > patience {
			return nil, fmt.Errorf("another process is importing %s: it holds %s", name, in.Path(lockName(name)))
		}
	}
	clearOthers(in, name)
	restore(in, name, leftovers(in, name, replacedEnding))
	for _, left := range append(leftovers(in, name, ""), leftovers(in, name, replacedEnding)...) {
		if info, err := in.Lstat(left); err == nil && (lock != nil || time.Since(info.ModTime()) > abandoned) {
			in.RemoveAll(left)
		}
	}
	return func() {
		in.Remove(lockName(name)) // before others may have it
		lock.Release()
	}, nil
}

// clearOthers removes what killed imports of other sets left: the temporary folders, with nothing in them but files of
// a set, and the locks of sets that no process imports now.
func clearOthers(in disk.Folder, name string) {
	list, _ := in.ReadDir(".") // it has just been made or read
	for _, e := range list {
		of, temporary := disk.TempOf(e.Name())
		if !temporary {
			of = strings.TrimPrefix(strings.TrimSuffix(e.Name(), ".lock"), ".")
		}
		if of == name || checkName(of) != nil || !temporary && e.Name() != lockName(of) ||
			temporary && !isUnfinished(in, e.Name()) {
			continue
		}
		lock, err := in.Acquire(lockName(of))
		info, infoErr := e.Info()
		if err == nil || errors.Is(err, disk.ErrNoLocks) && infoErr == nil && time.Since(info.ModTime()) > abandoned {
			if temporary {
				in.RemoveAll(e.Name())
			}
			in.Remove(lockName(of))
		}
		lock.Release()
	}
}

// isUnfinished reports whether a folder holds nothing but files of an imported set.
func isUnfinished(in disk.Folder, folder string) bool {
	list, err := in.ReadDir(folder)
	return err == nil && !slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		of, temporary := disk.TempOf(e.Name())
		return !slices.Contains(packedFiles, e.Name()) && !(temporary && slices.Contains(packedFiles, of))
	})
}

// packedIn lists the folders of imported sets in dir, by name.
func packedIn(dir string) []string {
	entries, _ := os.ReadDir(dir) // of a data folder that is not there, there are none
	var names []string
	for _, e := range entries {
		name := e.Name()
		if of, ok := disk.TempOf(strings.TrimSuffix(name, replacedEnding)); ok {
			name = of // a set whose replacement was cut short, perhaps
		}
		if checkName(name) != nil || slices.Contains(names, name) {
			continue
		}
		if _, there := packedAt(dir, name); there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
