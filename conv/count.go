package conv

import "github.com/attnconv/attnconv/nn"

// Params counts the parameters of the network without building it. Running statistics are none.
func (o ResNetOptions) Params() int {
	n := 0
	o.each(func(in, out, size, stride int) { n += size*size*in*out + 2*out })
	return n + o.Width<<3*o.Classes + o.Classes
}

// work counts the multiply-adds of the forward pass of an image, by definition.
func (o ResNetOptions) work() (work nn.Work) {
	rows, cols := o.Rows, o.Cols
	o.each(func(in, out, size, stride int) {
		if size > 1 && stride == 2 { // the shortcut beside it comes after
			rows, cols = (rows+1)/2, (cols+1)/2
		}
		work.Map(rows*cols, size*size*in, out)
	})
	work.Map(1, o.Width<<3, o.Classes)
	return work
}

// Work counts the multiply-adds of an image's forward pass by definition. Winograd's algorithm does with fewer.
func (n *ResNet) Work(bool) (nn.Work, error) { return n.size.work(), nil }

// each calls f for every convolution, in the order of the network.
func (o ResNetOptions) each(f func(in, out, size, stride int)) {
	f(o.Channels, o.Width, 3, 1)
	in := o.Width
	for i, depth := range o.Depths {
		out := o.Width << i
		for j := range depth {
			stride := 1
			if i > 0 && j == 0 {
				stride = 2
			}
			f(in, out, 3, stride)
			f(out, out, 3, 1)
			if stride != 1 || in != out {
				f(in, out, 1, stride)
			}
			in = out
		}
	}
}
