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

// verdictFile is docs/data/verdict.json.
type verdictFile struct {
	Numbers     []verdictNumber
	Predictions []struct{ Group, Says, Outcome string }
}

func readVerdict(p *program) (all verdictFile, err error) {
	b, err := os.ReadFile(filepath.Join(p.root, "docs/data/verdict.json"))
	if err != nil {
		return all, err
	}
	return all, json.Unmarshal(b, &all)
}

// verdictNumbers returns those whose id begins with a prefix, in the order of the file.
func verdictNumbers(p *program, prefix string) (found []verdictNumber, err error) {
	all, err := readVerdict(p)
	if err != nil {
		return nil, err
	}
	for _, n := range all.Numbers {
		if strings.HasPrefix(n.ID, prefix) {
			found = append(found, n)
		}
	}
	return found, nil
}

// A verdictPart is the numbers of a study, whose ids begin with a prefix.
type verdictPart struct{ prefix, name string }

// verdictWidths are the models at two widths, at their own learning rates.
var verdictWidths = []verdictPart{{"", "full width"}, {"own/", "half width"}}

// find returns one number, whose N is 0 if there is none.
func (all verdictFile) find(id string) verdictNumber {
	for _, n := range all.Numbers {
		if n.ID == id {
			return n
		}
	}
	return verdictNumber{ID: id}
}

// negative is a difference from the other side.
func (n verdictNumber) negative() verdictNumber {
	n.Value, n.CI.Lo, n.CI.Hi = -n.Value, -n.CI.Hi, -n.CI.Lo
	return n
}

// verdictDifferences is how far quadratic is ahead of its controls, at four settings each.
func verdictDifferences(p *program, width float64) (*viz.Figure, error) {
	all, err := readVerdict(p)
	if err != nil {
		return nil, err
	}
	d := dodged{settings: []string{"half width, rate 0.003 (n = 5)", "half width, own rates (n = 5)",
		"half width, own rates, new seeds (n = 5)", "full width, one seed: the interval is over test images"},
		axis: "points of test accuracy   quadratic is better →", zero: "the same", span: [2]float64{-12, 8}, tick: 2,
		width: width,
		names: 5}
	for _, q := range []struct{ name, id string }{
		{"against frozen random heads", "quadratic-minus-quadratic-frozen"}, {"against a 3 × 3 grid", "quadratic-minus-quadratic-grid"},
		{"against matched convolutions", "quadratic-minus-conv-twin"}, {"against ResNet18", "resnet18-minus-quadratic"},
	} {
		row := dodgedRow{name: q.name}
		for _, of := range []string{"half/control", "own/control", "own/replication", "control"} {
			n := all.find(of + "/difference/" + q.id)
			if q.id == "resnet18-minus-quadratic" {
				n = n.negative()
			}
			row.numbers = append(row.numbers, n)
		}
		d.rows = append(d.rows, row)
	}
	return d.figure("An interval without 0 is not yet a finding: p is corrected for the differences that were tested."), nil
}

// verdictCompute is how far quadratic is ahead of two convolutional networks at equal steps, time and operations.
func verdictCompute(p *program, width float64) (*viz.Figure, error) {
	all, err := readVerdict(p)
	if err != nil {
		return nil, err
	}
	d := dodged{settings: []string{"equal steps", "equal time", "equal operations, by the equations"},
		axis: "points of test accuracy   quadratic is better →", zero: "the same", span: [2]float64{-15, 5}, tick: 5,
		width: width, names: 5}
	for _, q := range []struct {
		name, arm string
		epochs    []int
	}{
		{"against matched convolutions", "conv-twin", []int{4, 7, 10}}, {"against ResNet18", "resnet18", []int{4, 5, 12}},
	} {
		row := dodgedRow{name: q.name}
		for _, e := range q.epochs {
			row.numbers = append(row.numbers, all.find(fmt.Sprintf("compute/difference/%s-e%d-minus-quadratic", q.arm,
				e)).negative())
		}
		d.rows = append(d.rows, row)
	}
	return d.figure(fmt.Sprintf("n = %d and %d; quadratic n = 8. Half width, 4 epochs of quadratic, rates of a search on "+
		"validation images.", d.rows[0].numbers[0].N, d.rows[1].numbers[0].N)), nil
}

// verdictLayers are what it costs to replace each layer by the best 3 × 3 convolution, with learned and frozen heads.
func verdictLayers(p *program, width float64) (*viz.Figure, error) {
	all, err := readVerdict(p)
	if err != nil {
		return nil, err
	}
	d := dodged{settings: []string{"learned heads (n = 5)", "frozen random heads (n = 5)"},
		axis: "points of test accuracy that are lost", zero: "as trained", span: [2]float64{-1, 7}, tick: 1,
		width: width, names: 2}
	for i := 1; i <= 6; i++ {
		at := func(arm string) verdictNumber { return all.find(fmt.Sprintf("own/layers/cost-k3/%s/%d", arm, i)) }
		d.rows = append(d.rows, dodgedRow{fmt.Sprintf("layer %d", i),
			[]verdictNumber{at("quadratic"), at("quadratic-frozen")}})
	}
	return d.figure("Half width, rates of half width."), nil
}

// verdictMarks are the accuracies where the class depends on two far marks.
func verdictMarks(p *program, width float64) (*viz.Figure, error) {
	all, err := readVerdict(p)
	if err != nil {
		return nil, err
	}
	d := dodged{settings: []string{"one recipe"}, axis: "test accuracy in percent", span: [2]float64{20, 102}, tick: 20,
		width: width, names: 3}
	for _, arm := range []string{"attention", "convnet", "resnet10", "conv-twin"} {
		d.rows = append(d.rows, dodgedRow{arm, []verdictNumber{all.find("relations/accuracy/" + arm)}})
	}
	return d.figure("n = 3, one recipe, made for attention. Chance is 33 %."), nil
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
