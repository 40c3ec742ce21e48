package train

import (
	"context"
	"iter"

	"github.com/attnconv/attnconv/data"
)

// Batches are images with labels, in batches of one shape. *data.Loader is one.
type Batches interface {
	// Shape is the extent of a batch: images, rows, columns, channels.
	Shape() [4]int
	// Batches is the number of batches in an epoch.
	Batches() int
	// Len is the number of images in an epoch.
	Len() int
	// Labels is the largest label, or -1 if there are none.
	Labels() int
	// Epoch gives the batches from, from+1, ... of an epoch, both counted from 0. For a run that can be resumed with the same
	// bytes, batch i of an epoch depends on the epoch and on i alone. A batch may be overwritten in the next iteration. The
	// sequence may stop early once ctx is done.
	Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch]
}
