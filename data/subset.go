package data

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/option"
)

// subset takes o.TrainSize images of all, class by class in turn, each class in an order of its own. The sizes of the
// classes differ by one at most as long as each has images left. Of two subsets of one seed, the larger contains the
// smaller.
func (s *Set) subset(all Split, o Options) (Split, error) {
	if o.TrainSize > all.Len() {
		return Split{}, option.Errorf("data.train_size",
			"%d: want 1 to %d, the training images of %s that are not held out",
			o.TrainSize, all.Len(), s.Name)
	}
	byClass := make([][]int, len(s.Classes))
	for i, label := range all.Labels {
		byClass[label] = append(byClass[label], i)
	}
	for label, mine := range byClass {
		r := stream.Rand(o.SubsetSeed, fmt.Sprintf("subset/%d", label))
		r.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
	}
	turns := stream.Rand(o.SubsetSeed, "subset").Perm(len(byClass))
	var taken []int
	for round := 0; len(taken) < o.TrainSize; round++ {
		for _, label := range turns {
			if mine := byClass[label]; round < len(mine) && len(taken) < o.TrainSize {
				taken = append(taken, mine[round])
			}
		}
	}
	slices.Sort(taken)
	return all.Subset(taken), nil
}

// pixelOrder is a permutation of the pixels, row by row: pixel pixelOrder[i] moves to place i. It is nil for seed 0.
func pixelOrder(f Format, seed uint64) []int {
	if seed == 0 {
		return nil
	}
	return stream.Rand(seed, "permute").Perm(f.Rows * f.Cols)
}
