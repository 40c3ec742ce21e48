package nn

import "github.com/attnconv/attnconv/nn/op"

// At sets the step of the next run. The step decides the dropout masks: the same step has the same masks. Func.Run
// calls it. If the caller runs gorgonia's graph, dropout is an error until At is called.
func (g *Graph) At(step uint64) { g.clock.Step, g.clock.Unset = step, false }

// AtImage says that the next runs get part of the batch of a step, from image first on. Their dropout masks are those
// that the images have in the whole batch.
func (g *Graph) AtImage(first int) { g.clock.Image = first }

// Dropout returns the dropout of a rate, for operations of package op. key is the random stream, from Scope.Key. A
// graph that does not train has no dropout.
func (g *Graph) Dropout(rate float64, key uint64) op.Dropout {
	if !g.Train || rate == 0 {
		return op.Dropout{}
	}
	return op.Dropout{Rate: float32(rate), Key: key, Clock: g.clock}
}

// Track registers mean and variance as the running statistics of m. UpdateStats moves them by rate towards the moments
// of the last batch, with the unbiased variance. conv.Norm is such a layer.
func (g *Graph) Track(m *op.Moments, mean, variance *Param, rate float32) {
	g.norms = append(g.norms, RunningStats{m, mean, variance, rate})
}

// RunningStats returns the running statistics that Track has registered.
func (g *Graph) RunningStats() []RunningStats { return g.norms }

// RunningStats are running statistics of a batch norm. Each training step moves Mean and Variance by Rate towards
// Moments.
type RunningStats struct {
	Moments        *op.Moments
	Mean, Variance *Param
	Rate           float32
}

// UpdateStats moves the running statistics of batch norms towards the moments of the last batch, once. A training loop
// calls it after each step, as package train does. Without it, the network is evaluated with its initial statistics.
func (g *Graph) UpdateStats() {
	for _, t := range g.norms {
		t.Moments.Move(t.Mean.Data, t.Variance.Data, t.Rate)
	}
}
