package network

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// Nearest returns the network s.Net with the k × k convolution nearest to it instead of each attention layer, from the
// first one on:
//
//   - If every query has the same weights P[h,δ] on the shifts δ of a k × k square, and none elsewhere, the layer is
//     the convolution W_δ = Σ_h P[h,δ]·W_h. Around the image it has zeros or the repeated edge.
//   - Otherwise it is the best convolution with zeros around the image, by least squares on s.Train, for the inputs
//     that the layer has behind the replaced layers. That also serves attention that depends on the image.
//
// R² of a fit is measured on images of s.Held. The error is a *convert.LayerError for a network without attention and
// for a layer that cannot be fitted.
func Nearest(ctx context.Context, s Subject, k int) (*model.Network, []convert.Layer, error) {
	if s.Net == nil || s.Net.Layer == nil {
		return nil, nil, errors.New("the network is nil or empty: want one of model.New or model.Load")
	}
	if !s.Net.Attends() {
		return nil, nil, &convert.LayerError{Reason: "it has no attention"}
	}
	sites, err := sitesOf(s.Net)
	if err != nil {
		return nil, nil, err
	}
	seen, err := scoresOf(s.Net)
	if err != nil {
		return nil, nil, err
	}
	f := &nearest{s, k, map[string]analyse.Predictor{}}
	blocks := s.Net.Spec.Blocks()
	kernels, layers := make([]*convert.Kernel, len(blocks)), []convert.Layer{}
	for i, b := range blocks {
		if !b.Attends() {
			continue
		}
		at := slices.IndexFunc(sites, func(s *site) bool { return s.block == i })
		if at < 0 {
			return nil, nil, &convert.LayerError{Layer: i + 1, Reason: "a class token has joined its tokens, and a " +
				"convolution has no place for it; want a network with model.readout mean or sequence"}
		}
		l := convert.Layer{Layer: i + 1, Size: k, Heads: b.Heads, Condition: 1}
		if kernels[i] = f.exact(i, sites[at], seen[i]); kernels[i] != nil {
			l.Exact, l.R2 = true, new(null.Float(1))
		} else if kernels[i], l.R2, err = f.fit(ctx, sites[at]); err != nil {
			if bad := (*analyse.Error)(nil); errors.As(err, &bad) {
				err = &convert.LayerError{Layer: i + 1, Reason: bad.Error()}
			}
			return nil, nil, err
		}
		l.Border = kernels[i].Border
		layers = append(layers, l)
	}
	net, err := convert.Replace(s.Net, kernels)
	return net, layers, err
}

// nearest replaces attention by convolutions, layer after layer.
type nearest struct {
	Subject
	k  int
	by map[string]analyse.Predictor // of the layers that have been fitted, by path
}

// scoresOf returns the scores of each block for one image. Those of positions are the same for every image.
func scoresOf(net *model.Network) ([]heads.Scores, error) {
	r, err := heads.NewReader(net)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	image := net.Spec.Image
	return r.Of(make([]float32, image[0]*image[1]*image[2]))
}

// exact returns the convolution that attention by position is; nil: it is none.
func (f *nearest) exact(i int, s *site, seen heads.Scores) *convert.Kernel {
	if seen.Position == nil || seen.Content != nil {
		return nil
	}
	kernel := analyse.Kernel{In: s.in, Out: s.out, Shifts: geometry.Square(f.k)}
	borders := []analyse.Border{analyse.Zeros, analyse.Replicate}
	if s.factored { // values have a bias, which zeros around the image do not
		borders = borders[1:]
	}
	p := seen.Weights()
	taps := centerTaps(p, seen.Heads, s.grid, kernel.Shifts)
	at := slices.IndexFunc(borders, func(b analyse.Border) bool { return isShared(p, taps, s.grid, kernel.Shifts, b) })
	if taps == nil || at < 0 {
		return nil
	}
	var maps [][]float64 // W_h (in, out)
	if s.factored {
		maps, kernel.Bias = s.maps(seen.Heads)
	} else {
		for _, w := range heads.Weights(f.Net, i) {
			maps = append(maps, slices.Concat(w...))
		}
		for _, v := range attentionOf(s).Value.B.Data {
			kernel.Bias = append(kernel.Bias, float64(v))
		}
	}
	for t := range kernel.Shifts {
		sum := make([]float64, s.in*s.out)
		for h, w := range maps {
			for j, v := range w {
				sum[j] += taps[h][t] * v
			}
		}
		kernel.Maps = append(kernel.Maps, sum)
	}
	border := "zero"
	if borders[at] == analyse.Replicate {
		border = "replicate"
	}
	return &convert.Kernel{Kernel: kernel, Border: border, Whole: s.factored}
}

// centerTaps returns the weights of the query in the middle of the grid, (heads, shifts); nil if a shift leaves the
// grid.  p (heads, T, T)
func centerTaps(p []float32, heads int, g analyse.Grid, shifts []analyse.Shift) [][]float64 {
	n, row, col := g.Tokens(), g.Rows/2, g.Cols/2
	taps := make([][]float64, heads)
	for _, s := range shifts {
		r, c := row+s[0], col+s[1]
		if min(r, c) < 0 || r >= g.Rows || c >= g.Cols {
			return nil
		}
		for h := range taps {
			taps[h] = append(taps[h], float64(p[(h*n+row*g.Cols+col)*n+r*g.Cols+c]))
		}
	}
	return taps
}

// equalWeights is the most that a weight of attention may differ from that of another query, for both to be equal.
const equalWeights = 1e-6

// isShared reports whether every query of every head has the weights taps on shifts, and none elsewhere.
func isShared(p []float32, taps [][]float64, g analyse.Grid, shifts []analyse.Shift, b analyse.Border) bool {
	n := g.Tokens()
	want := make([][]float64, len(taps))
	for h := range want {
		want[h] = make([]float64, n*n)
	}
	for t, s := range shifts {
		hard, err := analyse.Taps(g, []analyse.Shift{s}, b)
		if err != nil {
			return false
		}
		for h := range want {
			for j, v := range hard[0] {
				want[h][j] += taps[h][t] * v
			}
		}
	}
	for h := range want {
		for j, v := range want[h] {
			if !(math.Abs(float64(p[h*n*n+j])-v) <= equalWeights) {
				return false
			}
		}
	}
	return len(taps) > 0
}

// fit returns the best convolution for a layer behind those that have been fitted, and its R².
func (f *nearest) fit(ctx context.Context, s *site) (*convert.Kernel, *null.Float, error) {
	r2 := null.Unknown
	r, err := ends(replace(f.Net, f.by), s)
	if err != nil {
		return nil, nil, err
	}
	defer r.f.Close()
	var scored pass
	if f.Held.Len() > 0 {
		scored = r.pass(f.Held.Sample(Usual().Images))
	}
	all, err := fit{k: f.k, centered: true}.regress(ctx, []*site{s}, r.pass(f.Train), scored)
	if err != nil {
		return nil, nil, err
	}
	best := &convert.Kernel{Kernel: all[0].kernels[len(all[0].kernels)-1], Border: "zero", Whole: true}
	if scored != nil {
		r2 = all[0].r2(f.k)
	}
	f.by[s.path], err = best.Predictor(s.grid, s.result)
	return best, &r2, err
}
