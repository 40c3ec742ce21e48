package term

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/mpi"
	"github.com/attnconv/attnconv/internal/table"
)

// UseCores applies --threads and the choice of kernels, and warns of more threads than cores.
func (c *Console) UseCores() error {
	switch cores := runtime.NumCPU(); {
	case c.Threads > threads.Most:
		return Usagef(fmt.Sprintf("this process may use %s", table.Count(cores, "core")), "--threads %d: want 1 to %s",
			c.Threads, table.Thousands(threads.Most))
	case c.Threads > cores:
		c.Warn(fmt.Sprintf("--threads %d: this process may use %s; more threads than cores wait for each other",
			c.Threads, table.Count(cores, "core")))
	}
	if c.Threads > 0 {
		runtime.GOMAXPROCS(c.Threads)
	}
	if err := kernel.Choose(c.Getenv(kernel.Variable)); err != nil {
		return Usagef("", "%s", err)
	}
	return nil
}

// Join joins the ranks that a launcher such as mpirun started, if it did: to one run. Rank 0 has the terminal, the
// others report errors only. Without --threads the ranks of a machine share its cores.
func (c *Console) Join() error {
	launch, ok := mpi.DetectLaunch(c.Getenv)
	if !ok {
		return nil
	}
	world, err := mpi.Join(launch, c.Getenv)
	if none := (*mpi.JoinError)(nil); errors.As(err, &none) {
		return fmt.Errorf("%w\n  runs of their own, one on each rank: %s sweep run SWEEP --task env", err, Program())
	}
	if err != nil || world == nil {
		return err
	}
	c.World = world
	if world.Rank() > 0 {
		c.Quiet, c.Out = true, io.Discard
	}
	if c.Threads == 0 {
		c.shareCores()
	}
	return nil
}

// shareCores gives this rank its part of the machine's cores.
func (c *Console) shareCores() {
	here := c.World.Local()
	own, launcher := mpi.Bound()
	if own > 0 && own < launcher { // the launcher has shared them out already
		if share := launcher / here; share > own {
			c.Warn(fmt.Sprintf("each rank may use %s of the %d here, as the launcher binds it: mpirun --bind-to none",
				table.Count(own, "core"), launcher))
		}
		return
	}
	runtime.GOMAXPROCS(max(1, runtime.NumCPU()/here))
}
