package session

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/table"
)

// shard gives a new run that is trained by several ranks a shard for each, unless its settings have a number of shards:
// the run then resumes on another number of ranks with the same bytes.
func (s *Session) shard() {
	o := &s.config.Run.Train
	if n := s.ranks(); s.o.Resume == "" && n > 1 && o.Shards == 0 && o.Batch%n == 0 {
		o.Shards = n
	}
}

// shardsNote says how batches are cut up, and what that means for batch norms; nil: they are not.
func (s *Session) shardsNote() (note []string) {
	o, ranks := s.config.Run.Train, s.ranks()
	shards := o.Shards
	if shards == 0 && ranks > 1 {
		shards = ranks
		note = append(note, "from here on, results differ by rounding: until now the run was trained in whole batches")
	}
	if shards < 2 {
		return nil
	}
	note = append([]string{fmt.Sprintf("a batch is %d shards of %s", shards, table.Count(o.Batch/shards, "image"))},
		note...)
	if s.net.Measures() {
		note = append(note, "batch norms measure each shard")
	}
	return note
}
