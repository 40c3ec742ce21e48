package main

import (
	"math"
	"testing"
)

// scored is a run of one layer whose head h has the scores rows[h](δ₁) + columns[h](δ₂) in tables of up to 16 tokens.
func scored(rows, columns []func(float64) float64) *result {
	r := &result{Study: "half", Trial: "learned-seed0", arm: "learned"}
	n := len(rows)
	small := map[string][]float64{}
	gram := make([][]float64, n)
	for h := range gram {
		gram[h] = make([]float64, n)
		gram[h][h] = 1
	}
	// The reference crosses the names.
	for name, of := range map[string][]func(float64) float64{"col": rows, "row": columns} {
		var table, keys []float64
		for s := -15.0; s <= 15; s++ {
			for _, f := range of {
				table = append(table, f(s))
			}
		}
		for _, row := range gram { // head h reads column h of the table
			keys = append(keys, row...)
		}
		small["encoder.layer.0.attention.self."+name+"_embeddings.weight"] = table
		small["encoder.layer.0.attention.self.head_keys_"+name+".weight"] = keys
	}
	r.Operator = &operator{Gram: [][][]float64{gram}, Small: small}
	return r
}

// Profiles of learned positions are shapes, wherever they are: a stripe of rows is not a stripe of columns.
func TestLearnedProfiles(t *testing.T) {
	type axis = func(float64) float64
	peak := func(center, alpha float64) axis {
		return func(s float64) float64 { return -alpha * (s - center) * (s - center) }
	}
	flat := peak(0, 0)
	for _, tt := range []struct {
		name          string
		rows, columns []axis
		profiles      float64
	}{
		{"one shape at three places", []axis{peak(0, 5), peak(2, 5), peak(-1, 5)},
			[]axis{peak(1, 5), peak(0, 5), peak(-2, 5)}, 1},
		{"two widths", []axis{peak(0, 5), peak(2, 5), peak(-1, 0.1)}, []axis{peak(1, 5), peak(0, 5), peak(-2, 0.1)}, 2},
		{"stripes", []axis{flat, peak(0, 5), peak(1, 5)}, []axis{peak(0, 5), flat, flat}, 2},
		{"three shapes", []axis{flat, flat, peak(0, 5)}, []axis{flat, peak(0, 5), peak(0, 5)}, 3},
	} {
		n, err := learnedProfiles([]*result{scored(tt.rows, tt.columns)})
		if err != nil || len(n) != 1 || float64(n[0].Value) != tt.profiles || n[0].ID != "layers/profiles/learned/1" {
			t.Errorf("%s: %+v (%v), want %v profiles", tt.name, n, err, tt.profiles)
		}
	}
	r := scored([]axis{peak(3, 1)}, []axis{peak(-2, 1)})
	all, err := r.learnedScores(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range grid.Shifts() {
		if math.Abs(all[0][i]-peak(3, 1)(float64(s[0]))-peak(-2, 1)(float64(s[1]))) > 1e-12 {
			t.Fatalf("shift %v has the score %v: want the rows first", s, all[0][i])
		}
	}
	delete(r.Operator.Small, "encoder.layer.0.attention.self.row_embeddings.weight")
	if n, err := learnedProfiles([]*result{r}); err != nil || n != nil {
		t.Errorf("a run that did not keep its tables: %v, %v", n, err)
	}
	r = scored([]axis{flat}, []axis{flat})
	r.Operator.Small["encoder.layer.0.attention.self.row_embeddings.weight"] = []float64{1, 2, 3}
	if _, err := learnedProfiles([]*result{r}); err == nil {
		t.Error("a table of three shifts was accepted")
	}
}

// Where all runs have the same count there is no interval, and the count decides.
func TestEqualCountsDecide(t *testing.T) {
	for _, tt := range []struct {
		runs  int
		count float64
		word  string
	}{{5, 9, refuted}, {5, 2, supported}, {5, 1, supported}, {2, 9, open}} {
		v := &verdict{}
		for i := range 6 {
			v.Numbers = append(v.Numbers, plain("layers/profiles/learned/"+string(rune('1'+i)), tt.runs, tt.count))
		}
		if word, text := fewProfiles(v); word != tt.word {
			t.Errorf("%d runs with %v profiles: %s, want %s (%s)", tt.runs, tt.count, word, tt.word, text)
		}
	}
}
