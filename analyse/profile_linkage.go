package analyse

import "slices"

// A join is two groups of heads that complete linkage unites, and the largest distance between two heads of them.
type join struct {
	a, b int // the first head of either group; a < b
	at   float64
}

// linkage joins heads by complete linkage: always the two groups whose farthest heads are nearest. d is (heads, heads).
// Distances of joins never decrease.
func linkage(d [][]float64) (joins []join) {
	far := make([][]float64, len(d)) // between groups, by their first heads
	var groups []int
	for i := range d {
		far[i], groups = slices.Clone(d[i]), append(groups, i)
	}
	for len(groups) > 1 {
		next := join{a: -1}
		for i, a := range groups {
			for _, b := range groups[i+1:] {
				if next.a < 0 || far[a][b] < next.at {
					next = join{a, b, far[a][b]}
				}
			}
		}
		joins = append(joins, next)
		groups = slices.DeleteFunc(groups, func(g int) bool { return g == next.b })
		for _, g := range groups {
			far[next.a][g] = max(far[next.a][g], far[next.b][g])
			far[g][next.a] = far[next.a][g]
		}
	}
	return joins
}

// groupsAt returns the groups of heads whose farthest heads are at most so far apart, the largest first, and of equal
// ones that of the first head.
func groupsAt(heads int, joins []join, distance float64) (groups [][]int) {
	of := make([][]int, heads)
	for h := range of {
		of[h] = []int{h}
	}
	for _, j := range joins {
		if j.at <= distance {
			of[j.a], of[j.b] = append(of[j.a], of[j.b]...), nil
		}
	}
	for _, group := range of {
		if group != nil {
			slices.Sort(group)
			groups = append(groups, group)
		}
	}
	slices.SortStableFunc(groups, func(a, b []int) int { return len(b) - len(a) })
	return groups
}
