package torchnames

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/posenc"
)

// foreignScores are scores of the paper's code that are no encoding here: each as terms of encoding relative, which
// compute the same. What a layer must have and must not have tells them apart.
//
//	q·r         (W_q·x_q + b_q)·r_δ/√d, r_δ = [r_row[δ1], r_col[δ2]]: Ŵ_k of each head is the unit matrix, v = b_q
//	q·k + w·r   (W_q·x_q + b_q)·(W_k·x_k + b_k)/√d + w_row·r_row[δ2] + w_col·r_col[δ1]: the last two terms are one
//	            number for each head and shift; v picks it out, u = b_q, and b_k adds the same to all keys
var foreignScores = []struct {
	has, not []string
	terms    []string
	convert  func(l *layerWeights) error
}{
	{[]string{"query.weight", "query.bias", "row_embeddings.weight", "col_embeddings.weight"},
		[]string{"key.weight", "head_keys_row.weight"}, []string{posenc.QueryShift, posenc.OwnShift},
		(*layerWeights).queryShift},
	{[]string{"query.weight", "query.bias", "key.weight", "row_embeddings.weight", "col_embeddings.weight",
		"head_keys_row.weight", "head_keys_col.weight"},
		nil, []string{posenc.QueryKey, posenc.OwnKey, posenc.OwnShift}, (*layerWeights).vector},
}

// layerWeights are those of a layer's scores, by their names behind at.
type layerWeights struct {
	at   string
	byID map[string]ckpt.Tensor
}

// AsRelative rewrites the weights of a score that only the paper's code has as those of encoding relative, with the
// terms that it returns. Other weights come back as they are, without terms.
func AsRelative(weights []ckpt.Tensor) (converted []ckpt.Tensor, terms []string, err error) {
	const self = ".attention.self."
	layers := map[string]*layerWeights{}
	for _, t := range weights {
		if i := strings.Index(t.Name, self); i >= 0 {
			at := t.Name[:i+len(self)]
			if layers[at] == nil {
				layers[at] = &layerWeights{at, map[string]ckpt.Tensor{}}
			}
			layers[at].byID[t.Name[len(at):]] = t
		} else {
			converted = append(converted, t)
		}
	}
	for _, l := range layers {
		for _, v := range foreignScores {
			if !l.has(v.has) || slices.ContainsFunc(v.not, l.hasOne) {
				continue
			}
			if terms = v.terms; terms != nil {
				if err := v.convert(l); err != nil {
					return nil, nil, fmt.Errorf("%s: %w", strings.TrimSuffix(l.at, "."), err)
				}
			}
			break
		}
	}
	if terms == nil {
		return weights, nil, nil
	}
	for _, l := range layers {
		for name, t := range l.byID {
			t.Name = l.at + name
			converted = append(converted, t)
		}
	}
	slices.SortFunc(converted, func(a, b ckpt.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return converted, terms, nil
}

func (l *layerWeights) hasOne(name string) bool {
	_, ok := l.byID[name]
	return ok
}

func (l *layerWeights) has(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !l.hasOne(name) })
}

// matrix returns a tensor that is to have rows × cols elements; -1 is any number.
func (l *layerWeights) matrix(name string, rows, cols int) (t ckpt.Tensor, err error) {
	t = l.byID[name]
	if len(t.Shape) != 2 || rows >= 0 && t.Shape[0] != rows || cols >= 0 && t.Shape[1] != cols {
		want := strings.ReplaceAll(fmt.Sprintf("[%d %d]", rows, cols), "-1", "any")
		return t, fmt.Errorf("%s: want shape %s, got %v", name, want, t.Shape)
	}
	return t, nil
}

// vectorOf returns a tensor that is to have n elements.
func (l *layerWeights) vectorOf(name string, n int) (ckpt.Tensor, error) {
	t := l.byID[name]
	if !slices.Equal(t.Shape, []int{n}) {
		return t, fmt.Errorf("%s: want shape [%d], got %v", name, n, t.Shape)
	}
	return t, nil
}

