package main

import (
	"errors"
	"fmt"

	"github.com/attnconv/attnconv/analyse"
)

// learnedProfiles are the numbers of profiles of the heads of each layer with learned positions, in runs that kept the
// tables of their scores.
func learnedProfiles(list []*result) (numbers []Number, err error) {
	for i := 0; ; i++ {
		counts := each(list, func(r *result) (float64, bool) {
			all, e := r.learnedScores(i)
			if err = errors.Join(err, e); all == nil {
				return 0, false
			}
			n, e := profilesOf(all)
			err = errors.Join(err, e)
			return n, e == nil
		})
		if err != nil || len(counts) == 0 {
			return numbers, err
		}
		numbers = append(numbers, overSeeds(fmt.Sprintf("layers/profiles/learned/%d", i+1), counts))
	}
}

// profilesOf counts the profiles of heads by their scores of all shifts of the grid.
func profilesOf(scores [][]float64) (float64, error) {
	var profiles []analyse.Profile
	for _, of := range scores {
		p, err := analyse.ScoreProfile(grid, of)
		if err != nil {
			return 0, err
		}
		profiles = append(profiles, p)
	}
	p, err := analyse.NewProfiles(profiles, nil, 0)
	if err != nil {
		return 0, err
	}
	return float64(p.Count), nil
}

// learnedScores returns the scores w_row·r_row[δ₁] + w_col·r_col[δ₂] of the heads of layer i for all shifts of the
// grid, (heads, shifts); nil if the run did not keep their tables. The names are those of the reference: its "row"
// varies along the columns.
func (r *result) learnedScores(i int) ([][]float64, error) {
	if r.Operator == nil || i >= len(r.Operator.Gram) {
		return nil, nil
	}
	count := len(r.Operator.Gram[i])
	along := func(name string) ([][]float64, error) { return r.shiftScores(i, count, name) }
	rows, err := along("col")
	if err != nil || rows == nil {
		return nil, err
	}
	columns, err := along("row")
	if err != nil || columns == nil {
		return nil, err
	}
	all := make([][]float64, count)
	for h := range all {
		for _, s := range grid.Shifts() {
			all[h] = append(all[h], rows[h][s[0]+grid.Rows-1]+columns[h][s[1]+grid.Cols-1])
		}
	}
	return all, nil
}

// shiftScores returns the scores of heads for the shifts along an axis of the grid, (heads, 2·side-1), from the table
// (2·max-1, size) and the vectors of the heads, (heads, size).
func (r *result) shiftScores(layer, heads int, name string) ([][]float64, error) {
	at := fmt.Sprintf("encoder.layer.%d.attention.self.", layer)
	table, keys := r.Operator.Small[at+name+"_embeddings.weight"], r.Operator.Small[at+"head_keys_"+name+".weight"]
	if table == nil || keys == nil || heads == 0 {
		return nil, nil
	}
	size := len(keys) / heads
	shifts := 2*grid.Rows - 1
	if size*heads != len(keys) || size == 0 || len(table)%size != 0 || len(table)/size < shifts {
		return nil, fmt.Errorf("study %s, trial %s: layer %d has %d values of its heads and %d of a table: want %d heads and "+
			"%d shifts or more", r.Study, r.Trial, layer+1, len(keys), len(table), heads, shifts)
	}
	first := (len(table)/size - shifts) / 2
	scores := make([][]float64, heads)
	for h := range scores {
		for s := range shifts {
			sum := 0.0
			for d, w := range keys[h*size : (h+1)*size] {
				sum += w * table[(first+s)*size+d]
			}
			scores[h] = append(scores[h], sum)
		}
	}
	return scores, nil
}
