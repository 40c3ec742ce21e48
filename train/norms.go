package train

import (
	"math"
	"strings"

	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run/event"
)

// gradientSums add up the squares of gradients over the steps of an epoch.
type gradientSums struct {
	Steps   int       `json:"steps"`
	Squares []float64 `json:"squares"` // of each parameter, in the order of the solver's slots
}

// add adds a step. Squares that are not known are left out.
func (c *Cursor) addGradients(squares []float64) {
	if len(squares) == 0 {
		return
	}
	if c.Gradients == nil || len(c.Gradients.Squares) != len(squares) {
		c.Gradients = &gradientSums{Squares: make([]float64, len(squares))}
	}
	c.Gradients.Steps++
	for i, s := range squares {
		c.Gradients.Squares[i] += s
	}
}

// layerNorms returns the norms of the weights of each layer and of their gradients in the steps that sums has; nil: not
// known.
func layerNorms(params []*nn.Param, sums *gradientSums) (all []event.LayerNorms) {
	at := map[string]int{}
	for i, p := range params {
		name := layerOf(p.Name)
		k, known := at[name]
		if !known {
			k = len(all)
			at[name], all = k, append(all, event.LayerNorms{Name: name})
		}
		layer := &all[k]
		layer.Weights += null.Float(vec.SumSquares(p.Data))
		if sums != nil && i < len(sums.Squares) {
			layer.Gradient += null.Float(sums.Squares[i] / float64(sums.Steps))
		} else {
			layer.Gradient = null.Unknown
		}
	}
	for i := range all {
		l := &all[i]
		l.Weights = null.Float(math.Sqrt(float64(l.Weights)))
		l.Gradient = null.Float(math.Sqrt(float64(l.Gradient)))
	}
	return all
}

// layerOf returns the layer that a parameter belongs to: its name up to the first number (encoder.layer.0 of
// encoder.layer.0.output.dense.weight, layer1.0 of layer1.0.conv1.weight), or without its last word (fc of fc.weight).
func layerOf(name string) string {
	words := strings.Split(strings.TrimPrefix(name, "model."), ".")
	for i, w := range words[:len(words)-1] {
		if strings.Trim(w, "0123456789") == "" {
			return strings.Join(words[:i+1], ".")
		}
	}
	return strings.Join(words[:max(1, len(words)-1)], ".")
}

// perClass returns the accuracy of each class.
func (s Score) perClass() (all []null.Float) {
	for _, c := range s.PerClass {
		acc := null.Unknown
		if c.N > 0 {
			acc = null.Float(float64(c.Correct) / float64(c.N))
		}
		all = append(all, acc)
	}
	return all
}
