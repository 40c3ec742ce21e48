package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/stream"
)

// combinations returns the values of each trial: all combinations of the axes, or so many that are drawn.
func (o Options) combinations(axes []configs.Axis) ([][]string, error) {
	var plain []Axis
	count := 1
	for _, a := range axes {
		if a.Range != nil && o.Random == 0 {
			return nil, &GridError{fmt.Sprintf("%s is a range", a.Values[0]), "draw from it: --random N"}
		}
		if a.Range == nil && count <= MostTrials {
			count *= len(a.Values)
		}
		plain = append(plain, Axis{Key: a.Key, Values: a.Values})
	}
	if o.Random > 0 {
		return o.draw(axes)
	}
	if count > MostTrials {
		return nil, tooMany
	}
	return grid(plain), nil
}

var tooMany = &GridError{"more than 10,000 runs", "plan several sweeps"}

// draw draws different combinations, each with all seeds. A value depends on the seed of the draws, on its key and on
// only the number of its combination: more combinations do not change the first, and another axis does not change the
// values of the others.
func (o Options) draw(axes []configs.Axis) (all [][]string, err error) {
	seeds := []string{""}
	if n := len(axes); n > 0 && axes[n-1].Key == Seed {
		axes, seeds = axes[:n-1], axes[n-1].Values
	}
	if len(axes) == 0 {
		return nil, &GridError{"nothing to draw from", "a range, --lr log:0.001..0.1, or values, --lr 0.001,0.003"}
	}
	if o.Random*len(seeds) > MostTrials {
		return nil, tooMany
	}
	drawn := map[string]bool{}
	for n := 0; len(drawn) < o.Random; n++ {
		if n > 100*o.Random {
			return nil, &GridError{fmt.Sprintf("%d draws have only %d different combinations", n, len(drawn)),
				"fewer with --random, or wider ranges"}
		}
		var values []string
		for _, a := range axes {
			u := stream.Rand(o.RandomSeed, fmt.Sprintf("sweep/%s/%d", a.Key, n)).Float64()
			if a.Range != nil {
				values = append(values, a.Range.Draw(u))
			} else {
				values = append(values, a.Values[int(u*float64(len(a.Values)))])
			}
		}
		key := strings.Join(values, "\n")
		if drawn[key] {
			continue
		}
		drawn[key] = true
		for _, seed := range seeds {
			one := slices.Clone(values)
			if seed != "" {
				one = append(one, seed)
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// describe records the axes, with the values that trials have where they were drawn.
func (p *Plan) describe(axes []configs.Axis, combinations [][]string) {
	for k, a := range axes {
		axis := Axis{Key: a.Key, Values: a.Values}
		if a.Range != nil {
			axis.Range, axis.Values = a.Values[0], nil
			for _, values := range combinations {
				if !slices.Contains(axis.Values, values[k]) {
					axis.Values = append(axis.Values, values[k])
				}
			}
		}
		p.Axes = append(p.Axes, axis)
	}
}

// halve checks that halving can compare a trial with those before it, and takes its epochs.
func (p *Plan) halve(o Options, r configs.Run) error {
	if o.Keep == 0 {
		if len(o.Rungs) > 0 {
			return &GridError{"--rungs needs --halving", "one of three goes on: --halving 3"}
		}
		return nil
	}
	if p.Halving == nil {
		p.Format, p.Halving = formatHalving, &Halving{Keep: o.Keep, Rungs: o.Rungs, Epochs: r.Train.Epochs}
	}
	for _, refused := range []struct {
		is          bool
		why, advice string
	}{
		{p.Halving.Epochs != r.Train.Epochs, "halving compares runs after the same epochs, and these have different ones",
			"one number of --epochs"},
		{r.Data.OnTest(), "halving would choose by the test images: with protocol paper, none are held out",
			"--protocol holdout"},
		{r.Train.EvalEvery != 1, "halving needs the accuracy of every epoch", "--eval-every 1"},
		{len(r.Train.Resolutions) > 0, "halving compares accuracies on whole images", "--resolutions none"},
	} {
		if refused.is {
			return &GridError{refused.why, refused.advice}
		}
	}
	return nil
}

// setRungs completes halving, once all trials are known.
func (p *Plan) setRungs() error {
	h := p.Halving
	if h == nil {
		return nil
	}
	if h.Rungs == nil {
		h.Rungs = rungs(h.Keep, len(p.points()), h.Epochs)
	}
	if err := h.check(); err != nil {
		return &GridError{err.Error(), "more --epochs, more combinations, or other --rungs"}
	}
	return nil
}
