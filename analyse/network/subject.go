package network

import (
	"cmp"
	"context"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
)

// A Subject is a trained network, and what it is compared with.
type Subject struct {
	Name  string // of its run or checkpoint
	Net   *model.Network
	Seed  uint64
	Start *model.Network                            // before its first step; nil: unknown
	Fresh func(seed uint64) (*model.Network, error) // an untrained network of another seed; nil: unknown
	Data  string                                    // name of the data set; "": no images
	Train data.Split                                // images that regressions are fitted on; empty: half of Held
	Split string                                    // that Held is
	Held  data.Split                                // images that it was not trained on
	Tell  func(format string, args ...any)          // hears what is done next; may be nil
	Done  func(part float64)                        // hears how much of that is done, in 0..1; may be nil
}

// Options say how much is measured. The zero value reads no image and draws no null.
type Options struct {
	Images    int    // that regressions are fitted on, and as many others for R²
	Attention int    // that attention which depends on the image is averaged over
	Kernel    int    // largest K of regressions, an odd number
	Seeds     int    // of the initializer's null
	Fits      int    // of them, whose R² is measured, too
	Draws     int    // of each other null
	Headline  bool   // accuracy with attention replaced by 3 × 3 and 5 × 5 convolutions, and two baselines
	Function  bool   // accuracy with layers replaced by all replacements
	Network   bool   // shifts, receptive fields and CKA
	Seed      uint64 // of these draws
}

// Usual are the options of the command analyse.
func Usual() Options {
	return Options{Images: 1000, Attention: 500, Kernel: 7, Seeds: 20, Fits: 3, Draws: 100, Headline: true}
}

// Untrained networks to compare with, unless a user says how many.
const (
	seedsPerLayer = 20 // so that p, corrected for the layers, can be below 0.05
	quickSeeds    = 60 // of a quick measurement: enough for three layers
)

// For returns options that suit a network, with as many untrained networks as the number of its layers takes, unless
// they are chosen. A quick measurement leaves out what needs images: accuracy with layers replaced, and R².
func (o Options) For(s Subject, quick, chosen bool) Options {
	if quick {
		o.Images, o.Headline = 0, false
	}
	if layers := len(s.Net.Spec.Blocks()); !chosen && layers > 0 && !s.Net.Spec.ByImage() {
		o.Seeds = seedsPerLayer * layers
		if quick {
			o.Seeds = min(quickSeeds, o.Seeds)
		}
	}
	return o
}

func (s Subject) tell(format string, args ...any) {
	if s.Tell != nil {
		s.Tell(format, args...)
	}
}

// fitted returns the images that regressions are fitted on: training images or, without them, half of the others.
func (s Subject) fitted(o Options) data.Split {
	if s.Train.Len() == 0 {
		return s.Held.Subset(upTo(0, min(o.Images, s.Held.Len()/2)))
	}
	return s.Train.Sample(o.Images)
}

// scored returns the images of held that score regressions.
func (s Subject) scored(o Options, held data.Split) data.Split {
	if s.Train.Len() == 0 {
		n := min(o.Images, held.Len()/2)
		return held.Subset(upTo(n, 2*n))
	}
	return held.Sample(o.Images)
}

// untrainedSeed is the seed of untrained network n, far from the seeds of runs.
func untrainedSeed(n uint64) uint64 { return 1000 + n }

// Untrained returns untrained network n of the same architecture. s.Fresh is not nil.
func (s Subject) Untrained(n uint64) (*model.Network, error) { return s.Fresh(untrainedSeed(n)) }

// eachFresh calls f with untrained networks, the same for every null: at most so many, and no more than are asked for.
func (s Subject) eachFresh(ctx context.Context, o Options, most int, f func(n int, net *model.Network) error) error {
	type made struct {
		net *model.Network
		err error
	}
	begin := func(n int) <-chan made { // the next one is made while f measures one
		c := make(chan made, 1)
		go func() {
			net, err := s.Untrained(o.Seed + uint64(n))
			c <- made{net, err}
		}()
		return c
	}
	all := s.freshOnes(o, most)
	if all < 1 {
		return nil
	}
	for n, next := 0, begin(0); n < all; n++ {
		now := <-next
		if err := cmp.Or(now.err, ctx.Err()); err != nil {
			return err
		}
		if n+1 < all {
			next = begin(n + 1)
		}
		if err := f(n, now.net); err != nil {
			return err
		}
	}
	return nil
}

// freshOnes is the number of networks of eachFresh.
func (s Subject) freshOnes(o Options, most int) int {
	if s.Fresh == nil {
		return 0
	}
	return max(0, min(most, o.Seeds))
}
