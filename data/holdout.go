package data

import (
	"slices"

	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/option"
)

// Split divides the set by o's protocol. Under holdout, val is the set's own validation images or, where it has none,
// ValSize training images; a permutation chooses them that is the same for every run, whatever its seed. Train is the
// rest, in the set's order. Under paper, train is whole and val is the test split. TrainSize then takes a subset of
// train, and Permute permutes the pixels of all three. The error is an *option.Error.
func (s *Set) Split(o Options) (train, val, test Split, err error) {
	if train, val, test, err = s.protocol(o); err != nil {
		return train, val, test, err
	}
	if o.TrainSize > 0 {
		if train, err = s.subset(train, o); err != nil {
			return train, val, test, err
		}
	}
	order := pixelOrder(s.Format, o.Permute)
	train.order, val.order, test.order = order, order, order
	return train, val, test, nil
}

// Splits are the names of the parts of a set.
var Splits = option.List[option.Word]{"train", "val", "test"}

// Part returns one of the parts that Split makes, by its name in Splits. A set without training images has test images
// all the same. The error is an *option.Error, for "split" if the name is unknown or the part has no images.
func (s *Set) Part(name string, o Options) (part Split, err error) {
	if err := Splits.Check("split", name); err != nil {
		return Split{}, err
	}
	switch {
	case name == "test":
		part = s.Test
	case name == "val" && s.Val.Len() > 0 && !o.OnTest():
		part = s.Val
	case s.Train.Len() > 0:
		train, val, _, err := s.Split(o)
		if err != nil {
			return Split{}, err
		}
		part = map[string]Split{"train": train, "val": val}[name]
	}
	part.order = pixelOrder(s.Format, o.Permute)
	if part.Len() == 0 {
		return part, option.Errorf("split", "%s: %s has no such images", name, s.Name)
	}
	return part, nil
}

// protocol is Split without what TrainSize and Permute do.
func (s *Set) protocol(o Options) (train, val, test Split, err error) {
	if s.Train.Len() == 0 {
		return train, val, test, option.Errorf("data.name",
			"%s has no training images: it can only be evaluated\n  as by: attnconv eval RUN --data %s", s.Name, s.Name)
	}
	if o.OnTest() {
		return s.Train, s.Test, s.Test, nil
	}
	if s.Val.Len() > 0 {
		return s.Train, s.Val, s.Test, nil
	}
	n, size := s.Train.Len(), s.ValSize(o)
	if size < 1 || size >= n {
		return train, val, test, option.Errorf("data.val_size",
			"%d: want 1 to %d, so that some of the %d training images of %s are left to train on", size, n-1, n, s.Name)
	}
	order := stream.Rand(0, s.Stream).Perm(n)
	held, rest := order[:size], order[size:]
	slices.Sort(held)
	slices.Sort(rest)
	return s.Train.Subset(rest), s.Train.Subset(held), s.Test, nil
}

// ValSize is the number of validation images under o.
func (s *Set) ValSize(o Options) int {
	switch {
	case o.OnTest():
		return s.Test.Len()
	case s.Val.Len() > 0:
		return s.Val.Len()
	case o.ValSize == 0:
		return s.HeldOut
	}
	return o.ValSize
}

// TrainLen is the number of training images that Split returns under o, without their copy.
func (s *Set) TrainLen(o Options) int {
	n := s.Train.Len()
	if !o.OnTest() && s.Val.Len() == 0 {
		n -= s.ValSize(o)
	}
	if o.TrainSize > 0 {
		n = o.TrainSize
	}
	return n
}
