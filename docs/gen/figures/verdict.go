package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/null"
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

// A verdictPart is the numbers of a study, whose ids begin with a prefix.
type verdictPart struct{ prefix, name string }

// verdictWidths are the models at two widths, at their own learning rates.
var verdictWidths = []verdictPart{{"", "full width"}, {"own/", "half width"}}

// verdictForest draws each number whose id begins with prefix in the first part, with those of the other parts below
// it. A number that two parts share comes once. Name turns the rest of the id into the name of the line.
func verdictForest(p *program, parts []verdictPart, prefix string, name func(string) string, o viz.ForestOptions) (
	*viz.Figure, error) {
	var lines []viz.Estimate
	for _, part := range parts {
		numbers, err := verdictNumbers(p, part.prefix+prefix)
		if err != nil {
			return nil, err
		}
		for _, n := range numbers {
			e := viz.Estimate{Name: name(strings.TrimPrefix(n.ID, part.prefix+prefix)),
				Note: part.name + ", " + runsOf(n), Value: float64(n.Value), Lo: n.CI.Lo, Hi: n.CI.Hi}
			same := func(l viz.Estimate) bool { return l.Name == e.Name && l.Lo == e.Lo && l.Hi == e.Hi }
			if slices.ContainsFunc(lines, same) {
				continue
			}
			i := slices.IndexFunc(lines, func(l viz.Estimate) bool { return l.Name == e.Name })
			if i < 0 {
				i = len(lines) - 1
			}
			for i+1 < len(lines) && lines[i+1].Name == e.Name {
				i++
			}
			lines = slices.Insert(lines, i+1, e)
		}
	}
	return viz.Forest(lines, o)
}

// verdictDifferences are the differences between the models of the control, and those of its replication.
func verdictDifferences(p *program, width float64) (*viz.Figure, error) {
	parts := []verdictPart{{"control/difference/", "full width"},
		{"half/control/difference/", "half width, rates of full width"},
		{"own/control/difference/", "half width, own rates"},
		{"own/replication/difference/", "half width, own rates, new seeds"}}
	return verdictForest(p, parts, "",
		func(id string) string { return strings.Replace(id, "-minus-", " − ", 1) },
		viz.ForestOptions{What: "difference of test accuracy", Percent: true, From: "the same", Width: width})
}

// verdictLayers are what it costs to replace each layer of quadratic by the best 3 × 3 convolution.
func verdictLayers(p *program, width float64) (*viz.Figure, error) {
	return verdictForest(p, verdictWidths, "layers/cost-k3/quadratic/", func(id string) string { return "layer " + id },
		viz.ForestOptions{What: "accuracy that is lost", Percent: true, From: "as trained", Width: width})
}

// verdictCurves are the accuracies on validation images over the time that the steps take on a quiet machine.
func verdictCurves(p *program, width float64) (*viz.Figure, error) {
	b, err := os.ReadFile(filepath.Join(p.root, "studies/steptime.json"))
	if err != nil {
		return nil, err
	}
	var times struct{ Full, Half map[string]float64 } // milliseconds of a step, by model
	if err := json.Unmarshal(b, &times); err != nil {
		return nil, err
	}
	var panels []viz.Panel
	for i, w := range verdictWidths {
		step := []map[string]float64{times.Full, times.Half}[i]
		numbers, err := verdictNumbers(p, w.prefix+"curves/val/")
		if err != nil {
			return nil, err
		}
		panel := viz.Panel{Title: "accuracy on validation images, " + w.name, Percent: true}
		for _, n := range numbers {
			arm, steps, _ := strings.Cut(strings.TrimPrefix(n.ID, w.prefix+"curves/val/"), "/")
			at, err := strconv.ParseFloat(steps, 64)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(panel.Curves, func(c viz.Curve) bool { return c.Name == arm })
			if i < 0 {
				i = len(panel.Curves)
				panel.Curves = append(panel.Curves, viz.Curve{Name: arm, Runs: make([][]viz.Point, 1)})
			}
			points := &panel.Curves[i].Runs[0]
			*points = append(*points, viz.Point{X: at * step[arm] / 60e3, Y: float64(n.Value)})
		}
		panels = append(panels, panel)
	}
	// Curves takes the legend from the first panel, so that one needs all models.
	slices.SortStableFunc(panels, func(a, b viz.Panel) int { return len(b.Curves) - len(a.Curves) })
	return viz.Curves(panels, viz.CurvesOptions{X: "minutes of training", Width: width})
}
