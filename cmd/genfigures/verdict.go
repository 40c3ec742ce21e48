package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/study/stats"
	"github.com/attnconv/attnconv/viz"
)

// A verdictNumber is one of docs/data/verdict.json.
type verdictNumber struct {
	ID    string
	N     int
	Value null.Float
	CI    stats.Interval
}

// verdictNumbers returns those whose id begins with a prefix, in the order of the file.
func verdictNumbers(p *program, prefix string) (found []verdictNumber, err error) {
	b, err := os.ReadFile(filepath.Join(p.root, "docs/data/verdict.json"))
	if err != nil {
		return nil, err
	}
	var all struct{ Numbers []verdictNumber }
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	for _, n := range all.Numbers {
		if strings.HasPrefix(n.ID, prefix) {
			found = append(found, n)
		}
	}
	return found, nil
}

// runsOf is the number of runs of a number, and what the interval of one run is for.
func runsOf(n verdictNumber) string {
	if n.N == 1 && n.CI.Known() {
		return "n = 1: other images only"
	}
	return fmt.Sprintf("n = %d", n.N)
}

// verdictDifferences are the differences between the models of the control.
func verdictDifferences(p *program, width float64) (*viz.Figure, error) {
	const prefix = "control/difference/"
	numbers, err := verdictNumbers(p, prefix)
	if err != nil {
		return nil, err
	}
	var lines []viz.Estimate
	for _, n := range numbers {
		lines = append(lines, viz.Estimate{Name: strings.Replace(strings.TrimPrefix(n.ID, prefix), "-minus-", " − ", 1),
			Note: runsOf(n), Value: float64(n.Value), Lo: n.CI.Lo, Hi: n.CI.Hi})
	}
	return viz.Forest(lines, viz.ForestOptions{What: "difference of test accuracy", Percent: true, From: "the same",
		Width: width})
}

// verdictLayers are what it costs to replace each layer of quadratic by the best 3 × 3 convolution.
func verdictLayers(p *program, width float64) (*viz.Figure, error) {
	const prefix = "layers/cost-k3/quadratic/"
	numbers, err := verdictNumbers(p, prefix)
	if err != nil {
		return nil, err
	}
	var lines []viz.Estimate
	for _, n := range numbers {
		lines = append(lines, viz.Estimate{Name: "layer " + strings.TrimPrefix(n.ID, prefix),
			Note: runsOf(n), Value: float64(n.Value), Lo: n.CI.Lo, Hi: n.CI.Hi})
	}
	return viz.Forest(lines, viz.ForestOptions{What: "accuracy that is lost", Percent: true, From: "as trained",
		Width: width})
}