// set replaces a tensor by one of a shape, filled by fill.
func (l *layerWeights) set(name string, fill func(x []float32), shape ...int) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	x := make([]float32, n)
	fill(x)
	l.byID[name] = ckpt.Tensor{Shape: shape, Data: x}
}

// queryShift converts q·r.
func (l *layerWeights) queryShift() error {
	query, err := l.matrix("query.weight", -1, -1)
	if err != nil {
		return err
	}
	wide, dim := query.Shape[0], query.Shape[1]
	first, second := dim/2, dim-dim/2
	bias, err := l.vectorOf("query.bias", wide)
	if err != nil {
		return err
	}
	if _, err := l.matrix("row_embeddings.weight", -1, first); err != nil {
		return err
	}
	if _, err := l.matrix("col_embeddings.weight", -1, second); err != nil {
		return err
	}
	if wide%dim != 0 {
		return fmt.Errorf("query.weight: want heads of %d channels, got %d", dim, wide)
	}
	unit := func(name string, from, n int) {
		l.set(name, func(x []float32) {
			for head := 0; head < wide; head += dim {
				for i := range n {
					x[(head+from+i)*n+i] = 1
				}
			}
		}, wide, n)
	}
	unit("row_key.weight", 0, first)
	unit("col_key.weight", first, second)
	l.byID["shift_bias"] = bias
	delete(l.byID, "query.bias")
	return nil
}

// vector converts q·k + w·r.
func (l *layerWeights) vector() error {
	query, err := l.matrix("query.weight", -1, -1)
	if err != nil {
		return err
	}
	keys, err := l.matrix("head_keys_row.weight", -1, -1)
	if err != nil {
		return err
	}
	wide, dim, heads := query.Shape[0], query.Shape[1], keys.Shape[0]
	bias, err := l.vectorOf("query.bias", wide)
	if err != nil {
		return err
	}
	if heads < 1 || heads > dim/2 || wide%heads != 0 {
		return fmt.Errorf("%d heads, %d channels of queries: want at most %d heads, and as many channels for each",
			heads, wide, dim/2)
	}
	// What the paper's code calls row varies along the columns, and the other way round.
	for _, axis := range []struct {
		as, from string
		width    int
	}{{"row", "col", dim / 2}, {"col", "row", dim - dim/2}} {
		if err := l.axis(axis.as, axis.from, axis.width, heads, wide); err != nil {
			return err
		}
	}
	for _, name := range []string{"row", "col"} {
		l.byID[name+"_embeddings.weight"] = l.byID["new "+name]
		delete(l.byID, "new "+name)
		delete(l.byID, "head_keys_"+name+".weight")
	}
	l.byID["key_bias"] = bias
	l.set("shift_bias", func(x []float32) {
		for h := range heads {
			x[h*wide/heads] = 1
		}
	}, wide)
	delete(l.byID, "query.bias")
	delete(l.byID, "key.bias")
	return nil
}

// axis makes the table of relative's axis as from the other program's axis from: column h of it is what head h adds for
// each shift, times √d, and the head's map passes that on as its first number.
func (l *layerWeights) axis(as, from string, width, heads, wide int) error {
	table, err := l.matrix(from+"_embeddings.weight", -1, -1)
	if err != nil {
		return err
	}
	shifts, size := table.Shape[0], table.Shape[1]
	keys, err := l.matrix("head_keys_"+from+".weight", heads, size)
	if err != nil {
		return err
	}
	d := wide / heads
	l.set("new "+as, func(x []float32) {
		for j := range shifts {
			for h := range heads {
				sum := 0.0
				for i := range size {
					sum += float64(keys.Data[h*size+i]) * float64(table.Data[j*size+i])
				}
				x[j*width+h] = float32(sum * math.Sqrt(float64(d)))
			}
		}
	}, shifts, width)
	l.set(as+"_key.weight", func(x []float32) {
		for h := range heads {
			x[h*d*width+h] = 1
		}
	}, wide, width)
	return nil
}
