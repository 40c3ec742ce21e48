package train

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/attnconv/attnconv/cmd/internal/term"
)

// profiles holds the files of profiles; empty means none.
type profiles struct{ CPU, Memory, Trace string }

func (p *profiles) flags(f term.Flags) {
	f.Text(&p.CPU, "cpuprofile", "", "FILE", "CPU profile, for go tool pprof", nil)
	f.Text(&p.Memory, "memprofile", "", "FILE", "profile of all allocations, for go tool pprof", nil)
	f.Text(&p.Trace, "trace", "", "FILE", "execution trace, for go tool trace; large, so for few steps only", nil)
}

// around profiles a call of what.
func (p profiles) around(what func() error) (err error) {
	var files [3]*os.File
	for i, name := range []string{p.CPU, p.Memory, p.Trace} {
		if name == "" {
			continue
		}
		if files[i], err = createNew(name); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, files[i].Close()) }()
	}
	if f := files[0]; f != nil {
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if f := files[1]; f != nil {
		defer func() {
			runtime.GC() // updates the profile
			err = errors.Join(err, pprof.Lookup("allocs").WriteTo(f, 0))
		}()
	}
	if f := files[2]; f != nil {
		if err := trace.Start(f); err != nil {
			return err
		}
		defer trace.Stop()
	}
	return what()
}

// createNew creates a file that must not exist.
func createNew(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, term.Usagef("name another one, or remove it", "%s: the file exists", name)
	}
	return f, err
}
