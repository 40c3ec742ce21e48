package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/mpi"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
)

// Join joins the ranks that a launcher such as mpirun started, if it did: to one run. Rank 0 has the terminal, the
// others report errors only. Without --threads the ranks of a machine share its cores. Leave comes last.
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
	c.world = world
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
	here := c.world.Local()
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

// Group returns the ranks that Join has joined; nil: this is the only one.
func (c *Console) Group() train.Group {
	if c.world == nil {
		return nil
	}
	return c.world
}

// Library names the MPI library that has joined the ranks.
func (c *Console) Library() string { return c.world.Library() }

// onAllRanks reports whether all ranks end with an error of this kind, each by itself.
func onAllRanks(err error) bool {
	return err == nil || errors.Is(err, train.ErrStopped) || Is[*train.SharedError](err) ||
		Is[*train.DisagreementError](err) || Is[*train.DivergenceError](err) || Is[*study.UnmetError](err)
}

// Leave ends what Join began, after a command has returned err and that was reported: it waits for the other ranks
// where they end, too, and ends them where only this rank failed.
func (c *Console) Leave(ctx context.Context, code int, err error) {
	switch {
	case c.world == nil:
	case code == fault.Done || err != nil && onAllRanks(err):
		if err := c.world.Close(); err != nil {
			c.Report(ctx, err)
		}
	default:
		c.world.Abort(code)
	}
}

// reportedElsewhere reports whether another rank tells the user of this error.
func (c *Console) reportedElsewhere(err error) bool {
	if c.world == nil || c.world.Rank() == 0 {
		return false
	}
	joint := (*train.SharedError)(nil)
	return errors.As(err, &joint) && joint.ReportedElsewhere || Is[*train.DisagreementError](err) ||
		Is[*train.DivergenceError](err)
}

// withRank puts the number of this rank in front of a message, unless it is rank 0 or the only rank.
func (c *Console) withRank(text string) string {
	if c.world == nil || c.world.Rank() == 0 {
		return text
	}
	return fmt.Sprintf("rank %d: %s", c.world.Rank(), text)
}
