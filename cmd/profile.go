package cmd

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
)

// profiles are the files for go tool pprof and go tool trace, and the address where pprof may look at the program while
// it works; an empty name is none.
type profiles struct{ CPU, Memory, Trace, Live string }

func (p *profiles) flags(f flags) {
	f.text(&p.CPU, "cpuprofile", "", "FILE", "where the time goes, for go tool pprof", nil)
	f.text(&p.Memory, "memprofile", "", "FILE", "what was allocated until the end, for go tool pprof", nil)
	f.text(&p.Trace, "trace", "", "FILE", "what ran when, for go tool trace: large, so with few steps", nil)
	f.value(loopback{&p.Live}, "pprof", "", "ADDR",
		"serve profiles of the run under way, such as at localhost:6060, to this machine alone", nil)
}

// around calls what between the start and the end of the profiles.
func (p profiles) around(c *console, what func() error) (err error) {
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
			runtime.GC() // so that it is up to date
			err = errors.Join(err, pprof.Lookup("allocs").WriteTo(f, 0))
		}()
	}
	if f := files[2]; f != nil {
		if err := trace.Start(f); err != nil {
			return err
		}
		defer trace.Stop()
	}
	if p.Live != "" {
		end, err := serveProfiles(c, p.Live)
		if err != nil {
			return err
		}
		defer end()
	}
	return what()
}

// createNew opens a file that is not there yet.
func createNew(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, usagef("name another one, or remove it", "%s: the file exists", name)
	}
	return f, err
}
