//go:build mpi

package mpi

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// handles are an implementation's values of what the standard's C names are constants or addresses of.
type handles struct {
	world, float uintptr
	funneled     int32
}

// Of MPICH and its relatives, which keep one binary interface, and of the standard's version 5. Those of Open MPI are
// the addresses of its symbols.
var (
	mpich   = handles{0x44000000, 0x4c00040a, 1}
	version = handles{0x101, 0x210, 1024} // 5; untested: no release of Debian has it yet
)

const openMPIFunneled = 1

// calls are the functions of the library.
type calls struct {
	handles
	work chan func() // for the thread that MPI knows

	initThread     func(argc, argv unsafe.Pointer, required int32, provided *int32) int32
	rank, size     func(comm uintptr, n *int32) int32
	libraryVersion func(text *byte, n *int32) int32
	toAll          func(send *float32, sends int32, sendType uintptr, receive *float32, receives int32, receiveType,
		comm uintptr) int32
	gatherAll func(send *float32, sends int32, sendType uintptr, receive *float32, receives int32, receiveType,
		comm uintptr) int32
	finalizeAll func() int32
	abortAll    func(comm uintptr, code int32) int32
}

// Join loads the library that fits the launcher, or the one that the environment names, and joins the other ranks. It
// returns nil if there are none. The error is a *JoinError or a *CallError.
func Join(l Launch, getenv func(string) string) (*World, error) {
	// UCX, which MPICH may use, would take SIGSEGV from Go: a nil dereference would end the program instead of a
	// panic.
	if err := os.Setenv("UCX_ERROR_SIGNALS", ""); err != nil {
		return nil, err
	}
	c := &calls{work: make(chan func())}
	if err := c.load(l.names(getenv(Variable))); err != nil {
		return nil, err
	}
	go func() { // the thread that initializes MPI is the only one that may call it
		runtime.LockOSThread()
		for f := range c.work {
			f()
		}
	}()
	w := &World{lib: c}
	if err := c.begin(w); err != nil {
		return nil, err
	}
	if l.Size > 0 && w.size != l.Size {
		return nil, unavailable("%s joined %d ranks, and the launcher started %d: it is a launcher of another MPI\n"+
			"  the library of the launcher: %s=PATH", w.library, w.size, l.Size, Variable)
	}
	if w.size == 1 {
		return nil, c.finalize()
	}
	return w, w.countLocal()
}

// load opens the first of the libraries that is there.
func (c *calls) load(names []string) error {
	var why []string
	for _, name := range names {
		lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL) // global: for the plugins of Open MPI
		if err != nil {
			why = append(why, err.Error())
			continue
		}
		return c.bind(lib, name)
	}
	return unavailable("no MPI library: %s\n  of Debian: apt install libopenmpi3 or libmpich12   elsewhere: %s=PATH",
		strings.Join(why, "; "), Variable)
}

// bind finds the functions and the handles of a library.
func (c *calls) bind(lib uintptr, name string) error {
	for _, f := range []struct {
		name string
		at   any
	}{
		{"MPI_Init_thread", &c.initThread}, {"MPI_Comm_rank", &c.rank}, {"MPI_Comm_size", &c.size},
		{"MPI_Get_library_version", &c.libraryVersion}, {"MPI_Alltoall", &c.toAll}, {"MPI_Allgather", &c.gatherAll},
		{"MPI_Finalize", &c.finalizeAll}, {"MPI_Abort", &c.abortAll},
	} {
		at, err := purego.Dlsym(lib, f.name)
		if err != nil {
			return unavailable("%s is no MPI library: %v", name, err)
		}
		purego.RegisterFunc(f.at, at)
	}
	world, err := purego.Dlsym(lib, "ompi_mpi_comm_world")
	switch {
	case err == nil:
		float, err := purego.Dlsym(lib, "ompi_mpi_float")
		if err != nil {
			return unavailable("%s: %v", name, err)
		}
		c.handles = handles{world, float, openMPIFunneled}
	case strings.Contains(filepath.Base(name), "mpi_abi"):
		c.handles = version
	default:
		c.handles = mpich
	}
	return nil
}

// call runs f on MPI's thread.
func (c *calls) call(name string, f func() int32) error {
	done := make(chan int32, 1)
	c.work <- func() { done <- f() }
	if code := <-done; code != 0 {
		return &CallError{name, int(code)}
	}
	return nil
}

// begin initializes MPI and asks who is there.
func (c *calls) begin(w *World) error {
	var provided, rank, size, length int32
	text := make([]byte, 1<<14) // more than MPI_MAX_LIBRARY_VERSION_STRING of any
	for _, step := range []struct {
		name string
		f    func() int32
	}{
		{"MPI_Init_thread", func() int32 { return c.initThread(nil, nil, c.funneled, &provided) }},
		{"MPI_Comm_rank", func() int32 { return c.rank(c.world, &rank) }},
		{"MPI_Comm_size", func() int32 { return c.size(c.world, &size) }},
		{"MPI_Get_library_version", func() int32 { return c.libraryVersion(&text[0], &length) }},
	} {
		if err := c.call(step.name, step.f); err != nil {
			return err
		}
	}
	if provided < c.funneled {
		return unavailable("the MPI library takes no program with threads (it provides level %d, want %d)", provided,
			c.funneled)
	}
	w.rank, w.size = int(rank), int(size)
	line, _, _ := strings.Cut(string(text[:min(max(int(length), 0), len(text))]), "\n")
	w.library, _, _ = strings.Cut(line, ",")
	w.library = strings.Join(strings.Fields(strings.ReplaceAll(strings.TrimRight(w.library, "\x00"), "Version:", "")),
		" ")
	return nil
}

func (c *calls) alltoall(receive, send *float32, each int) error {
	return c.call("MPI_Alltoall", func() int32 {
		return c.toAll(send, int32(each), c.float, receive, int32(each), c.float, c.world)
	})
}

func (c *calls) allgather(all, own *float32, each int) error {
	return c.call("MPI_Allgather", func() int32 {
		return c.gatherAll(own, int32(each), c.float, all, int32(each), c.float, c.world)
	})
}

func (c *calls) finalize() error { return c.call("MPI_Finalize", c.finalizeAll) }

// abort waits a second for MPI's thread, which may be in a call that others never answer.
func (c *calls) abort(code int) {
	end := func() {
		c.abortAll(c.world, int32(code))
		os.Exit(code)
	}
	select {
	case c.work <- end:
		select {} // the process ends
	case <-time.After(time.Second):
		end()
	}
}

// names lists the libraries to try, the launcher's own first.
func (l Launch) names(path string) []string {
	abi := "libmpi_abi.so.0" // of the standard's version 5: any implementation's
	switch {
	case path != "":
		return []string{path}
	case l.openMPI:
		return []string{"libmpi.so.40", abi}
	}
	return []string{"libmpich.so.12", "libmpi.so.12", abi}
}

// hostLength is the length that a machine's name is cut or brought to.
const hostLength = 64

// countLocal sets local, by the names of the machines.
func (w *World) countLocal() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	own, all := make([]float32, hostLength), make([]float32, hostLength*w.size)
	for i, b := range []byte(host[:min(len(host), hostLength)]) {
		own[i] = float32(b)
	}
	if err := w.Gather(all, own); err != nil {
		return err
	}
	for rank := range w.size {
		same := true
		for i, v := range own {
			same = same && v == all[rank*hostLength+i]
		}
		if same {
			w.local++
		}
	}
	return nil
}
