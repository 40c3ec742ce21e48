package op

// A Cost is what an operation takes for the inputs that it has in a graph. Only products are counted: element by
// element, work is bound by memory.
type Cost struct {
	Definition int // multiply-adds as the equation says
	Run        int // as the kernel does them
	Paper      int // as the paper's table counts: of only linear maps and convolutions

	Largest [3]int // its largest product (m, k)·(k, n)
	Field   Field
}

// A Field is what a position of the result depends on: Size × Size positions of the first input, Step apart from one
// result to the next, or all of them. The zero Field is the position itself.
type Field struct {
	Size, Step int
	Whole      bool
}

// product is the cost of (m, k)·(k, n) between parameters.
func product(m, k, n int) Cost {
	return Cost{Definition: m * k * n, Run: m * k * n, Largest: [3]int{m, k, n}}
}

// mapped is that of rows mapped from in to out channels.
func mapped(rows, in, out int) Cost {
	c := product(rows, in, out)
	c.Paper = c.Run
	return c
}

// mixing is that of n multiply-adds between tokens.
func mixing(n int) Cost { return Cost{Definition: n, Run: n, Field: Field{Whole: true}} }

// and adds d up with c, and keeps the larger of their products.
func (c Cost) and(d Cost) Cost {
	c.Definition, c.Run, c.Paper = c.Definition+d.Definition, c.Run+d.Run, c.Paper+d.Paper
	if volume(d.Largest) > volume(c.Largest) {
		c.Largest = d.Largest
	}
	return c
}

func volume(p [3]int) int { return p[0] * p[1] * p[2] }
