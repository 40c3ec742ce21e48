package train_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
)

// Two ranks of mpirun train one run to the bytes of one process. A program without MPI, which this test's is, says that
// it cannot.
func TestMPI(t *testing.T) {
	mpirun, err := exec.LookPath("mpirun.openmpi")
	if err != nil {
		t.Skip("mpirun.openmpi is not here")
	}
	if testing.Short() {
		t.Skip("builds the program")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "attnconv-mpi")
	build := exec.Command("go", "build", "-tags", "mpi", "-o", program, "../../attnconv")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	train := func(n, program, out string, other ...string) (string, error) {
		rank := []string{program, "train", "--data", "shapes32",
			"--preset", "tiny", "--layers", "1", "--dim", "16", "--batch", "20", "--epochs", "1",
			"--limit-train-batches", "5",
			"--limit-val-batches", "2", "--shards", "2", "--runs", dir, "--out", filepath.Join(dir, out)}
		args := append([]string{"--oversubscribe", "--bind-to", "none", "-n", n}, rank...)
		if other != nil { // one more rank, with other flags
			args = append(append(append(args, ":", "-n", "1"), rank...), other...)
		}
		cmd := exec.Command(mpirun, args...)
		cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	for _, n := range []string{"1", "2"} {
		text, err := train(n, program, n)
		if err != nil {
			t.Fatalf("%s ranks: %v\n%s", n, err, text)
		}
		if joined := strings.Contains(text, "ranks  2, joined by Open MPI"); joined != (n == "2") ||
			strings.Count(text, "test acc") != 1 {
			t.Errorf("%s ranks said\n%s", n, text)
		}
	}
	if one, two := clitest.Digest(t, filepath.Join(dir, "1")), clitest.Digest(t, filepath.Join(dir, "2")); one != two {
		t.Error("two ranks ended with other weights than one")
	}
	const want = "rank 1 and rank 0 do not agree on seed (7, and on rank 0 0), data.augment ([crop], and on rank 0 "
	if text, err := train("1", program, "other", "--seed", "7", "--augment", "crop"); err == nil ||
		!strings.Contains(text, want) {
		t.Errorf("other flags on rank 1: %v\n%s", err, text)
	}
	if text, err := train("2", clitest.Program(t, dir), "none"); err == nil ||
		!strings.Contains(text, "built without MPI") {
		t.Errorf("without MPI: %v\n%s", err, text)
	}
}
