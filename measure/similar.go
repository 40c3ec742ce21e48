package measure

import (
	"context"
	"errors"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/report"
)

// ErrOtherImages is the error of Similar for networks whose held-out images differ.
var ErrOtherImages = errors.New("measure: their held-out images differ: CKA compares layers on the same images")

// Similar returns CKA between what the layers of two networks read, and their logits, on the same held-out images.
func Similar(ctx context.Context, a, b Subject, o Options) (*report.Similarity, error) {
	m := &measuring{Subject: a, o: o, d: &report.Analysis{}}
	if m.divide(); m.score.Len() < 4 || !slices.Equal(a.Held.Pixels, b.Held.Pixels) || !slices.Equal(a.Held.Floats, b.Held.Floats) {
		return nil, ErrOtherImages
	}
	values, n, err := m.similar(ctx, b)
	return &report.Similarity{Rows: a.Name, Cols: b.Name, CKA: values, Images: n}, err
}

// similar returns CKA between the network and another, or itself.
func (m *measuring) similar(ctx context.Context, other Subject) (values [][]*float64, images int, err error) {
	n := min(m.score.Len(), similarImages) / 4 * 4 // batches of four images or more
	if n%batch > 0 && n%batch < 4 {
		n -= n % batch
	}
	rows, err := newStream(m.Net)
	if err != nil {
		return nil, 0, err
	}
	defer rows.f.Close()
	cols := rows
	if other.Net != m.Net {
		if cols, err = newStream(other.Net); err != nil {
			return nil, 0, err
		}
		defer cols.f.Close()
	}
	sum, err := analyse.NewCKA(len(rows.nodes), len(cols.nodes))
	if err != nil {
		return nil, 0, err
	}
	second := m.score // in the other network's normalisation
	if other.Net != m.Net {
		second = other.Held.Subset(upTo(m.fit.Len(), 2*m.fit.Len()))
	}
	var batches [][]float32
	if cols != rows {
		err = eachBatch(ctx, second.Subset(upTo(0, n)), batch, func(b *data.Batch) error {
			batches = append(batches, slices.Clone(b.X))
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	at := 0
	err = eachBatch(ctx, m.score.Subset(upTo(0, n)), batch, func(b *data.Batch) error {
		x, err := rows.of(b.X, b.N)
		if err != nil {
			return err
		}
		y := x
		if cols != rows {
			if y, err = cols.of(batches[at], b.N); err != nil {
				return err
			}
			at++
		}
		return sum.Add(b.N, x, y)
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range rows.nodes {
		row := make([]*float64, len(cols.nodes))
		for j := range row {
			row[j] = report.Finite(sum.Of(i, j))
		}
		values = append(values, row)
	}
	return values, n, nil
}

// A stream reads what every layer of a network reads, and its logits.
type stream struct {
	f     *nn.Func
	x     []float32
	nodes []*nn.Node
}

func newStream(net *model.Network) (*stream, error) {
	sites, err := sitesOf(net)
	if err != nil {
		return nil, err
	}
	image := net.Spec.Image
	s := &stream{x: make([]float32, batch*image[0]*image[1]*image[2])}
	var out *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool {
			return slices.ContainsFunc(sites, func(s *site) bool { return name == "model."+s.path+nn.LayerInput })
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
func (s *stream) of(x []float32, n int) (features [][]float32, err error) {
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
