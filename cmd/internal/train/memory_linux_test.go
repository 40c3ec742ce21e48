package train_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/internal/fault"
)

// A run that exceeds the memory limit of the process is refused before it begins; Go would print its stacks.
func TestLimitOfTheAddressSpace(t *testing.T) {
	dir := t.TempDir()
	attnconv := clitest.Program(t, dir)
	cmd := exec.Command("sh", "-c", `ulimit -v 3000000; exec "$@"`, "sh", attnconv, "train", "-q", "--runs", dir,
		"--data", "shapes32",
		"--preset", "smoke", "--batch", "4000", "--set", "train.eval_batch=10", "--layers", "2", "--dim", "128")
	out, err := cmd.CombinedOutput()
	if code := clitest.ExitCode(err); code != fault.Failed {
		t.Errorf("exit code %d, want %d", code, fault.Failed)
	}
	for _, want := range []string{"error: needs ",
		" GB of memory; the limit of the address space (ulimit -v 3000000) leaves ", "--batch"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("want %q, got\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "goroutine ") {
		t.Errorf("a stack:\n%s", out)
	}
	if begun, _ := filepath.Glob(filepath.Join(dir, "*", "run.json")); len(begun) > 0 {
		t.Errorf("a run was begun: %v", begun)
	}
}
