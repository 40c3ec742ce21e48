//go:build mpi

package mpi

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// asRank is the variable with which this test binary is a rank.
const asRank = "ATTNCONV_TEST_RANK"

func TestMain(m *testing.M) {
	if os.Getenv(asRank) != "" {
		if err := beRank(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// beRank joins, and exchanges while the collector of garbage works; a nil dereference before and after panics as it
// does elsewhere.
func beRank() error {
	launch, _ := DetectLaunch(os.Getenv)
	w, err := Join(launch, os.Getenv)
	if err != nil {
		return err
	}
	defer w.Close()
	for round := range 40 {
		if round%20 == 0 && !panics() {
			return errors.New("a nil dereference does not panic")
		}
		garbage := make([][]byte, 100)
		for i := range garbage {
			garbage[i] = make([]byte, 1<<12)
		}
		if wrong := exercise(w, round); wrong != "" {
			return errors.New(wrong)
		}
		runtime.KeepAlive(garbage)
	}
	fmt.Printf("rank %d of %d, %d here: %s\n", w.Rank(), w.Size(), w.Local(), w.Library())
	return nil
}

func panics() (yes bool) {
	defer func() { yes = recover() != nil }()
	var p *World
	return p.rank == 1
}

// Two ranks of every MPI that is here.
func TestRanks(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for launcher, flags := range map[string][]string{"mpirun.openmpi": {"--oversubscribe"}, "mpirun.mpich": nil} {
		path, err := exec.LookPath(launcher)
		if err != nil {
			continue
		}
		tested++
		cmd := exec.CommandContext(t.Context(), path, append(flags, "-n", "2", self)...)
		cmd.Env = append(os.Environ(), asRank+"=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), "of 2, 2 here: ") != 2 {
			t.Errorf("%s: %v\n%s", launcher, err, out)
		}
	}
	if tested == 0 {
		t.Skip("neither mpirun.openmpi nor mpirun.mpich is here")
	}
}

// A library that is none, or not there, is an error that says so.
func TestUnavailable(t *testing.T) {
	for path, want := range map[string]string{"/nowhere/libmpi.so": "no MPI library",
		"libm.so.6": "libm.so.6 is no MPI library"} {
		_, err := Join(Launch{}, func(string) string { return path })
		if none := (*JoinError)(nil); !errors.As(err, &none) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want a JoinError with %q", path, err, want)
		}
	}
}
