package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// python makes a Python with these modules the reader's python3. It returns the modules if no Python has them all.
func (r *reader) python(modules []string) (lacks string) {
	if len(modules) == 0 {
		return ""
	}
	list := strings.Join(modules, ", ")
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err != nil || exec.CommandContext(r.ctx, path, "-c", "import "+list).Run() != nil {
			continue
		}
		call := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", path) // a virtual environment looks at its path
		if os.WriteFile(filepath.Join(r.bin, "python3"), []byte(call), 0o755) == nil {
			return ""
		}
	}
	return list
}
