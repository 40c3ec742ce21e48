package measure

import (
	"context"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/report"
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
	for seed := uint64(0); m.Fresh != nil && int(seed) < min(freshNetworks, m.o.Seeds); seed++ {
		m.tell("the same of untrained network %d of %d", seed+1, min(freshNetworks, m.o.Seeds))
		net, err := m.Fresh(m.o.Seed + 1000 + seed)
		if err != nil {
			return err
		}
		of, err := m.symmetryOf(ctx, net)
		if err != nil {
			return err
		}
		fresh = append(fresh, of)
	}
	for i := range m.sites {
		at := func(of func(s *symmetry) float64) report.Nulled { return nulled(own, fresh, of) }
		m.d.Layers[i].Symmetry = &report.LayerSymmetry{
			Defect: at(func(s *symmetry) float64 { return s.defect[i] }), LEE: at(func(s *symmetry) float64 { return s.lee[i] }),
			Radius50: at(func(s *symmetry) float64 { return s.field[i].Radius50 }), Radius90: at(func(s *symmetry) float64 { return s.field[i].Radius90 }),
			Side50: at(func(s *symmetry) float64 { return float64(s.field[i].Side50) }), Side90: at(func(s *symmetry) float64 { return float64(s.field[i].Side90) }),
			SideAll: own.all[i], Interior: m.sites[i].inside, Border: m.sites[i].border,
		}
	}
	d := &report.NetworkSymmetry{Untrained: len(fresh), Shifts: []report.ShiftedLogits{},
		LEE: nulled(own, fresh, func(s *symmetry) float64 { return s.lieLogits }), Relative: nulled(own, fresh, func(s *symmetry) float64 { return s.lee2 })}
	for i, step := range own.shifted {
		d.Shifts = append(d.Shifts, report.ShiftedLogits{Pixels: step.pixels, Defect: nulled(own, fresh, func(s *symmetry) float64 { return s.shifted[i].defect })})
	}
	if d.CKA, d.CKAImages, err = m.similar(ctx, m.Subject); err != nil {
		return err
	}
	m.d.Network = d
	return nil
}

func nulled(own *symmetry, fresh []*symmetry, of func(s *symmetry) float64) report.Nulled {
	n := report.Nulled{Value: report.Finite(of(own))}
	var draws []float64
	for _, s := range fresh {
		if v := of(s); !math.IsNaN(v) {
			draws = append(draws, v)
		}
	}
	if len(draws) > 0 {
		b := analyse.NewBand(draws)
		n.Untrained = &report.NullBand{Mean: report.Finite(b.Mean), Std: report.Finite(b.Std), Lo: report.Finite(b.Lo), Hi: report.Finite(b.Hi)}
	}
	return n
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
		s.defect, s.lee, s.field, s.all = append(s.defect, defect), append(s.lee, lee), append(s.field, field), append(s.all, all)
	}
	return s, s.ofLogits(ctx, net, images)
}

// A program computes a part of a network for values of a node in it.
type program struct {
	f     *nn.Func
	x     []float32 // (images, …)
	y     *nn.Node
	count int // images
}

// run returns the results for some images. It is overwritten by the next call.
func (p *program) run(x []float32) ([]float32, error) {
	copy(p.x, x)
	if err := p.f.Run(0); err != nil {
		return nil, err
	}
	y := nn.Value(p.y)
	return y[:len(y)/p.count*(len(x)*p.count/len(p.x))], nil
}

