package eval

import (
	"bytes"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/train"
)

// writePredictions writes a line for each image: index in the split, label, prediction, its probability, and the logits
// in full precision.
func writePredictions(c *cli.Console, o Options, out train.Outputs, classes []string) error {
	if o.Predictions == "-" {
		return out.WriteCSV(c.Out, classes)
	}
	var b bytes.Buffer
	if err := out.WriteCSV(&b, classes); err != nil {
		return err
	}
	if err := cli.WriteFile(o.Predictions, b.Bytes()); err != nil {
		return err
	}
	c.Note("predictions: %s", o.Predictions)
	return nil
}

// printConfusion prints the confusion matrix, if it fits on a screen, and the ten most frequent mistakes.
func printConfusion(c *cli.Console, counts [][]int, classes []string) error {
	const wide = 16 // classes
	if len(classes) <= wide {
		w := tabwriter.NewWriter(c.Out, 0, 0, 1, ' ', tabwriter.AlignRight) // ten classes fit 80 columns
		fmt.Fprint(w, "\nclass \\ predicted\t")
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
	mistakes := train.Mistakes(counts)
	lines := [][]string{{"class", "predicted", "images"}}
	for _, m := range mistakes[:min(10, len(mistakes))] {
		lines = append(lines, []string{classes[m.Class], classes[m.Predicted], strconv.Itoa(m.N)})
	}
	fmt.Fprintln(c.Out)
	return c.Table(lines)
}

// stem abbreviates a name for the head of a narrow column.
func stem(name string) string { return string([]rune(name)[:min(5, len([]rune(name)))]) }

// Calibrated compares the calibration of the probabilities softmax(z) and softmax(z/T), for a temperature T fitted on
// the held-out images.
type Calibrated struct {
	Temperature float64     `json:"temperature"`
	FittedOn    string      `json:"fitted_on"` // always val
	FittedN     int         `json:"fitted_n"`
	Before      Calibration `json:"before"`
	After       Calibration `json:"after"`
}

type Calibration struct {
	NLL  float64         `json:"nll"`
	ECE  float64         `json:"ece"`
	Bins []confidenceBin `json:"bins"`
	mean float64         // confidence
}

type confidenceBin struct {
	N    int     `json:"n"`
	Conf float64 `json:"confidence"`
	Acc  float64 `json:"acc"`
}

func newCalibration(c train.Calibration) Calibration {
	k := Calibration{NLL: c.NLL, ECE: c.ECE, mean: c.MeanConfidence()}
	for _, bin := range c.Bins {
		k.Bins = append(k.Bins, confidenceBin{bin.N, bin.Conf, bin.Acc})
	}
	return k
}

// calibrate fits the temperature on the held-out images and applies it to out.
func calibrate(heldOut, out train.Outputs) *Calibrated {
	t := heldOut.Temperature()
	return &Calibrated{t, "val", heldOut.Len(), newCalibration(out.Calibration(1)), newCalibration(out.Calibration(t))}
}

func (k *Calibrated) print(c *cli.Console, split string) {
	fmt.Fprintf(c.Out, "\ntemperature %.3f, fitted on %s held-out images; on %s:\n", k.Temperature,
		cli.Thousands(k.FittedN), split)
	fmt.Fprintf(c.Out, "NLL %.4f, scaled %.4f   ECE %.2f %%, scaled %.2f %%\n", k.Before.NLL, k.After.NLL, 100*k.Before.ECE,
		100*k.After.ECE)
	fmt.Fprintf(c.Out, "mean confidence %.2f %%, scaled %.2f %%\n", 100*k.Before.mean, 100*k.After.mean)
}
