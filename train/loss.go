package train

import (
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// A Loss adds to g the loss of a batch, a scalar: the mean over its images.  logits (batch, classes)
type Loss func(g *nn.Graph, logits *nn.Node, t *Targets) *nn.Node

// A LossKind is one way to compare logits with labels.
type LossKind struct {
	Name, Help string
	Reads      []string              // options that not every loss reads
	Check      func(o Options) error // of those options; nil: nothing to check
	New        func(o Options) Loss
	Options    any // a pointer to a struct with the defaults of its own options (docs/extending.md), or nil
}

// Losses lists what Options.Loss may be, in the order in which help shows them. To add one, write its function and its
// line here; a program that imports this module calls RegisterLoss.
var Losses = option.List[LossKind]{
	{Name: "cross-entropy", Help: "of softmax(logits), with smoothed labels", Reads: []string{"train.label_smoothing"},
		New: func(Options) Loss { return CrossEntropy }},
}

// Entry implements option.Named.
func (k LossKind) Entry() (name, help string) { return k.Name, k.Help }

// CrossEntropy is the mean over the batch of -Σ_c q_c·log softmax(logits)_c, where q are the smoothed labels.
func CrossEntropy(_ *nn.Graph, logits *nn.Node, t *Targets) *nn.Node {
	t.counted = logits
	return op.Apply(op.CrossEntropyOp{Target: t.labels}, logits)
}

// Targets are the labels of the batch of a step, for a Loss.
type Targets struct {
	labels  *op.Target
	classes int
	counted *nn.Node // logits whose correct predictions cross-entropy counts
	rows    []float32
	oneHot  *nn.Node // rows
}

// Smoothed returns the smoothed labels: q_c = 1 - s + s/classes for the label, s/classes for every other class, with s
// the option label_smoothing. Of a mixed image the other class has its share of 1 - s. They do not depend on a
// parameter. An image that does not count has zeros.  (batch, classes)
func (t *Targets) Smoothed(g *nn.Graph) *nn.Node {
	if t.oneHot == nil {
		batch := len(t.labels.Labels)
		t.rows = make([]float32, batch*t.classes)
		t.oneHot = g.Input("labels", t.rows, batch, t.classes)
	}
	return t.oneHot
}

// load takes the labels of a batch, and fills the rows if a loss reads them.
func (t *Targets) load(b *data.Batch) {
	copy(t.labels.Labels, b.Labels)
	t.labels.Others, t.labels.Shares = b.Others, b.Shares
	if t.oneHot == nil {
		return
	}
	clear(t.rows)
	off := t.labels.Smoothing / float32(t.classes)
	for i, label := range t.labels.Labels {
		if label < 0 {
			continue
		}
		row := t.rows[i*t.classes : (i+1)*t.classes]
		for c := range row {
			row[c] = off
		}
		share := float32(0)
		if t.labels.Others != nil {
			share = t.labels.Shares[i]
			row[t.labels.Others[i]] += share * (1 - t.labels.Smoothing)
		}
		row[label] += (1 - share) * (1 - t.labels.Smoothing)
	}
}

// correct counts the images whose largest logit is at their label.
func (t *Targets) correct(logits []float32) (n int) {
	for i, label := range t.labels.Labels {
		if label >= 0 && rankOf(logits[i*t.classes:(i+1)*t.classes], int(label)) == 0 {
			n++
		}
	}
	return n
}
