package cli

import (
	"os"
	"os/exec"
	"strings"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/pjrt"
)

// Self returns the path of this program, to start it as a child process.
func Self() (string, error) {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return path, nil
	}
	return os.Executable()
}

// ChildEnv removes the program's variables from an environment, except those of the kernels and of the GPU.
func ChildEnv(env []string) (kept []string) {
	for _, entry := range env {
		if !strings.HasPrefix(entry, "ATTNCONV_") || strings.HasPrefix(entry, kernel.Variable+"=") ||
			strings.HasPrefix(entry, pjrt.Variable+"=") {
			kept = append(kept, entry)
		}
	}
	return kept
}
