package attention

import (
	"errors"
	"fmt"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Work counts the multiply-adds of an image's forward pass, for T tokens and D channels:
//
//	T·n·D + D·classes                 stem, from n numbers a token, and head
//	T·H·C·D                           each layer: value and dense map, folded into one W_h for each head
//	T·H·d·(C+D)                       the two apart where heads have values of d numbers
//	T·H·C·(rows+cols) or T·H·C·T      mixing, along rows and columns where the scores are separable; of d, not C, numbers
//	posenc.Content.MACs               scores that depend on the image
//	rate·C·(pairs with P ≥ 2⁻³²)      dropped pairs, taken out of a separable mixing
//	2·T·D·F                           feed-forward
//	T·k²·D·D                          a convolution in the place of attention, and dense map, folded into one
//
// C is D, but in the first layer no more than n+1, unless positions are added before it: its input is an affine map of n
// numbers.
func (n *Stack) Work(train bool) (nn.Work, error) {
	d, in := n.Upscale.W.Shape[0], n.Upscale.W.Shape[1]
	tokens := n.grid.Rows * n.grid.Cols
	var work nn.Work
	work.Map(tokens, in, d)
	work.Map(1, d, n.Classify.W.Shape[0])
	for i := range n.Blocks {
		b, columns := n.block(i), d
		if i == 0 && n.Absolute == nil {
			columns = min(d, in+1)
		}
		ffn := b.Up.W.Shape[0]
		switch l := b.Mix.(type) {
		case *conv.Conv:
			work.Map(tokens, len(l.W.Data)/d, d)
		case *SelfAttention:
			if err := l.work(&work, train, columns, d); err != nil {
				return work, err
			}
		}
		work.Map(tokens, d, ffn)
		work.Map(tokens, ffn, d)
	}
	return work, nil
}

// work counts the layer and the map behind it, for tokens of so many columns and d channels.
func (l *SelfAttention) work(work *nn.Work, train bool, columns, d int) error {
	tokens, mixed := l.grid.Rows*l.grid.Cols, columns
	if l.split {
		wide := l.Value.W.Shape[0]
		mixed = wide / l.heads
		work.Map(tokens, columns, wide)
		work.Map(tokens, wide, d)
	} else {
		work.Map(tokens, l.heads*columns, d)
	}
	m, err := l.mixing(train, columns)
	work.Mixing += float64(m.scores + tokens*l.heads*mixed*m.keys)
	work.Dropped += m.dropped * float64(mixed)
	return err
}

// A mixing is an image's.
type mixing struct {
	scores  int     // multiply-adds of scores that depend on the image
	keys    int     // multiply-adds for each number of each head's mean
	dropped float64 // the expected number of pairs to take out
}

// mixing counts for tokens with so many columns.
func (l *SelfAttention) mixing(train bool, columns int) (m mixing, err error) {
	var row, col *nn.Node
	g, buildErr := nn.Build(false, func(g *nn.Graph) {
		switch s := l.Encoding.Scores(g, l.grid).(type) {
		case posenc.Separable:
			row, col = op.Softmax(s.Row), op.Softmax(s.Col)
			m.keys = l.grid.Rows + l.grid.Cols
		case posenc.Full:
			m.keys = l.grid.Rows * l.grid.Cols
		case posenc.Content:
			m.keys, m.scores = l.grid.Rows*l.grid.Cols, s.MACs(columns)
		default:
			err = fmt.Errorf("attention: no count of the work for scores of type %T", s)
		}
	})
	if err = errors.Join(err, buildErr); err != nil || row == nil || !train || l.rate == 0 || l.split {
		return m, err
	}
	f, err := nn.Compile(g, nil, row, col)
	if err != nil {
		return m, err
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		return m, err
	}
	m.dropped = l.rate * float64(countingPairs(nn.Value(row), nn.Value(col), l.grid))
	return m, nil
}

const negligible = 1.0 / (1 << 32) // pairs of less weight are not taken out

// countingPairs counts the pairs of all heads whose weight R[h,i,k]·C[h,j,l] can change a float32 sum.
func countingPairs(r, c []float32, grid posenc.Grid) (n int) {
	rr, cc := grid.Rows*grid.Rows, grid.Cols*grid.Cols
	for h := range len(r) / rr {
		for _, wr := range r[h*rr : (h+1)*rr] {
			for _, wc := range c[h*cc : (h+1)*cc] {
				if float64(wr)*float64(wc) >= negligible {
					n++
				}
			}
		}
	}
	return n
}
