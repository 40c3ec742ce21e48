package data

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/stream"
)

// part takes o.TrainSize images of all. Each class has an order of its own, and so have the classes: the images are
// taken class by class in turn, until there are enough. So the classes' numbers differ by one at most, as long as each
// has images left, and a smaller part lies in every larger one of the same seed.
func (s *Set) part(all Split, o Options) (Split, error) {
	if o.TrainSize > all.Len() {
		return Split{}, invalid.Errorf("data.train_size", "%d: want 1 to %d, the training images of %s that are not held out",
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

// pixelOrder says which pixel of an image comes to each place, row by row; nil where pixels stay in place.
func pixelOrder(f Format, seed uint64) []int {
	if seed == 0 {
		return nil
	}
	return stream.Rand(seed, "permute").Perm(f.Rows * f.Cols)
}
