package analyse

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// Content is E‖L_X‖² of a layer whose attention depends on the image X, in parts that add up to 1. By Pythagoras,
//
//	E‖L_X‖² = ‖Π L̄‖² + ‖L̄ - Π L̄‖² + E‖L_X - L̄‖²,  L̄ = E L_X
//
// for the projection Π on the convolutions with zero borders.
type Content struct {
	Images int         `json:"images"` // n, that attention was averaged over
	Sample ImageShares `json:"sample"` // with the mean over these n images as E
	// Unbiased are the parts for all images, of which these are a sample: content of n images is too low by 1/n, and
	// place too high. They have (n·‖L̄‖² - mean ‖L_X‖²)/(n - 1) instead of ‖L̄‖², and the same for Π L̄ and Π L_X. A
	// part may be negative, by as much as the images leave open.
	Unbiased ImageShares `json:"unbiased"`
}

// ImageShares are the parts of E‖L_X‖².
type ImageShares struct {
	Mean    Shares  `json:"mean"`    // of L̄: one convolution, by its size, and what depends on the place
	Content float64 `json:"content"` // what depends on the image
}

// Content returns the parts of E‖L_X‖² of the operator of a.Mean(). The error is for fewer than two images, or for
// other attention. It takes 6·H² multiplications.
func (o *Operator) Content(a *Attention) (c Content, err error) {
	heads := len(o.Layer.Maps)
	if a.Images < 2 {
		return c, wrong("attention", "%d images: want two or more", a.Images)
	}
	if len(a.sum) != heads || a.Grid != o.Layer.Grid {
		return c, wrong("attention", "%d heads of %d × %d tokens, of a layer of %d of %d × %d", len(a.sum), a.Grid.Rows,
			a.Grid.Cols, heads, o.Layer.Grid.Rows, o.Layer.Grid.Cols)
	}
	a.products.fold()
	each := func(products []float64) (sum float64) { // Σ_hg ⟨P^h, P^g⟩⟨W_h, W_g⟩, a mean over images
		for h := range heads {
			for g := range h + 1 {
				sum += float64(2-btoi(g == h)) * products[h*heads+g] * o.values[h*heads+g]
			}
		}
		return sum / float64(a.Images)
	}
	norm := each(a.products.all)
	var of, rings [len(a.products.rings)]float64 // mean ‖L_X‖², and ‖L̄‖²
	for i := range of {
		of[i] = each(a.products.rings[i])
	}
	for i, e := range o.whole.rings {
		rings[min(i, len(rings)-1)] += e
	}
	c.Images = a.Images
	c.Sample = imageShares(norm, max(o.whole.total, o.whole.conv), rings)
	n := float64(a.Images)
	for i, e := range rings {
		rings[i] = (n*e - of[i]) / (n - 1)
	}
	c.Unbiased = imageShares(norm, (n*o.whole.total-norm)/(n-1), rings)
	return c, nil
}

// imageShares divides a norm, of which so much is of the mean, with convolutions of each size.
func imageShares(norm, mean float64, rings [5]float64) ImageShares {
	return ImageShares{Shares{rings[0] / norm, rings[1] / norm, rings[2] / norm, rings[3] / norm, rings[4] / norm,
		(mean - floats.Sum(rings[:])) / norm}, 1 - mean/norm}
}

// products are sums over images of the products of the heads of one image.
type products struct {
	all   []float64    // Σ_X ⟨P^h, P^g⟩, (H, H), for g ≤ h
	rings [5][]float64 // Σ_X Σ_δ N_δ·p̄_h(δ)·p̄_g(δ), over the shifts that K = 1, 3, 5, 7 add, and larger ones
	grid  Grid
	place []int       // of each shift, by Grid.Index, in the order of the rings
	end   [5]int      // of each ring, in this order
	now   [][]float64 // P^h of the image that was added last
	means [][]float64 // √N_δ·p̄_h(δ) of it, in this order

	pending bool // that image is not in the sums yet: a layer that is added once needs none
}

// fold adds the products of the last image, unless they have been.
func (p *products) fold() {
	if !p.pending {
		return
	}
	p.pending = false
	threads.Parallel(len(p.now), p.shifts)
	threads.Parallel(len(p.now), p.add)
}

func newProducts(g Grid, heads int) products {
	shifts := g.Shifts()
	p := products{grid: g, all: make([]float64, heads*heads), place: make([]int, len(shifts)),
		now: make([][]float64, heads), means: make([][]float64, heads)}
	at := 0
	for ring := range p.rings {
		p.rings[ring] = make([]float64, heads*heads)
		for _, s := range shifts {
			if min(s.Side()/2, len(p.rings)-1) == ring {
				p.place[g.Index(s)] = at
				at++
			}
		}
		p.end[ring] = at
	}
	for h := range heads {
		p.now[h], p.means[h] = make([]float64, g.Tokens()*g.Tokens()), make([]float64, len(shifts))
	}
	return p
}

// shifts sets the means of a head to those of its attention now.
func (p *products) shifts(h int) {
	g, n := p.grid, p.grid.Tokens()
	wide := 2*g.Cols - 1
	sums := make([]float64, len(p.place)) // N_δ·p̄(δ)
	for q := range n {
		for row := range g.Rows { // keys of a row have neighboring shifts
			at := g.Index(g.Shift(q, row*g.Cols))
			floats.Add(sums[at:at+g.Cols], p.now[h][q*n+row*g.Cols:][:g.Cols])
		}
	}
	for at, sum := range sums {
		pairs := (g.Rows - abs(at/wide-g.Rows+1)) * (g.Cols - abs(at%wide-g.Cols+1))
		p.means[h][p.place[at]] = sum / math.Sqrt(float64(pairs))
	}
}

// add adds the products of a head with those up to it.
func (p *products) add(h int) {
	for g := range h + 1 {
		at, first := h*len(p.now)+g, 0
		p.all[at] += floats.Dot(p.now[h], p.now[g])
		for ring, end := range p.end {
			p.rings[ring][at] += floats.Dot(p.means[h][first:end], p.means[g][first:end])
			first = end
		}
	}
}
