package term

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/internal/table"
)

// Discard lists what is to be removed, asks for confirmation, and removes it.
func (c *Console) Discard(ctx context.Context, list []RemovedFile, dry bool, remove func(i int) error) error {
	Saving(ctx) // half of a folder is of no use to anybody
	r := Removal{V: 1, Removed: list}
	lines := [][]string{}
	for _, x := range list {
		r.Bytes += x.Bytes
		lines = append(lines, []string{table.Size(x.Bytes), x.Path, x.Why})
	}
	if !c.JSON && len(list) > 0 {
		if err := c.Table(lines); err != nil {
			return err
		}
	}
	switch {
	case len(list) == 0 && !c.JSON:
		c.Note("nothing to remove")
		return nil
	case len(list) > 0 && !dry:
		question := fmt.Sprintf("remove these %d (%s)?", len(list), table.Size(r.Bytes))
		if len(list) == 1 {
			question = fmt.Sprintf("remove it (%s)?", table.Size(r.Bytes))
		}
		if err := c.Confirm(ctx, question, "nothing was removed", ""); err != nil {
			return err
		}
		for i := range list {
			err := ctx.Err()
			if err == nil {
				err = remove(i)
			}
			if err != nil {
				return err
			}
		}
		c.Note("removed %s", table.Size(r.Bytes))
	}
	if c.JSON {
		return c.Result(r)
	}
	return nil
}
