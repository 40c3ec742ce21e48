package network

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// see accumulates the attention of every block over images, or once if it does not depend on them. Without images that
// it needs, and for a network without heads, there is none. The change sets what else is accumulated; nil: everything.
func see(ctx context.Context, net *model.Network, held data.Split, images int,
	change func(*analyse.Attention)) (all []*analyse.Attention, n int, err error) {
	if !net.Attends() {
		return nil, 0, nil
	}
	r, err := heads.NewReader(net)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	grid := analyse.Grid(r.Grid)
	all = make([]*analyse.Attention, len(r.Heads))
	for i, b := range net.Spec.Blocks() {
		if h := r.Heads[i]; h > 0 && !b.Joined() {
			if all[i], err = analyse.NewAttention(grid, h); err != nil {
				return nil, 0, err
			}
			all[i].Padded = b.SeesZeros()
			if change != nil {
				change(all[i])
			}
		}
	}
	add := func(image []float32) error {
		scores, err := r.Of(image)
		if err != nil {
			return err
		}
		for i, s := range scores {
			if all[i] != nil {
				if err := all[i].AddFloat32(s.Weights()); err != nil {
					return fmt.Errorf("layer %d: %w", i+1, err)
				}
			}
		}
		return nil
	}
	if !r.ByImage {
		return all, 0, add(nil)
	}
	if n = min(images, held.Len()); n < 1 {
		return nil, 0, nil
	}
	err = eachBatch(ctx, held.Subset(upTo(0, n)), 1, func(b *data.Batch) error { return add(b.X) })
	return all, n, err
}

