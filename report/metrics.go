package report

import (
	"maps"
	"slices"
)

// Metrics returns the scores by name: acc, loss, top5 and, with a calibration, ece and nll of its unscaled probabilities; each
// also with the split before it, as test_acc.
func (e Evaluation) Metrics() map[string]float64 {
	values := map[string]float64{"acc": e.Acc, "loss": e.Loss, "top5": e.Top5}
	if k := e.Calibration; k != nil {
		values["ece"], values["nll"] = k.Before.ECE, k.Before.NLL
	}
	for _, name := range slices.Collect(maps.Keys(values)) {
		values[e.Split+"_"+name] = values[name]
	}
	return values
}

// MeanConfidence is the mean probability of the predicted classes.
func (c Calibration) MeanConfidence() float64 {
	sum, n := 0.0, 0
	for _, bin := range c.Bins {
		sum, n = sum+bin.Confidence*float64(bin.N), n+bin.N
	}
	return sum / float64(max(1, n))
}
