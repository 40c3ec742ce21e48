package pjrt

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"github.com/attnconv/attnconv/internal/accelerator"
)

// entry is the function that returns a plugin's table of functions.
const entry = "GetPjrtApi"

// machines are ELF's processors by GOARCH.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// Check returns an *Unfit if p is no plugin for this machine. It reads the file and executes nothing in it.
func (p Plugin) Check() error {
	unfit := func(format string, args ...any) error {
		return &accelerator.PluginError{Path: p.Path, Reason: fmt.Sprintf(format, args...)}
	}
	f, err := elf.Open(p.Path)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return unfit("%v", path.Err)
	case err != nil:
		return unfit("it is no shared library")
	}
	defer f.Close()
	if want, known := machines[runtime.GOARCH]; known && f.Machine != want {
		return unfit("it is for another processor: %v, want %v", f.Machine, want)
	}
	symbols, _ := f.DynamicSymbols() // the error is that there are none
	if !slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == entry && s.Section != elf.SHN_UNDEF }) {
		return unfit("it has no function %s", entry)
	}
	return nil
}
