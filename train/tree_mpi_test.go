//go:build linux && mpi

package train

import (
	"fmt"
	"os"
	"testing"

	"github.com/attnconv/attnconv/internal/mpi"
)

// The time that ranks take to add up a vector: mpirun -n 2 ./train.test -test.bench TreeSum -test.benchtime 20x
func BenchmarkTreeSum(b *testing.B) {
	launch, ok := mpi.DetectLaunch(os.Getenv)
	if !ok {
		b.Skip("no launcher such as mpirun")
	}
	world, err := mpi.Join(launch, os.Getenv)
	if err != nil {
		b.Fatal(err)
	}
	for _, million := range []int{1, 12} {
		b.Run(fmt.Sprintf("%dM", million), func(b *testing.B) {
			s := newTreeSum(world, world.Size())
			x := [][]float32{make([]float32, million*1_000_000)}
			for b.Loop() {
				if err := s.total(x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	if err := world.Close(); err != nil {
		b.Fatal(err)
	}
}
