package cmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/viz"
)

// animateHeads draws the heads of a run, epoch by epoch.
func animateHeads(c *cli.Console, o plotOptions) error {
	dir, err := c.OpenRun(o.Ref, o.need())
	if err != nil {
		return err
	}
	defer dir.Close()
	snapshots, err := readSnapshots(dir, o.Layers)
	if err != nil {
		return err
	}
	config, err := configs.Of(dir)
	if err != nil {
		return err
	}
	a, err := viz.Animate(snapshots, viz.AnimateOptions{
		HeadsOptions: o.options(config.Model), Trail: o.Trail, FPS: float64(o.FPS),
	})
	if err != nil {
		return cannotDraw(err)
	}
	encode := func(_ string, out viz.Output) ([]byte, error) { return a.Encode(out) }
	files, err := o.writeAll(c, encode, a.Data, filepath.Join(dir.Path, "figures", "heads.gif"))
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Result(animationResult{1, files, len(snapshots), a.Frames()})
	}
	printFiles(c, files)
	fmt.Fprintf(c.Out, "%d epochs in %d frames\n", len(snapshots), a.Frames())
	return nil
}

type animationResult struct {
	V      int      `json:"v"`
	Files  []string `json:"files"`
	Epochs int      `json:"epochs"` // recorded, including epoch 0
	Frames int      `json:"frames"`
}

// readSnapshots reads the recorded heads of a run, sorted by epoch.
func readSnapshots(dir *run.Dir, layers string) ([]viz.Snapshot, error) {
	names, err := filepath.Glob(filepath.Join(dir.Path, "heads", "epoch-*.json"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, cli.Usagef("", "%s: no heads to animate: the run's model has no Gaussian heads", dir.Path)
	}
	var moments []run.Heads
	for _, name := range names {
		heads, err := run.ReadHeads(name)
		if err != nil {
			return nil, err
		}
		moments = append(moments, heads)
	}
	slices.SortFunc(moments, func(a, b run.Heads) int { return cmp.Compare(a.Epoch, b.Epoch) })
	var snapshots []viz.Snapshot
	for _, m := range moments {
		numbers, err := layersWithHeads(layers, len(m.Layers), func(i int) bool { return len(m.Layers[i].Centers) > 0 })
		if err != nil {
			return nil, err
		}
		heads := session.Heads(m)
		s := viz.Snapshot{Title: fmt.Sprintf("epoch %d", m.Epoch)}
		for _, n := range numbers {
			s.Layers = append(s.Layers, vizLayer(n, heads[n-1]))
		}
		snapshots = append(snapshots, s)
	}
	return snapshots, nil
}
