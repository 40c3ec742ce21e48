package explorer

import (
	"context"
	"math"
	"net/http"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
)

// near is the largest shift along each axis, in tokens, that the page shows of a head's mean attention.
const near = 5

// A Means document is where all heads of a network look on average after an epoch: for each shift δ, the mean attention
// p̄(δ) over all queries q for which the grid has a token q+δ.
type Means struct {
	V      int         `json:"v"`
	Epoch  int         `json:"epoch"`
	Images int         `json:"images"` // that attention was averaged over; 0: it does not depend on the image
	Layers []MeanLayer `json:"layers"` // those that attend
}

// A MeanLayer is a layer of a Means document.
type MeanLayer struct {
	Share
	Heads []MeanHead `json:"heads"`
}

// A MeanHead is a head of a Means document. Center, Half and Tap are those of the command analyse.
type MeanHead struct {
	Center [2]float64 `json:"center"` // mean shift: row, column
	Half   float64    `json:"half"`   // least radius around the center, in tokens, that has half of the attention
	Tap    [2]int     `json:"tap"`    // the shift with the largest mean attention
	Weight float64    `json:"weight"` // that mean attention
	Most   float64    `json:"most"`   // largest mean attention in Near
	Near   []byte     `json:"near"`   // shifts from (-5, -5) to (5, 5), by rows; a byte b is Most·(b/255)²
}

// means answers with the mean attention of all heads after an epoch.
func (s *Server) means(w http.ResponseWriter, r *http.Request) error {
	n, err := number(r, "epoch")
	if err != nil {
		return err
	}
	m, err := s.model(r, n)
	if err != nil {
		return err
	}
	images, err := s.averaged(m)
	if err != nil {
		return err
	}
	operators, err := network.Operators(r.Context(), m.Net, images)
	if err != nil {
		return err
	}
	if len(operators) == 0 {
		return &refusal{http.StatusNotFound, "no layer attends"}
	}
	d := Means{V: 1, Epoch: n, Images: images.Len()}
	for _, o := range operators {
		l, err := meanLayer(o)
		if err != nil {
			return err
		}
		d.Layers = append(d.Layers, l)
	}
	return respond(w, r, d)
}

// meanLayer says where the heads of a layer look on average.
func meanLayer(o *analyse.Operator) (l MeanLayer, err error) {
	shares, err := o.Shares(0)
	if err != nil {
		return l, err
	}
	l.Share = Share{shares.Within(3), shares.Place}
	for h, g := range o.Geometry() {
		head := MeanHead{Center: g.Center, Half: g.Half, Tap: g.Peak, Weight: g.PeakMean}
		head.Most, head.Near = nearby(o, h)
		l.Heads = append(l.Heads, head)
	}
	return l, nil
}

// nearby returns the mean attention of a head at small shifts, (11, 11), as bytes of its square root.
func nearby(o *analyse.Operator, h int) (most float64, b []byte) {
	const side = 2*near + 1
	var p [side * side]float64
	for i := range p {
		p[i] = o.MeanByShift(h, analyse.Shift{i/side - near, i%side - near})
		most = max(most, p[i])
	}
	b = make([]byte, len(p))
	for i, v := range p {
		b[i] = byte(math.Round(255 * math.Sqrt(v/max(most, math.SmallestNonzeroFloat64))))
	}
	return most, b
}

// averaged returns the images that a network's attention is averaged over: the test images of the page, or none for
// attention that does not depend on the image.
func (s *Server) averaged(m *loaded) (none data.Split, err error) {
	byImage := false
	if err := m.read(func(r *heads.Reader) error { byImage = r.ByImage; return nil }); err != nil || !byImage {
		return none, err
	}
	set, err := s.set(m.Origin())
	if err != nil {
		return none, err
	}
	test, err := set.Part("test", m.Config.Data)
	if err != nil {
		return none, err
	}
	return test.Subset(different(test.Labels, sampleSize)), nil
}

// within3 returns each layer's share of the nearest 3 × 3 convolution.
func within3(ctx context.Context, net *model.Network, images data.Split) (shares []float64, err error) {
	operators, err := network.Operators(ctx, net, images)
	if err != nil {
		return nil, err
	}
	for _, o := range operators {
		s, err := o.Shares(0)
		if err != nil {
			return nil, err
		}
		shares = append(shares, s.Within(3))
	}
	return shares, nil
}
