package network

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/null"
)

// Images of the measures of a whole network. They are means over images that vary little.
const (
	shiftedImages = 100
	fieldImages   = 20
)

// symmetries are how a layer follows shifts of its input, where in the image it looks, and how similar layers are.
var symmetries = measure{
	all:    func(ctx context.Context, m *measurement) error { return m.wholeNetwork(ctx) },
	tables: networkTables,
}

// NetworkSymmetry is how similar layers are.
type NetworkSymmetry struct {
	Untrained int         `json:"untrained"` // networks that values are compared with
	CKA       *Similarity `json:"cka"`       // between its own layers
}

// LayerSymmetry is how a layer by itself follows shifts of its input, and where in the image its center token looks.
type LayerSymmetry struct {
	Defect   NullTest `json:"defect"`    // shift defect for a token on a torus: 0: it commutes with the shift
	Radius50 NullTest `json:"radius_50"` // least radius with half of the gradient's energy, in pixels
	Radius90 NullTest `json:"radius_90"` // least radius with 90 % of it
	Side50   NullTest `json:"side_50"`   // least square with half of it, in pixels
	Side90   NullTest `json:"side_90"`   // least square with 90 % of it
	SideAll  int      `json:"side_all"`  // least square with every pixel that has a gradient
	// R² of the best 3 × 3 convolution of queries away from borders, there; null: not measured
	Interior *NullTest `json:"r2_interior_k3"`
	// R² of the best 3 × 3 convolution of all queries, at borders; null: not measured
	Border *NullTest `json:"r2_border_k3"`
}

// symmetry is what is measured of a site of one network.
type symmetry struct {
	defect float64
	field  analyse.Receptive
	all    int // the least K whose square around the center has every gradient that is not zero
}

