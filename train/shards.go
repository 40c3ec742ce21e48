package train

import (
	"fmt"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/nn"
)

// A batch of B images in S shards: shard s has images s·B/S to (s+1)·B/S - 1. With the mean loss L_s of a shard,
//
//	L = 1/S·Σ_s L_s,  dL = 1/S·Σ_s dL_s,  both sums in the order of a tree (tree.go)
//
// Masks of dropout are those that the images have in the whole batch. Batch norms measure each shard by itself; running
// statistics take in the mean over the shards of their means and variances, added up likewise. So bytes depend on S,
// and not on how many ranks share the shards: each has as many, consecutive ones, in order.

// A shardedStep is Step for batches that are cut into shards, of which this rank has some: one graph, run once for
// each.
type shardedStep struct {
	*Step  // of a shard
	shards int
	mine   span
	team   *team

	tree  *treeSum // nil: this rank has all shards
	norms []nn.RunningStats
	sums  [][]float32 // of the largest subtrees of mine, and below them what is not added up yet
	part  data.Batch  // a shard
}

func newShardedStep(net nn.Layer, shape Shape, o Options, m method, shards int, ranks *team) (*shardedStep, error) {
	shape[0] /= shards
	step, err := newStep(net, shape, o, m)
	if err != nil {
		return nil, err
	}
	s := &shardedStep{
		Step: step, shards: shards, mine: ranks.span(shards), team: ranks, norms: step.graph.RunningStats(),
	}
	if ranks.size() > 1 {
		s.tree = newTreeSum(ranks.group, shards)
	}
	return s, nil
}

// Behind the gradients and the moments, a vector has these elements.
const (
	lossAt = iota
	correctAt
	wordsLen
)

// size is the number of elements of a vector.
func (s *shardedStep) size() (n int) {
	for _, p := range s.params {
		n += len(p.Data)
	}
	for _, t := range s.norms {
		n += len(t.Mean.Data) + len(t.Variance.Data)
	}
	return n + wordsLen
}

// each calls f with the elements of every gradient and moment of the last run, in the order of a vector.
func (s *shardedStep) each(f func(x []float32)) {
	for _, g := range s.grads {
		f(nn.Value(g))
	}
	for _, t := range s.norms {
		if t.Moments.Rows > 0 {
			f(t.Moments.Mean)
			f(t.Moments.Variance)
		}
	}
}

// Train implements Stepper.
func (s *shardedStep) Train(b *data.Batch, step int, lr float64) (loss float64, correct int, err error) {
	nodes := span{0, s.shards}.within(s.mine)
	if err := s.add(b, step, nodes); err != nil {
		return 0, 0, err
	}
	total := s.sums[0]
	if s.tree != nil {
		if err := s.tree.total(s.sums[:len(nodes)]); err != nil {
			return 0, 0, err
		}
	}
	scale, rest := 1/float32(s.shards), total
	s.each(func(x []float32) {
		copy(x, rest)
		vec.Scale(scale, x)
		rest = rest[len(x):]
	})
	words := total[len(total)-wordsLen:]
	loss = float64(words[lossAt]) / float64(s.shards)
	if norm := s.norm(); notFinite(loss + norm) {
		return loss, 0, s.diverged(b, step)
	} else if err := s.move(norm, lr); err != nil {
		return 0, 0, err
	}
	return loss, int(words[correctAt]), nil
}

// add sets sums to those of the nodes of this rank.
func (s *shardedStep) add(b *data.Batch, step int, nodes []span) error {
	for i, node := range nodes {
		if err := s.addNode(b, step, node, i); err != nil {
			return err
		}
	}
	return nil
}

// addNode sets sums[at] to the sum over a node.
func (s *shardedStep) addNode(b *data.Batch, step int, node span, at int) error {
	if len(s.sums) == at {
		s.sums = append(s.sums, make([]float32, s.size()))
	}
	x := s.sums[at]
	if node.hi-node.lo > 1 {
		left, right := node.children()
		if err := s.addNode(b, step, left, at); err != nil {
			return err
		}
		if err := s.addNode(b, step, right, at+1); err != nil {
			return err
		}
		vec.Axpy(1, s.sums[at+1], x)
		return nil
	}
	if err := s.run1(b, step, node.lo); err != nil {
		return err
	}
	rest := x
	s.each(func(from []float32) { rest = rest[copy(rest, from):] })
	words := x[len(x)-wordsLen:]
	clear(words)
	words[lossAt], words[correctAt] = nn.Value(s.loss)[0], float32(s.correct())
	return nil
}

// run1 computes loss and gradients of one shard.
func (s *shardedStep) run1(b *data.Batch, step, shard int) error {
	if err := s.loadShard(b, shard); err != nil {
		return err
	}
	return s.run.Run(uint64(step))
}

// loadShard takes the images of a shard from those of this rank's.
func (s *shardedStep) loadShard(b *data.Batch, shard int) error {
	if b == nil {
		return s.check(nil)
	}
	n, size := s.shape[0], s.shape.size()/s.shape[0]
	if want := (s.mine.hi - s.mine.lo) * n; len(b.X) != want*size || len(b.Labels) != want {
		return fmt.Errorf("a batch of %d values and %d labels; want %d images in shards of %v", len(b.X), len(b.Labels),
			want, s.shape)
	}
	at := (shard - s.mine.lo) * n
	s.part = b.Part(at, at+n)
	s.part.N = n
	if err := s.check(&s.part); err != nil {
		return err
	}
	s.load(&s.part)
	s.graph.AtImage(shard * n)
	return nil
}

// Try implements Stepper: it computes this rank's shards, and asks no other rank.
func (s *shardedStep) Try(b *data.Batch, step int) error {
	return s.add(b, step, span{0, s.shards}.within(s.mine))
}

// diverged finds the first operation whose result is not finite, in the first shard that has one, on any rank.
func (s *shardedStep) diverged(b *data.Batch, step int) error {
	where := ""
	for shard := s.mine.lo; shard < s.mine.hi && where == ""; shard++ {
		if err := s.loadShard(b, shard); err != nil {
			return err
		}
		var err error
		if where, err = s.run.FirstBad(uint64(step)); err != nil {
			return err
		}
	}
	where, err := s.team.first(where)
	if err != nil {
		return err
	}
	return divergedAt(step, where)
}

// Memory is that of one shard's graph, and of the sums.
func (s *shardedStep) Memory() int {
	depth := 1
	for n := 1; n < s.mine.hi-s.mine.lo; n *= 2 {
		depth++
	}
	return s.Step.Memory() + 4*depth*s.size()
}
