package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

func checkData(_ context.Context, o Options) (status Status, detail string) {
	if o.Data == "" {
		return "", ""
	}
	set, err := sets.Open(data.Options{Name: "cifar10"}, o.Data)
	var missing *data.MissingError
	switch {
	case errors.As(err, &missing):
		return Warn, "cifar10 is not in " + missing.Dir + "; to get it: attnconv data get cifar10; shapes32 is built in"
	case err != nil:
		return Fail, o.Message(err)
	case !set.Published:
		return Warn, "cifar10 in " + o.Data + " is not the published one: a lossy copy?"
	}
	return Pass, "cifar10 in " + o.Data + " is the published one"
}

// checkRuns writes a file to the folder of the runs, as a run does, and reads the list of runs.
func checkRuns(_ context.Context, o Options) (status Status, detail string) {
	if o.Runs == "" {
		return "", ""
	}
	_, err := os.Stat(o.Runs)
	created := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(o.Runs, 0o777); err != nil {
		return Fail, "the folder of the runs cannot be created: " + o.Message(err)
	}
	if created {
		defer os.Remove(o.Runs)
	}
	probe := filepath.Join(o.Runs, ".doctor")
	if err := run.WriteFile(probe, []byte("attnconv doctor\n")); err != nil {
		return Fail, "the folder of the runs cannot be written: " + o.Message(err)
	}
	if err := os.Remove(probe); err != nil {
		return Fail, "the folder of the runs cannot be written: " + o.Message(err)
	}
	list, err := run.List(o.Runs)
	if err != nil {
		return Fail, o.Message(err)
	}
	broken := 0
	for _, e := range list {
		if e.Err != nil {
			broken++
		}
	}
	detail = fmt.Sprintf("%s can be written; %s", o.Runs, table.Count(len(list), "run"))
	if broken > 0 {
		return Warn, fmt.Sprintf("%s, %d of them unreadable (attnconv runs ls)", detail, broken)
	}
	return Pass, detail
}

func checkDisk(_ context.Context, o Options) (status Status, detail string) {
	if o.Runs == "" {
		return "", ""
	}
	folder := o.Runs
	for !term.Exists(folder) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	free := run.Free(folder)
	switch {
	case free < 0:
		return Pass, "free space is unknown on this system"
	case free < 100e6:
		return Fail, table.Size(free) + " are free for runs: a checkpoint of the paper's model takes 97 MB"
	case free < 2e9:
		return Warn, table.Size(free) + " are free for runs: a run of the paper's model takes about 2 GB"
	}
	return Pass, table.Size(free) + " are free for runs"
}
