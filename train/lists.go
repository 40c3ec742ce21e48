package train

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
)

// Finite reports whether all logits of image i are finite.
func (o Outputs) Finite(i int) bool { return finite(o.Row(i)) }

// Top returns the n most likely classes of image i, the most likely first; of equal ones, the first in the data set.
func (o Outputs) Top(i, n int) []int {
	row := o.Row(i)
	all := make([]int, len(row))
	for class := range all {
		all[class] = class
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
	return all[:min(n, len(all))]
}

// WriteCSV writes a line for each image: index, label, prediction, its probability, and the logits in full precision.
// Predictions of logits that are not finite are empty.
func (o Outputs) WriteCSV(w io.Writer, classes []string) error {
	table := csv.NewWriter(w)
	head := []string{"index", "label", "predicted", "probability"}
	for _, class := range classes {
		head = append(head, "logit_"+class)
	}
	if err := table.Write(head); err != nil {
		return err
	}
	for i, label := range o.Labels {
		line := []string{strconv.Itoa(i), classes[label], "", ""}
		if p := o.Predicted(i); p >= 0 {
			line[2], line[3] = classes[p], strconv.FormatFloat(o.Probability(i, p), 'g', 6, 64)
		}
		for _, v := range o.Row(i) {
			line = append(line, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		if err := table.Write(line); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}

// Worst returns up to n images that are classified wrongly, those with the largest loss first, so those whose own class
// is the least probable; of equal ones, the first. Images whose logits are not finite are left out.
func (o Outputs) Worst(n int) (images []int) {
	loss := make([]float64, o.Len())
	for i, label := range o.Labels {
		if !o.Right(i) && o.Finite(i) {
			loss[i], images = crossEntropy(o.Row(i), int(label)), append(images, i)
		}
	}
	slices.SortStableFunc(images, func(a, b int) int { return cmp.Compare(loss[b], loss[a]) })
	return images[:min(n, len(images))]
}

// A Mistake is how many images of a class are predicted to be of another.
type Mistake struct{ Class, Predicted, N int }

// Mistakes lists the mistakes in a confusion matrix (class, prediction), the most frequent first.
func Mistakes(counts [][]int) (all []Mistake) {
	for class, row := range counts {
		for predicted, n := range row {
			if class != predicted && n > 0 {
				all = append(all, Mistake{class, predicted, n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Mistake) int { return cmp.Compare(b.N, a.N) })
	return all
}