// eachBatch calls f with the images of a split in order. Batches behind the last image are padded.
func eachBatch(ctx context.Context, split data.Split, size int, f func(*data.Batch) error) error {
	loader, err := data.NewLoader(split, data.LoaderOptions{Batch: size, Pad: true})
	if err != nil {
		return err
	}
	for b := range loader.Epoch(ctx, 0, 0) {
		if err := f(b); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// operators measures what the weights alone say of each layer.
func (m *measuring) operators(ctx context.Context) error {
	seen, n, err := see(ctx, m.Net, m.Held, m.o.Attention, nil)
	if err != nil {
		return err
	}
	if m.d.Images.Attention = n; n > 0 {
		m.d.Data, m.d.Images.Split = m.Data, m.Split
	}
	blocks := m.Net.Spec.Blocks()
	m.d.Layers = make([]AnalysedLayer, len(m.sites))
	lacking := make([]error, len(m.sites)) // why a layer has no operator
	without := make([]error, len(m.sites)) // why it has no profiles
	err = eachLayer(len(m.sites), func(i int) (err error) {
		s, l := m.sites[i], &m.d.Layers[i]
		*l = s.unmeasured(i)
		if s.block >= 0 && seen != nil {
			s.seen = seen[s.block]
		}
		l.ByImage = s.kind == attends && blocks[s.block].ReadsContent()
		if err = s.project(); errors.Is(err, errNoOperator) || errors.Is(err, errNoAttention) ||
			errors.Is(err, errPaddedValues) {
			lacking[i] = err
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: layer %d (%s): %w", m.Name, i+1, s.path, err)
		}
		if err = describe(l, s); err == nil {
			without[i], err = l.profile(s)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, s := range m.sites {
		l := &m.d.Layers[i]
		if lacking[i] != nil {
			m.lacks(i, "no operator: %v", lacking[i])
			continue
		}
		if l.ByImage {
			m.lacks(i, "attention depends on the image: shares, taps and leverage are of its mean over %d images", n)
		}
		if s.loses {
			m.lacks(i, "zeros around the grid have part of the attention; bits were not measured")
		} else if l.ByImage {
			m.warnOfBias(i, s)
		}
		if without[i] != nil {
			m.lacks(i, "no profiles: %v", without[i])
		}
	}
	return nil
}

// eachLayer calls f for n layers, in parallel, and returns the error of the first of them that has one.
func eachLayer(n int, f func(i int) error) error {
	errs := make([]error, n)
	threads.Parallel(n, func(i int) { errs[i] = f(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// mostBias is the bias of bits beyond which a note says so.
const mostBias = 0.1

// warnOfBias says if too few images were averaged for the bits of layer i.
func (m *measuring) warnOfBias(i int, s *site) {
	if bias := s.seen.Bias(); bias > mostBias {
		m.lacks(i, "content bits are too low and place bits too high by up to %.2f: %s are few for %d keys",
			bias, table.Count(s.seen.Images, "image"), s.grid.Tokens())
	}
}

// unmeasured describes layer i before anything is measured.
func (s *site) unmeasured(i int) AnalysedLayer {
	return AnalysedLayer{Layer: i + 1, Path: s.path, Kind: s.kind, Grid: s.grid, Channels: [2]int{s.in, s.out},
		TapScore: null.Unknown, Size: null.Unknown, Nulls: []NullShares{}, Heads: []AnalysedHead{},
		Kernel: [][]float64{}}
}

// project makes the operator.
func (s *site) project() error {
	l, bias, err := s.layer()
	if err != nil {
		return err
	}
	canonical, err := s.gauge.Layer(l)
	if err != nil {
		return err
	}
	s.raw, s.bias, s.canonical = l, bias, true
	s.operator, err = analyse.NewOperator(canonical)
	return err
}

func describe(l *AnalysedLayer, s *site) error {
	o := s.operator
	shares, err := o.Shares(0)
	if err != nil {
		return err
	}
	l.Shares, l.Canonical, l.K90, l.Interior = &shares, s.canonical, new(o.Reach(0.9)), &InteriorShare{}
	l.Raw = &shares
	if s.canonical {
		if l.Raw, err = sharesOfLayer(s.raw); err != nil {
			return err
		}
		if l.WithResidual, err = s.withResidual(); err != nil {
			return err
		}
	}
	for i, to := range []*null.Float{&l.Interior.K1, &l.Interior.K3, &l.Interior.K5, &l.Interior.K7} {
		*to = null.Unknown
		if v, err := o.Interior(2*i + 1); err == nil {
			*to = null.Float(v)
		}
	}
	l.Rank = new(o.Rank())
	l.Kernel = byShift(s.grid, o.KernelNorms())
	if s.kind != attends {
		return nil
	}
	leverage := o.Leverage()
	l.Leverage = &HeadLeverage{Rank: leverage.Rank, Map: byShift(s.grid, leverage.Of)}
	for i, to := range []*float64{&l.Leverage.K1, &l.Leverage.K3, &l.Leverage.K5, &l.Leverage.K7} {
		square := geometry.Square(2*i + 1)
		for _, shift := range square {
			*to += leverage.Of[shift] / float64(len(square))
		}
	}
	return describeHeads(l, s)
}

func sharesOfLayer(l analyse.Layer) (*analyse.Shares, error) {
	o, err := analyse.NewOperator(l)
	if err != nil {
		return nil, err
	}
	shares, err := o.Shares(0)
	return &shares, err
}

// withResidual returns the shares of I + L; nil if the layer adds to other tokens than those that it reads, as a
// pre-norm block does, or if that is unknown.
func (s *site) withResidual() (*analyse.Shares, error) {
	sum, ok := s.raw.WithResidual()
	if !ok || s.mix == nil || s.mix.PreNorm {
		return nil, nil
	}
	sum, err := s.gauge.Layer(sum)
	if err != nil {
		return nil, err
	}
	return sharesOfLayer(sum)
}

func describeHeads(l *AnalysedLayer, s *site) error {
	score, f, ok := s.operator.TapScore()
	l.TapScore = null.Float(score)
	if s.loses { // zeros around the grid have part of the attention, and no shift of their own
		return nil
	}
	chains, err := s.seen.Chain(0)
	if err != nil {
		return err
	}
	for h, g := range s.operator.Geometry() {
		c := chains[h]
		head := AnalysedHead{Head: h + 1, Blur: c.Blur, Place: c.Place, Border: c.Border,
			Shift: c.Shift, NMI: c.NMI, Center: g.Center, Half: g.Half, Distance: g.Distance,
			Content: null.Unknown, TapMean: null.Unknown}
		if !s.single {
			head.Content = null.Float(c.Content)
		}
		if ok[h] {
			head.Tap, head.TapMean = &f[h], null.Float(s.operator.MeanByShift(h, f[h]))
		}
		l.Heads = append(l.Heads, head)
	}
	return nil
}

// byShift lays values out by shift, zero in the middle.
func byShift(g analyse.Grid, of map[analyse.Shift]float64) [][]float64 {
	all := make([][]float64, 2*g.Rows-1)
	for r := range all {
		all[r] = make([]float64, 2*g.Cols-1)
		for c := range all[r] {
			v := of[analyse.Shift{r - g.Rows + 1, c - g.Cols + 1}]
			all[r][c] = math.Round(v*1e9) / 1e9
		}
	}
	return all
}
