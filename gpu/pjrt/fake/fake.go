// Package fake builds a PJRT plugin without a device, so that tests cover the whole path to an accelerator except the
// arithmetic. See testdata/plugin.c.
package fake

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed testdata/plugin.c
var source []byte

// The plugin's environment variables: the folder that it writes programs to, and the fault that it simulates.
const (
	Programs = "FAKE_PJRT_PROGRAMS"
	Fault    = "FAKE_PJRT_FAULT"
)

// Build compiles the plugin into the folder dir, under the name of JAX's plugin, and returns its path. It needs gcc.
func Build(dir string) (string, error) {
	header, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	if err != nil {
		return "", fmt.Errorf("the folder of go-xla, which has the header: %w", err)
	}
	file, path := filepath.Join(dir, "plugin.c"), filepath.Join(dir, "xla_cuda_plugin.so")
	if err := os.WriteFile(file, source, 0o666); err != nil {
		return "", err
	}
	gcc := exec.Command("gcc", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-o", path,
		"-I", filepath.Join(strings.TrimSpace(string(header)), "pjrt"), file)
	if out, err := gcc.CombinedOutput(); err != nil {
		return "", fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return path, nil
}
