package network

import (
	"context"
	"errors"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// ErrOtherImages is the error of Similar for networks whose held-out images differ.
var ErrOtherImages = errors.New("their validation images differ: CKA compares layers on the same images")

// Similar returns CKA between what the layers of two networks read, and their logits, on the same held-out images.
func Similar(ctx context.Context, a, b Subject, o Options) (*Similarity, error) {
	m := &measuring{Subject: a, o: o, d: &Analysis{}}
	if m.divide(); m.score.Len() < 4 || !slices.Equal(a.Held.Pixels, b.Held.Pixels) ||
		!slices.Equal(a.Held.Floats, b.Held.Floats) {
		return nil, ErrOtherImages
	}
	return m.similar(ctx, b)
}

// similar compares the layers of the network with those of another, or its own, and untrained networks of both
// likewise.
func (m *measuring) similar(ctx context.Context, other Subject) (*Similarity, error) {
	n := min(m.score.Len(), similarImages) / 4 * 4 // batches of four images or more
	if n%batch > 0 && n%batch < 4 {
		n -= n % batch
	}
	d := &Similarity{Rows: m.Name, Cols: other.Name, Images: n}
	rows := m.score.Subset(upTo(0, n))
	cols := m.scored(other.Held).Subset(upTo(0, n)) // the same images, normalized for the other network
	own, err := ckaOf(ctx, m.Net, other.Net, rows, cols)
	if err != nil {
		return nil, err
	}
	d.CKA = means([][][]float64{own})
	var null [][][]float64
	err = m.eachFresh(ctx, freshNetworks, func(n int, a *model.Network) (err error) {
		b := a
		if other.Net != m.Net {
			if other.Fresh == nil {
				return nil
			}
			// which is a's weights for no n
			if b, err = other.Untrained(m.o.Seed + uint64(freshNetworks+n)); err != nil {
				return err
			}
		}
		values, err := ckaOf(ctx, a, b, rows, cols)
		null = append(null, values)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.Untrained, d.Null = len(null), means(null)
	return d, nil
}

// means returns the mean matrix; nil of none.
func means(all [][][]float64) (mean [][]null.Float) {
	if len(all) == 0 {
		return nil
	}
	for i := range all[0] {
		row := make([]null.Float, len(all[0][i]))
		for j := range row {
			sum := 0.
			for _, values := range all {
				sum += values[i][j]
			}
			row[j] = null.Float(sum / float64(len(all)))
		}
		mean = append(mean, row)
	}
	return mean
}

// ckaOf returns CKA between what the layers of a read of the images x, and those of b of the same images y.
func ckaOf(ctx context.Context, a, b *model.Network, x, y data.Split) (values [][]float64, err error) {
	rows, err := newLayerInputs(a)
	if err != nil {
		return nil, err
	}
	defer rows.f.Close()
	cols := rows
	if b != a {
		if cols, err = newLayerInputs(b); err != nil {
			return nil, err
		}
		defer cols.f.Close()
	}
	sum, err := analyse.NewCKA(len(rows.nodes), len(cols.nodes))
	if err != nil {
		return nil, err
	}
	var batches [][]float32
	if cols != rows {
		err = eachBatch(ctx, y, batch, func(b *data.Batch) error {
			batches = append(batches, slices.Clone(b.X))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	at := 0
	err = eachBatch(ctx, x, batch, func(b *data.Batch) error {
		p, err := rows.of(b.X, b.N)
		if err != nil {
			return err
		}
		q := p
		if cols != rows {
			if q, err = cols.of(batches[at], b.N); err != nil {
				return err
			}
			at++
		}
		return sum.Add(b.N, p, q)
	})
	for i := range rows.nodes {
		row := make([]float64, len(cols.nodes))
		for j := range row {
			row[j] = sum.Of(i, j)
		}
		values = append(values, row)
	}
	return values, err
}

// A layerInputs reads what every layer of a network reads, and its logits.
type layerInputs struct {
	f     *nn.Func
	x     []float32
	nodes []*nn.Node
}

func newLayerInputs(net *model.Network) (*layerInputs, error) {
	sites, err := sitesOf(net)
	if err != nil {
		return nil, err
	}
	image := net.Spec.Image
	s := &layerInputs{x: make([]float32, batch*image[0]*image[1]*image[2])}
	var out *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool {
			return slices.ContainsFunc(sites, func(s *site) bool { return name == s.inputName() })
		})
		out = net.Layer.Forward(g, g.Input("x", s.x, batch, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	for _, t := range g.Taps() {
		s.nodes = append(s.nodes, t.Node)
	}
	s.nodes = append(s.nodes, out)
	s.f, err = nn.Compile(g, nil, out)
	return s, err
}

// of returns the features of n images.
func (s *layerInputs) of(x []float32, n int) (features [][]float32, err error) {
	copy(s.x, x)
	if err := s.f.Run(0); err != nil {
		return nil, err
	}
	for _, node := range s.nodes {
		v := nn.Value(node)
		features = append(features, v[:len(v)/batch*n])
	}
	return features, nil
}
