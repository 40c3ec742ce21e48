package train

import (
	"cmp"
	"slices"
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