// wholeNetwork measures symmetries, receptive fields and similarities of layers, beside untrained networks.
func (m *measurement) wholeNetwork(ctx context.Context) error {
	if !m.o.Network {
		return nil
	}
	if m.score.Len() < 4 {
		m.note("no measures of the whole network: they need images")
		return nil
	}
	m.tell("shifts and receptive fields of the network")
	own, err := m.symmetryOf(ctx, m.Net)
	if err != nil {
		return err
	}
	fresh, untrained := make([][]symmetry, len(own)), m.freshOnes(m.o, freshNetworks)
	err = m.eachFresh(ctx, m.o, freshNetworks, func(n int, net *model.Network) error {
		m.tell("the same of untrained network %d of %d", n+1, untrained)
		all, err := m.symmetryOf(ctx, net)
		for i, s := range all {
			fresh[i] = append(fresh[i], s)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, s := range m.sites {
		at := func(of func(s symmetry) float64) NullTest { return testOf(own[i], fresh[i], of) }
		l := &LayerSymmetry{
			Defect:   at(func(s symmetry) float64 { return s.defect }),
			Radius50: at(func(s symmetry) float64 { return s.field.Radius50 }),
			Radius90: at(func(s symmetry) float64 { return s.field.Radius90 }),
			Side50:   at(func(s symmetry) float64 { return float64(s.field.Side50) }),
			Side90:   at(func(s symmetry) float64 { return float64(s.field.Side90) }),
			SideAll:  own[i].all,
		}
		if s.near != nil {
			var draws []nearBorder
			if m.against.r2 != nil {
				draws = m.against.r2[i].near
			}
			l.Interior = new(testOf(*s.near, draws, func(n nearBorder) float64 { return n.inside }))
			l.Border = new(testOf(*s.near, draws, func(n nearBorder) float64 { return n.border }))
		}
		m.d.Layers[i].Symmetry = l
	}
	m.d.Network = &NetworkSymmetry{Untrained: untrained}
	m.d.Network.CKA, err = m.similar(ctx, m.o, m.Subject)
	return err
}

// testOf is a value of a network and of untrained ones.
func testOf[T any](own T, fresh []T, of func(T) float64) NullTest {
	return NullTest{Value: null.Float(of(own)), Untrained: bandOf(fresh, of)}
}

// symmetryOf measures the sites of one network.
func (m *measurement) symmetryOf(ctx context.Context, net *model.Network) (all []symmetry, err error) {
	sites, err := sitesOf(net)
	if err != nil {
		return nil, err
	}
	images := m.score.Subset(upTo(0, min(shiftedImages, m.score.Len())))
	for _, site := range sites {
		var s symmetry
		if s.defect, err = shiftDefect(ctx, net, site, images); err != nil {
			return nil, fmt.Errorf("%s: %w", site.path, err)
		}
		few := m.score.Subset(upTo(0, min(fieldImages, m.score.Len())))
		if s.field, s.all, err = receptive(ctx, net, site, few); err != nil {
			return nil, fmt.Errorf("%s: receptive field: %w", site.path, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// shiftDefect returns the shift defect of a layer, for one token of its output along either axis of a torus.
func shiftDefect(ctx context.Context, net *model.Network, s *site, images data.Split) (float64, error) {
	r, err := newProgram(net, batch, []string{s.inputName()})
	if err != nil {
		return 0, err
	}
	defer r.f.Close()
	p, err := layerAlone(net, s)
	if err != nil {
		return 0, err
	}
	defer p.f.Close()
	sum, err := analyse.NewDefect(s.result.Tokens() * s.out)
	if err != nil {
		return 0, err
	}
	err = r.each(ctx, images, func(b *data.Batch) error {
		x := slices.Clone(r.value(0, b.N))
		y, err := s.outputs(p, x)
		for axis := range 2 {
			if err == nil {
				err = s.addShifted(sum, p, x, y, b.N, axis)
			}
		}
		return err
	})
	return sum.Value(), err
}

// addShifted adds f(x) = y and T₋ₛ f(Tₛ x) of n images, for the shift s of one token of the output along an axis.
func (s *site) addShifted(sum *analyse.Defect, p *program, x, y []float32, n, axis int) error {
	there, home := analyse.Shift{}, analyse.Shift{}
	there[axis] = max(1, [2]int{s.grid.Rows, s.grid.Cols}[axis]/[2]int{s.result.Rows, s.result.Cols}[axis])
	home[axis] = -1
	var moved []float32
	for image := range slices.Chunk(x, len(x)/n) {
		m, err := analyse.Roll(s.grid, s.in, image, there)
		if err != nil {
			return err
		}
		moved = append(moved, m...)
	}
	z, err := s.outputs(p, moved)
	if err != nil {
		return err
	}
	each := len(z) / n
	for i := range n {
		w, err := analyse.Roll(s.result, s.out, z[i*each:(i+1)*each], home)
		if err != nil {
			return err
		}
		if err := sum.Add(y[i*each:(i+1)*each], w); err != nil {
			return err
		}
	}
	return nil
}

// outputs returns a copy of p's results for x, as far as the network reads them.
func (s *site) outputs(p *program, x []float32) ([]float32, error) {
	y, err := p.run(x)
	y = slices.Clone(y)
	if err != nil || !s.gauge.Center {
		return y, err
	}
	for row := range slices.Chunk(y, s.out) {
		mean := 0.0
		for _, v := range row {
			mean += float64(v) / float64(len(row))
		}
		for i, v := range row {
			row[i] = float32(float64(v) - mean)
		}
	}
	return y, nil
}

// direction fills c, (out), with random signs for an image, less their mean if the network ignores it: the gradient of
// Σ_o c_o·y_o has, on average, the squared norm of the gradients of all channels of C·y.
func (s *site) direction(c []float64, image int) {
	rng, mean := stream.Rand(uint64(image), "analyse/receptive field"), 0.0
	for o := range c {
		c[o] = float64(2*rng.IntN(2) - 1)
		mean += c[o] / float64(len(c))
	}
	if s.gauge.Center {
		for o := range c {
			c[o] -= mean
		}
	}
}

// receptive measures where in the image the gradient of what a layer returns for its center token is, around the pixel
// in the middle of that token, and the least K whose square has all of it.
func receptive(ctx context.Context, net *model.Network, s *site, images data.Split) (r analyse.Receptive, all int,
	err error) {
	image, count := net.Spec.Image, images.Len()
	x := &nn.Param{Name: "image", Shape: []int{count, image[0], image[1], image[2]},
		Data: make([]float32, count*image[0]*image[1]*image[2])}
	c := [2]int{s.result.Rows / 2, s.result.Cols / 2}
	var loss *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool { return name == "model."+s.path+nn.LayerOutput })
		net.Layer.Forward(g, g.Use(x))
		n := s.result.Tokens() * s.out
		w := &op.Weights{C: make([]float64, count*n)}
		for i := range count {
			at := i*n + (c[0]*s.result.Cols+c[1])*s.out
			s.direction(w.C[at:at+s.out], i)
		}
		loss = op.Apply(op.WeightedOp{By: w}, g.Taps()[0].Node)
	})
	if err != nil {
		return r, 0, err
	}
	f, err := nn.Compile(g, loss)
	if err != nil {
		return r, 0, err
	}
	defer f.Close()
	params, grads := f.Gradients()
	grad := grads[slices.Index(params, x)]
	grid := analyse.Grid{Rows: image[0], Cols: image[1]}
	energy := make([]float64, grid.Tokens())
	err = eachBatch(ctx, images, count, func(b *data.Batch) error {
		copy(x.Data, b.X)
		if err := f.Run(0); err != nil {
			return err
		}
		for i, v := range nn.Value(grad) {
			energy[i/image[2]%len(energy)] += float64(v) * float64(v)
		}
		return nil
	})
	if err != nil {
		return r, 0, err
	}
	center := [2]int{}
	for a := range 2 {
		side := image[a] / [2]int{s.result.Rows, s.result.Cols}[a]
		center[a] = c[a]*side + side/2
	}
	for k, v := range energy {
		if v > 0 {
			all = max(all, analyse.Shift{k/image[1] - center[0], k%image[1] - center[1]}.Side())
		}
	}
	r, err = analyse.ReceptiveField(grid, energy, center[0]*image[1]+center[1])
	return r, all, err
}

// networkTables lists the measures of a whole network; none if they were not asked for.
func networkTables(d Analysis) []*table.Table {
	if d.Network == nil {
		return nil
	}
	t := layerTable(layersWith(d, func(l Layer) bool { return l.Symmetry != nil }), symmetryColumns(), d.Source+
		"   how layers by themselves follow shifts, and where in the image they look, in pixels",
		fmt.Sprintf("null    mean of %s", table.Count(d.Network.Untrained, "untrained network")),
		"defect  0: a shift by one token, on a torus, shifts the output; 1: it changes it as another image does",
		"r50     radius with half of the gradient of the center token, r90 with 90 %; K90: the square; all: the "+
			"square with all",
		"in      R² of the best 3 × 3 convolution of tokens that are not at a border; edge: of all tokens, at the "+
			"border")
	return append([]*table.Table{t}, similarTables(d.Network.CKA)...)
}

// symmetryColumns are the columns of layers that have symmetries.
func symmetryColumns() []column {
	columns := []column{numbered}
	add := func(head string, cell func(s *LayerSymmetry) table.Cell) {
		columns = append(columns, right(head, "", func(l Layer) table.Cell { return cell(l.Symmetry) }))
	}
	pair := func(head, format string, of func(s *LayerSymmetry) NullTest) {
		add(head, func(s *LayerSymmetry) table.Cell { return number(of(s).Value, format) })
		add("null", func(s *LayerSymmetry) table.Cell { return number(bandOr(of(s).Untrained).Mean, format) })
	}
	r2 := func(n *NullTest) NullTest { return *cmp.Or(n, &NullTest{Value: null.Unknown}) }
	pair("defect", "%.2f", func(s *LayerSymmetry) NullTest { return s.Defect })
	pair("r50", "%.1f", func(s *LayerSymmetry) NullTest { return s.Radius50 })
	pair("r90", "%.1f", func(s *LayerSymmetry) NullTest { return s.Radius90 })
	add("K90", func(s *LayerSymmetry) table.Cell { return number(s.Side90.Value, "%.0f") })
	add("all", func(s *LayerSymmetry) table.Cell { return table.Words(fmt.Sprint(s.SideAll)) })
	pair("in", "%.2f", func(s *LayerSymmetry) NullTest { return r2(s.Interior) })
	pair("edge", "%.2f", func(s *LayerSymmetry) NullTest { return r2(s.Border) })
	return columns
}
