package conv

import "github.com/attnconv/attnconv/internal/choice"

// A Start is the initial weights of convolutions.
type Start struct {
	Name, Help string
	change     func(*Conv) // of what New has drawn; nil: none
}

// Entry implements choice.Choice.
func (s Start) Entry() (name, help string) { return s.Name, s.Help }

// Starts lists the initial weights of convolutions.
//
// Dirac is the partial identity of Zagoruyko, Komodakis 2017 (arXiv:1706.00388), as Jordan 2024 (arXiv:2404.00498) has it for
// every convolution but the first of a network: of a k × k kernel, p = ⌊(k-1)/2⌋,
//
//	W[o, i, u, v] = 1 if o = i and u = v = p, else 0,  for o < min(in, out)
//
// so that these channels begin as those of the input, those at every s-th pixel with stride s. The other filters stay as drawn.
var Starts = choice.List[Start]{
	{"random", "drawn, as PyTorch's", nil},
	{"dirac", "the first filters repeat the input's channels", (*Conv).identity},
}

// Init changes the weights of c, as New has drawn them, to those of the start.
func (s Start) Init(c *Conv) {
	if s.change != nil && c.W.Data != nil { // a shape alone has no values
		s.change(c)
	}
}

// identity makes the first min(in, out) filters the identity.
func (c *Conv) identity() {
	out, in, k := c.W.Shape[0], c.W.Shape[1], c.W.Shape[2]
	n, centre := min(in, out), (k-1)/2*(k+1)
	clear(c.W.Data[:n*in*k*k])
	for o := range n {
		c.W.Data[(o*in+o)*k*k+centre] = 1
	}
}
