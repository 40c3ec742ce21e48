package cmd

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/attnconv/attnconv/train"
)

// writePredictions writes one line an image: where it is in the split, what it is, what it was taken for, with what
// probability, and the logits in full.
func (c *console) writePredictions(o evalOptions, out train.Outputs, classes []string) error {
	if o.Predictions == "-" {
		return encodePredictions(c.Out, out, classes)
	}
	var b bytes.Buffer
	if err := encodePredictions(&b, out, classes); err != nil {
		return err
	}
	if err := writeFile(o.Predictions, b.Bytes()); err != nil {
		return err
	}
	c.note("predictions: %s", o.Predictions)
	return nil
}

func encodePredictions(w io.Writer, out train.Outputs, classes []string) error {
	table := csv.NewWriter(w)
	head := []string{"index", "label", "predicted", "probability"}
	for _, class := range classes {
		head = append(head, "logit_"+class)
	}
	if err := table.Write(head); err != nil {
		return err
	}
	for i, label := range out.Labels {
		line := []string{strconv.Itoa(i), classes[label], "", ""}
		if p := out.Predicted(i); p >= 0 {
			line[2], line[3] = classes[p], strconv.FormatFloat(out.Probability(i, p), 'g', 6, 64)
		}
		for _, v := range out.Row(i) {
			line = append(line, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		if err := table.Write(line); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}

// printConfusion writes what was taken for what: the matrix, where it fits on a screen, and the ten pairs that were
// mistaken most.
func (c *console) printConfusion(counts [][]int, classes []string) error {
	const wide = 16 // classes
	if len(classes) <= wide {
		w := tabwriter.NewWriter(c.Out, 0, 0, 1, ' ', tabwriter.AlignRight) // ten classes fit 80 columns
		fmt.Fprint(w, "\nis \\ taken for\t")
		for _, name := range classes {
			fmt.Fprint(w, stem(name), "\t")
		}
		for i, name := range classes {
			fmt.Fprint(w, "\n", name, "\t")
			for _, n := range counts[i] {
				fmt.Fprint(w, n, "\t")
			}
		}
		fmt.Fprintln(w)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	type mistake struct{ is, taken, n int }
	var mistakes []mistake
	for is, row := range counts {
		for taken, n := range row {
			if is != taken && n > 0 {
				mistakes = append(mistakes, mistake{is, taken, n})
			}
		}
	}
	slices.SortStableFunc(mistakes, func(a, b mistake) int { return cmp.Compare(b.n, a.n) })
	lines := [][]string{{"is", "taken for", "times"}}
	for _, m := range mistakes[:min(10, len(mistakes))] {
		lines = append(lines, []string{classes[m.is], classes[m.taken], strconv.Itoa(m.n)})
	}
	fmt.Fprintln(c.Out)
	return c.table(lines)
}

// stem is the beginning of a name, for the head of a narrow column.
func stem(name string) string { return string([]rune(name)[:min(5, len([]rune(name)))]) }

// calibrated says how far the probabilities can be believed, before and after a temperature is put to the logits.
type calibrated struct {
	Temperature float64     `json:"temperature"`
	FittedOn    string      `json:"fitted_on"` // always the held-out images
	FittedN     int         `json:"fitted_n"`
	Before      calibration `json:"before"`
	After       calibration `json:"after"`
}

type calibration struct {
	NLL  float64         `json:"nll"`
	ECE  float64         `json:"ece"`
	Bins []confidenceBin `json:"bins"`
}

type confidenceBin struct {
	N    int     `json:"n"`
	Conf float64 `json:"confidence"`
	Acc  float64 `json:"acc"`
}

func newCalibration(c train.Calibration) calibration {
	b := calibration{NLL: c.NLL, ECE: c.ECE}
	for _, bin := range c.Bins {
		b.Bins = append(b.Bins, confidenceBin{bin.N, bin.Conf, bin.Acc})
	}
	return b
}

// calibrate fits the temperature on held and applies it to out.
func calibrate(held, out train.Outputs) *calibrated {
	t := held.Temperature()
	return &calibrated{t, "val", held.Len(), newCalibration(out.Calibration(1)), newCalibration(out.Calibration(t))}
}

func (k *calibrated) print(c *console, split string) {
	fmt.Fprintf(c.Out, "\ntemperature %.3f, fitted on the %s held-out images; on %s:\n", k.Temperature,
		thousands(k.FittedN), split)
	fmt.Fprintf(c.Out, "NLL %.4f, with it %.4f   ECE %.2f %%, with it %.2f %%\n", k.Before.NLL, k.After.NLL, 100*k.Before.ECE,
		100*k.After.ECE)
	fmt.Fprintf(c.Out, "mean confidence %.2f %%, with it %.2f %%\n", 100*k.Before.meanConfidence(), 100*k.After.meanConfidence())
}

// meanConfidence is the mean confidence.
func (b calibration) meanConfidence() float64 {
	conf, n := 0.0, 0
	for _, bin := range b.Bins {
		conf, n = conf+bin.Conf*float64(bin.N), n+bin.N
	}
	return conf / float64(max(1, n))
}
