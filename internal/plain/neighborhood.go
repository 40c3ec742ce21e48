package plain

import "math"

// A Neighborhood says which keys a query sees. The query at position (i, j) is in the square block of Stride × Stride
// queries that begins at multiples of Stride, less Offset. Keys are Size × Size places around the middle of the block,
// Dilation tokens apart; a place between two tokens is the lower or the right one of them.
type Neighborhood struct {
	Size, Stride, Dilation, Offset int
	// Border is "absent" if places outside of the grid are no keys; "zero" if they are keys whose tokens are zero; and
	// "clamp" if the window moves inside, by the fewest multiples of Dilation.
	Border string
}

// A key is a place that a query sees: its token, or -1 outside of the grid, and its shift from the query.
type key struct{ token, down, right int }

// keys lists what query q sees on a grid; every token if w is nil.
func (w *Neighborhood) keys(q, rows, cols int) (all []key) {
	i, j := q/cols, q%cols
	if w == nil {
		for k := range rows * cols {
			all = append(all, key{k, k/cols - i, k%cols - j})
		}
		return all
	}
	for _, r := range w.places(i, rows) {
		for _, c := range w.places(j, cols) {
			token := -1
			if 0 <= r && r < rows && 0 <= c && c < cols {
				token = r*cols + c
			}
			if token >= 0 || w.Border != "absent" {
				all = append(all, key{token, r - i, c - j})
			}
		}
	}
	return all
}

// places lists the positions of the keys of query q along an axis of n tokens.
func (w *Neighborhood) places(q, n int) (all []int) {
	block := math.Floor(float64(q+w.Offset)/float64(w.Stride))*float64(w.Stride) - float64(w.Offset)
	middle := block + float64(w.Stride-1)/2
	for u := range w.Size {
		all = append(all, int(math.Ceil(middle+float64(w.Dilation)*(float64(u)-float64(w.Size-1)/2))))
	}
	for w.Border == "clamp" && all[0] < 0 {
		all = moved(all, w.Dilation)
	}
	for w.Border == "clamp" && all[w.Size-1] >= n {
		all = moved(all, -w.Dilation)
	}
	return all
}

// moved is all, each by so much larger.
func moved(all []int, by int) (to []int) {
	for _, p := range all {
		to = append(to, p+by)
	}
	return to
}
