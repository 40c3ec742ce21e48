//go:build xla && cgo && linux

package cmd

import (
	"os/exec"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/internal/pjrt/fake"
)

// fakePlugin builds a plugin for a GPU that does not exist.
func fakePlugin(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the fake plugin needs gcc")
	}
	path, err := fake.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGPU runs the scripts in testdata/gpu with the fake plugin.
func TestGPU(t *testing.T) {
	clitest.ScriptsIn(t, "testdata/gpu", pjrt.Variable+"="+fakePlugin(t))
}
