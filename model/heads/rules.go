package heads

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/model"
)

// rules has the function of each of model.HeadRules.
var rules = map[string]func(e *Evidence, n *model.Network, count int) ([]At, error){
	"degenerate": degenerate, "uniform": uniform, "duplicate": duplicate, "outside": outside, "silent": silent,
	"least": least,
}

// Evidence is what rules know besides the network.
type Evidence struct {
	// Images are normalized, (rows, columns, channels) each. Attention that depends on the image is compared on them.
	Images [][]float32
	// Loss returns the mean loss of the network on training images, with its weights as they are now.
	Loss func() (float64, error)
}

// same is the total variation below which two distributions of attention are almost equal.
const same = 0.05

func degenerate(_ *Evidence, n *model.Network, _ int) (found []At, err error) {
	layers, _ := n.Heads()
	for l, of := range layers {
		for h, head := range of {
			if head.Uniform() {
				found = append(found, At{l + 1, h + 1})
			}
		}
	}
	return found, nil
}

func outside(_ *Evidence, n *model.Network, _ int) (found []At, err error) {
	layers, _ := n.Heads()
	grid := n.Spec.Grid()
	for l, of := range layers {
		for h, head := range of {
			// the farthest key of any query is rows-1 and columns-1 away, and ends half a token behind that
			if math.Abs(head.Center[0]) > float64(grid.Rows)-0.5 || math.Abs(head.Center[1]) > float64(grid.Cols)-0.5 {
				found = append(found, At{l + 1, h + 1})
			}
		}
	}
	return found, nil
}

func silent(_ *Evidence, n *model.Network, _ int) ([]At, error) { return Silent(n), nil }

// Silent returns the heads whose matrix W_h, or whose own values, are zero.
func Silent(n *model.Network) (found []At) {
	for _, at := range list(model.HeadSelection{}, n.Spec) {
		zero := true
		for _, s := range values(n, at) {
			zero = zero && !slices.ContainsFunc(s.Param.Data[s.Lo:s.Hi], func(v float32) bool { return v != 0 })
		}
		if zero {
			found = append(found, at)
		}
	}
	return found
}

func uniform(e *Evidence, n *model.Network, _ int) ([]At, error) {
	return e.byMaps(n, func(s Scores, p []float32, h int) float64 {
		return variation(p[h*s.Tokens*s.Tokens:][:s.Tokens*s.Tokens], nil, s.Tokens)
	})
}

// duplicate is of heads 2, 3, …: the distance of each from the nearest head before it.
func duplicate(e *Evidence, n *model.Network, _ int) ([]At, error) {
	return e.byMaps(n, func(s Scores, p []float32, h int) float64 {
		size, nearest := s.Tokens*s.Tokens, math.Inf(1)
		for g := range h {
			nearest = min(nearest, variation(p[h*size:][:size], p[g*size:][:size], s.Tokens))
		}
		return nearest
	})
}

// byMaps returns the heads whose distance, a mean over the images, is less than same.  p (heads, tokens, tokens)
func (e *Evidence) byMaps(n *model.Network, distance func(s Scores, p []float32, h int) float64) ([]At, error) {
	r, err := NewReader(n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	images := [][]float32{nil}
	if r.ByImage {
		images = e.Images
	}
	sum := map[At]float64{}
	for _, image := range images {
		layers, err := r.Of(image)
		if err != nil {
			return nil, err
		}
		for l, s := range layers {
			p := s.Weights()
			for h := range s.Heads {
				sum[At{l + 1, h + 1}] += distance(s, p, h)
			}
		}
	}
	return slices.DeleteFunc(list(model.HeadSelection{}, n.Spec), func(at At) bool {
		d, known := sum[at]
		return !known || !(d/float64(len(images)) < same)
	}), nil
}

// variation returns the total variation ½·Σ_k |p_qk - r_qk|, a mean over queries; a nil r is 1/tokens.
func variation(p, r []float32, tokens int) (d float64) {
	for i, v := range p {
		other := 1 / float64(tokens)
		if r != nil {
			other = float64(r[i])
		}
		d += math.Abs(float64(v)-other) / 2
	}
	return d / float64(tokens)
}

// least silences one head at a time, of those that are not silent. Of equal losses, the first head counts.
func least(e *Evidence, n *model.Network, count int) ([]At, error) {
	type trial struct {
		at   At
		loss float64
	}
	var trials []trial
	pruned := Silent(n)
	for _, at := range list(model.HeadSelection{}, n.Spec) {
		if slices.Contains(pruned, at) {
			continue
		}
		spans := values(n, at)
		var kept [][]float32
		for _, s := range spans {
			kept = append(kept, slices.Clone(s.Param.Data[s.Lo:s.Hi]))
			clear(s.Param.Data[s.Lo:s.Hi])
		}
		loss, err := e.Loss()
		for i, s := range spans {
			copy(s.Param.Data[s.Lo:s.Hi], kept[i])
		}
		if err != nil {
			return nil, err
		}
		trials = append(trials, trial{at, loss})
	}
	slices.SortStableFunc(trials, func(a, b trial) int {
		switch {
		case a.loss < b.loss:
			return -1
		case a.loss > b.loss:
			return 1
		}
		return 0
	})
	var found []At
	for _, t := range trials[:min(count, len(trials))] {
		found = append(found, t.at)
	}
	return found, nil
}
