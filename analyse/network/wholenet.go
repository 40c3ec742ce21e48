package network

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// Images of the measures of a whole network. They are means over images that vary little.
const (
	shiftedImages = 100
	movedImages   = 20 // of Lie derivatives, two passes an axis each
	fieldImages   = 20
	similarImages = 500
	freshNetworks = 3 // untrained ones to compare with
)

// symmetry is what is measured of one network: of each site, and of its logits.
type symmetry struct {
	defect, lee     []float64
	field           []analyse.Receptive
	all             []int       // the least K whose square around the center has every gradient that is not zero
	shifted         []shiftedBy // of the logits
	lieLogits, lee2 float64
}

// shiftedBy is the defect of logits for a shift in pixels.
type shiftedBy struct {
	pixels int
	defect float64
}

// wholeNetwork measures symmetries, receptive fields and similarities of layers, beside untrained networks.
func (m *measuring) wholeNetwork(ctx context.Context) error {
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
	var fresh []*symmetry
	err = m.eachFresh(ctx, freshNetworks, func(n int, net *model.Network) error {
		m.tell("the same of untrained network %d of %d", n+1, m.freshOnes(freshNetworks))
		of, err := m.symmetryOf(ctx, net)
		fresh = append(fresh, of)
		return err
	})
	if err != nil {
		return err
	}
	for i := range m.sites {
		at := func(of func(s *symmetry) float64) NullTest { return nulled(own, fresh, of) }
		m.d.Layers[i].Symmetry = &LayerSymmetry{
			Defect:   at(func(s *symmetry) float64 { return s.defect[i] }),
			LEE:      at(func(s *symmetry) float64 { return s.lee[i] }),
			Radius50: at(func(s *symmetry) float64 { return s.field[i].Radius50 }),
			Radius90: at(func(s *symmetry) float64 { return s.field[i].Radius90 }),
			Side50:   at(func(s *symmetry) float64 { return float64(s.field[i].Side50) }),
			Side90:   at(func(s *symmetry) float64 { return float64(s.field[i].Side90) }),
			SideAll:  own.all[i],
		}
		if near := m.sites[i].near; near != nil {
			s := m.d.Layers[i].Symmetry
			s.Interior, s.Border = &NullTest{Value: null.Float(near.inside)}, &NullTest{Value: null.Float(near.border)}
			if m.against.r2 != nil {
				s.Interior.Untrained = bandOf(m.against.r2[i].near, func(n nearBorder) float64 { return n.inside })
				s.Border.Untrained = bandOf(m.against.r2[i].near, func(n nearBorder) float64 { return n.border })
			}
		}
	}
	d := &NetworkSymmetry{Untrained: len(fresh), Shifts: []ShiftedLogits{},
		LEE:      nulled(own, fresh, func(s *symmetry) float64 { return s.lieLogits }),
		Relative: nulled(own, fresh, func(s *symmetry) float64 { return s.lee2 })}
	for i, step := range own.shifted {
		d.Shifts = append(d.Shifts, ShiftedLogits{Pixels: step.pixels,
			Defect: nulled(own, fresh, func(s *symmetry) float64 { return s.shifted[i].defect })})
	}
	if d.CKA, err = m.similar(ctx, m.Subject); err != nil {
		return err
	}
	m.d.Network = d
	return nil
}

func nulled(own *symmetry, fresh []*symmetry, of func(s *symmetry) float64) NullTest {
	return NullTest{Value: null.Float(of(own)), Untrained: bandOf(fresh, of)}
}

// bandOf is the band of a value of untrained networks; nil if it is defined for none.
func bandOf[T any](fresh []T, of func(T) float64) *analyse.Band {
	var draws []float64
	for _, s := range fresh {
		if v := of(s); !math.IsNaN(v) {
			draws = append(draws, v)
		}
	}
	if len(draws) == 0 {
		return nil
	}
	return new(analyse.NewBand(draws))
}

// symmetryOf measures one network.
func (m *measuring) symmetryOf(ctx context.Context, net *model.Network) (*symmetry, error) {
	sites, err := sitesOf(net)
	if err != nil {
		return nil, err
	}
	s := &symmetry{}
	images := m.score.Subset(upTo(0, min(shiftedImages, m.score.Len())))
	for _, site := range sites {
		defect, lee, err := layerSymmetry(ctx, net, site, images)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", site.path, err)
		}
		field, all, err := receptive(ctx, net, site, m.score.Subset(upTo(0, min(fieldImages, m.score.Len()))))
		if err != nil {
			return nil, fmt.Errorf("%s: receptive field: %w", site.path, err)
		}
		s.defect, s.lee, s.field, s.all = append(s.defect, defect), append(s.lee, lee), append(s.field, field),
			append(s.all, all)
	}
	return s, s.ofLogits(ctx, net, images)
}

// layerSymmetry returns the shift defect of a layer, for one token of its output along either axis of a torus, and its
// Lie derivative as the defect's limit, ε_t/t² for t → 0: E‖L f‖² / (2·tr Cov f). Shifts are of tokens of the input.
func layerSymmetry(ctx context.Context, net *model.Network, s *site, images data.Split) (defect, lee float64,
	err error) {
	r, err := newFeatures(net, s)
	if err != nil {
		return 0, 0, err
	}
	defer r.f.Close()
	p, err := layerAlone(net, s, batch)
	if err != nil {
		return 0, 0, err
	}
	defer p.f.Close()
	one, err := layerAlone(net, s, 1)
	if err != nil {
		return 0, 0, err
	}
	defer one.f.Close()
	in, out := analyse.Field{Grid: s.grid, Channels: s.in}, analyse.Field{Grid: s.result, Channels: s.out}
	sum, err := newShifting(in, out, movedImages)
	if err != nil {
		return 0, 0, err
	}
	sum.center = s.gauge.Center
	step := [2]int{max(1, s.grid.Rows/s.result.Rows), max(1, s.grid.Cols/s.result.Cols)}
	err = r.each(ctx, images, func(n int) error {
		x := append([]float32{}, r.of(0, 0, n)...)
		return sum.add(p, one, x, n, step, [2]int{1, 1})
	})
	return sum.defect.Value(), sum.relative(), err
}

// ofLogits measures a network on shifted images.
func (s *symmetry) ofLogits(ctx context.Context, net *model.Network, images data.Split) error {
	image := net.Spec.Image
	p, err := wholeProgram(net, batch)
	if err != nil {
		return err
	}
	defer p.f.Close()
	one, err := wholeProgram(net, 1)
	if err != nil {
		return err
	}
	defer one.f.Close()
	in := analyse.Field{Grid: analyse.Grid{Rows: image[0], Cols: image[1]}, Channels: image[2]}
	out := analyse.Field{Grid: analyse.Grid{Rows: 1, Cols: 1}, Channels: p.y.Shape()[1]}
	for pixels := 1; pixels <= min(8, image[0]/2, image[1]/2); pixels *= 2 {
		moves := 0
		if pixels == 1 { // the derivative is the same for every shift
			moves = movedImages
		}
		sum, err := newShifting(in, out, moves)
		if err != nil {
			return err
		}
		err = eachBatch(ctx, images, batch, func(b *data.Batch) error {
			return sum.add(p, one, b.X[:len(b.X)/batch*b.N], b.N, [2]int{pixels, pixels}, [2]int{})
		})
		if err != nil {
			return err
		}
		s.shifted = append(s.shifted, shiftedBy{pixels, sum.defect.Value()})
		if pixels == 1 {
			s.lieLogits, s.lee2 = sum.lie(), sum.relative()
		}
	}
	return nil
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