// layerAlone computes the output of a layer from its input.
func layerAlone(net *model.Network, s *site, count int) (*program, error) {
	p, image := &program{count: count}, net.Spec.Image
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool { return name == "model."+s.path+nn.LayerOutput })
		g.Put(func(name string, n *nn.Node) *nn.Node {
			if name == "model."+s.path+nn.LayerInput {
				p.x = make([]float32, n.Shape().TotalSize())
				return g.Input("input of the layer", p.x, n.Shape()...)
			}
			return n
		})
		net.Layer.Forward(g, g.Input("x", make([]float32, count*image[0]*image[1]*image[2]), count, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	p.y = g.Taps()[0].Node
	p.f, err = nn.Compile(g, nil)
	return p, err
}

// wholeProgram computes logits from images.
func wholeProgram(net *model.Network, count int) (*program, error) {
	image := net.Spec.Image
	p := &program{count: count, x: make([]float32, count*image[0]*image[1]*image[2])}
	g, err := nn.Build(false, func(g *nn.Graph) {
		p.y = net.Layer.Forward(g, g.Input("x", p.x, count, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	p.f, err = nn.Compile(g, nil, p.y)
	return p, err
}

// layerSymmetry returns the shift defect of a layer, for one token of its output along either axis of a torus, and its Lie derivative as
// the defect's limit, ε_t/t² for t → 0: E‖L f‖² / (2·tr Cov f). Shifts are of tokens of the input.
func layerSymmetry(ctx context.Context, net *model.Network, s *site, images data.Split) (defect, lee float64, err error) {
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
	sum, err := newShifting(in, out)
	if err != nil {
		return 0, 0, err
	}
	step := [2]int{max(1, s.grid.Rows/s.result.Rows), max(1, s.grid.Cols/s.result.Cols)}
	err = r.each(ctx, images, func(n int) error {
		x := append([]float32{}, r.of(0, 0, n)...)
		return sum.add(p, one, x, n, step, [2]int{1, 1})
	})
	return sum.defect.Value(), sum.relative(), err
}

// A shifting accumulates the symmetry of a program.
type shifting struct {
	in, out analyse.Field
	defect  *analyse.Defect
	lee     float64 // Σ ‖L f‖² per output element, of moved images and two axes
	moved   int
	images  float64
	sum     []float64
	squares float64
}

func newShifting(in, out analyse.Field) (*shifting, error) {
	d, err := analyse.NewDefect(out.Grid.Tokens() * out.Channels)
	return &shifting{in: in, out: out, defect: d, sum: make([]float64, out.Grid.Tokens()*out.Channels)}, err
}

// add adds n images x. A shift of step tokens of the input is one of back tokens of the output; one computes single images.
func (s *shifting) add(p, one *program, x []float32, n int, step, back [2]int) error {
	y, err := p.run(x)
	if err != nil {
		return err
	}
	y = append([]float32{}, y...)
	each := len(y) / n
	for i, v := range y {
		s.sum[i%each] += float64(v)
		s.squares += float64(v) * float64(v)
	}
	s.images += float64(n)
	for axis := range 2 {
		there, home := analyse.Shift{}, analyse.Shift{}
		there[axis], home[axis] = step[axis], -back[axis]
		if err := s.shift(p, x, y, n, there, home); err != nil {
			return err
		}
	}
	for i := 0; i < n && s.moved < movedImages; i++ {
		if err := s.move(one, x[i*len(x)/n:(i+1)*len(x)/n]); err != nil {
			return err
		}
	}
	return nil
}

// shift adds f(x) = y and T₋ₛ f(Tₛ x).
func (s *shifting) shift(p *program, x, y []float32, n int, there, home analyse.Shift) error {
	var moved []float32
	for i := range n {
		m, err := analyse.Roll(s.in.Grid, s.in.Channels, x[i*len(x)/n:(i+1)*len(x)/n], there)
		if err != nil {
			return err
		}
		moved = append(moved, m...)
	}
	z, err := p.run(moved)
	if err != nil {
		return err
	}
	each := len(z) / n
	for i := range n {
		w := z[i*each : (i+1)*each]
		if s.out.Grid.Tokens() > 1 {
			if w, err = analyse.Roll(s.out.Grid, s.out.Channels, w, home); err != nil {
				return err
			}
		}
		if err := s.defect.Add(y[i*each:(i+1)*each], w); err != nil {
			return err
		}
	}
	return nil
}

// move adds the Lie derivatives of an image.
func (s *shifting) move(one *program, x []float32) error {
	var failed error
	f := func(x []float64) []float64 {
		narrow := make([]float32, len(x))
		for i, v := range x {
			narrow[i] = float32(v)
		}
		y, err := one.run(narrow)
		if err != nil {
			failed = err
		}
		wide := make([]float64, len(y))
		for i, v := range y {
			wide[i] = float64(v)
		}
		return wide
	}
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	for axis := range 2 {
		v, err := analyse.LieDerivative(f, s.in, s.out, wide, axis)
		if failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
		s.lee += v
	}
	s.moved++
	return nil
}

// lie is the mean of ‖L f‖² per output element, over images and the two axes.
func (s *shifting) lie() float64 { return s.lee / float64(2*s.moved) }

// relative is E‖L f‖² / (2·tr Cov f).
func (s *shifting) relative() float64 {
	variance := s.squares
	for _, v := range s.sum {
		variance -= v * v / s.images
	}
	variance /= s.images - 1
	if !(variance > 1e-12*s.squares/s.images) {
		return math.NaN()
	}
	return s.lie() * float64(len(s.sum)) / (2 * variance)
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
		sum, err := newShifting(in, out)
		if err != nil {
			return err
		}
		if pixels > 1 {
			sum.moved = movedImages // once
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

// receptive measures where in the image the gradient of what a layer returns for its center token is, around the pixel in the middle
// of that token, and the least K whose square has all of it.
func receptive(ctx context.Context, net *model.Network, s *site, images data.Split) (r analyse.Receptive, all int, err error) {
	image, count := net.Spec.Image, min(fieldImages, images.Len())
	x := &nn.Param{Name: "image", Shape: []int{count, image[0], image[1], image[2]}, Data: make([]float32, count*image[0]*image[1]*image[2])}
	c := [2]int{s.result.Rows / 2, s.result.Cols / 2}
	var loss *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool { return name == "model."+s.path+nn.LayerOutput })
		net.Layer.Forward(g, g.Use(x))
		n := s.result.Tokens() * s.out
		w := &op.Weights{C: make([]float64, count*n)}
		for i := range count {
			for o := range s.out {
				w.C[i*n+(c[0]*s.result.Cols+c[1])*s.out+o] = 1
			}
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
	grid := analyse.Grid{Rows: image[0], Cols: image[1]}
	energy := make([]float64, grid.Tokens())
	err = eachBatch(ctx, images.Subset(upTo(0, count)), count, func(b *data.Batch) error {
		copy(x.Data, b.X)
		if err := f.Run(0); err != nil {
			return err
		}
		for i, p := range params {
			if p != x {
				continue
			}
			for j, v := range nn.Value(grads[i]) {
				energy[j/image[2]%len(energy)] += float64(v) * float64(v)
			}
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
