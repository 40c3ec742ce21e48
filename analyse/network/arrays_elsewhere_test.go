package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// prefixed are arrays of images, in which each row leaves another part to tokens that are not on the grid.
func prefixed(images, heads, side, in, out int) []array {
	n := side * side
	p, e := random(21, images*heads*n*n), make([]float64, images*heads*n)
	for row := range e {
		e[row] = 0.05 + 0.9*math.Abs(math.Sin(float64(row)))
		weights, sum := p[row*n:(row+1)*n], 0.0
		for k, v := range weights {
			weights[k] = math.Exp(2 * v)
			sum += weights[k]
		}
		for k := range weights {
			weights[k] *= (1 - e[row]) / sum
		}
	}
	return []array{{"attention", fmt.Sprintf("(%d, %d, %d, %d)", images, heads, n, n), p},
		{"elsewhere", fmt.Sprintf("(%d, %d, %d)", images, heads, n), e},
		{"maps", fmt.Sprintf("(%d, %d, %d)", heads, in, out), random(22, heads*in*out)}}
}

// The layer has its rows as they are: the class token example of docs/analyse.md, whose share is 94.0 % and would be
// 10.9 % with rows that are divided by what is left.
func TestArraysWithAClassToken(t *testing.T) {
	const n = 14 * 14
	attention := make([]float64, 2*n*n)
	for q := range n {
		near := 0
		for pass := range 2 {
			for k := range n {
				if max(k/14-q/14, q/14-k/14, k%14-q%14, q%14-k%14) > 1 {
					continue
				}
				if pass == 0 {
					near++
				} else {
					attention[q*n+k] = 0.95 / float64(near)
				}
			}
		}
		attention[(n+q)*n+(q+73)%n] = 0.05
	}
	elsewhere := append(uniform(n, 0.05), uniform(n, 0.95)...)
	d := arraysOf(t, Options{Draws: 3}, array{"attention", "(2, 196, 196)", attention},
		array{"elsewhere", "(2, 196)", elsewhere}, array{"maps", "(2, 1, 2)", []float64{1, 0, 0, 1}})
	l := d.Layers[0]
	if math.Abs(float64(withinOf(l))-0.940) > 0.0005 {
		t.Errorf("3 × 3: %v", withinOf(l))
	}
	if math.Abs(float64(l.Elsewhere.Value)-0.5) > 1e-12 || math.Abs(float64(l.Heads[1].Elsewhere)-0.95) > 1e-12 ||
		math.Abs(float64(l.Heads[0].Choice)-0.286396957) > 1e-8 {
		t.Errorf("elsewhere %v, heads %+v", l.Elsewhere, l.Heads)
	}
	if l.Content != nil || l.Heads[0].Content.Known() {
		t.Errorf("one attention for all images says nothing on content: %+v", l.Content)
	}
	text := strings.Join(d.Verdict, "\n")
	for _, want := range []string{"One 3 × 3 convolution is 94 % of the squared norm of the operator of layer 1",
		"; with its tokens permuted 13 ± 0 %)", "Of the attention, 50 % is on tokens that are not on the grid."} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %q", text, want)
		}
	}
	if strings.Contains(text, "What accuracy") || strings.Contains(text, "No layer was judged") {
		t.Error(text)
	}
}

// With tokens that are not on the grid, the norm in front hides what it hides without them: shares do not change with
// weights that do not change the network.
func TestGaugeOfArraysWithAClassToken(t *testing.T) {
	const in, out, heads = 5, 4, 2
	of := func(change bool) Layer {
		arrays := append(prefixed(6, heads, 4, in, out), array{"gamma", "(5,)", []float64{1, 2, -0.5, 0.3, 1.7}})
		if a, b := random(23, heads*in), random(24, heads*out); change {
			for i := range arrays[2].values {
				h, row, column := i/(in*out), i/out%in, i%out
				arrays[2].values[i] += a[h*in+row] + b[h*out+column]/arrays[3].values[row]
			}
		}
		return arraysOf(t, Options{}, arrays...).Layers[0]
	}
	one, two := of(false), of(true)
	for i, v := range one.Shares.List() {
		if math.Abs(v-two.Shares.List()[i]) > 1e-9 {
			t.Errorf("share %d: %g and %g", i, v, two.Shares.List()[i])
		}
	}
	if !one.Canonical || math.Abs(one.Raw.Place-two.Raw.Place) < 1e-3 ||
		math.Abs(float64(one.Content.Share.Value-two.Content.Share.Value)) > 1e-9 {
		t.Errorf("raw %+v and %+v, content %v and %v", one.Raw, two.Raw, one.Content.Share, two.Content.Share)
	}
}

// Content is next to untrained layers, and the table has the names of layers. Size is relative to the stream, also of
// images that are too few for a regression.
func TestArraysOfImages(t *testing.T) {
	var arrays []array
	for _, a := range prefixed(4, 2, 4, 3, 3) {
		arrays = append(arrays, array{"blocks.0.attn." + a.name, a.shape, a.values},
			array{"blocks.0.attn.untrained_" + a.name, a.shape, a.values})
	}
	inputs, stream := random(25, 4*16*3), make([]float64, 4*16*3)
	for i, v := range inputs {
		stream[i] = 10 * v
	}
	arrays = append(arrays, array{"blocks.0.attn.inputs", "(4, 16, 3)", inputs})
	alone := arraysOf(t, Options{Kernel: 3}, arrays...)
	d := arraysOf(t, Options{Kernel: 3}, append(arrays, array{"blocks.0.attn.stream", "(4, 16, 3)", stream})...)
	l := d.Layers[0]
	if r := float64(alone.Layers[0].Size / l.Size); math.Abs(r-100) > 1e-4 || l.Size <= 0 {
		t.Errorf("size %v of the stream, %v of the inputs", l.Size, alone.Layers[0].Size)
	}
	few := arraysOf(t, Options{Kernel: 3}, append(prefixed(4, 2, 4, 40, 40),
		array{"inputs", "(4, 16, 40)", random(26, 4*16*40)})...).Layers[0]
	if few.Spectrum != nil || !few.Size.Known() {
		t.Errorf("four images of 40 channels: %+v, size %v", few.Spectrum, few.Size)
	}
	c := l.Content
	if c == nil || c.Parts.Images != 4 || c.Share.Untrained == nil ||
		math.Abs(float64(c.Share.Untrained.Mean-c.Share.Value)) > 1e-12 ||
		float64(c.Share.Value) <= c.Parts.Sample.Content {
		t.Errorf("%+v", c)
	}
	screen := Screen([]Analysis{*d}, nil, 0)
	for _, want := range []string{"name", "blocks.0.attn", "content", "elsewhere",
		"R² of 3 × 3 convolutions was not measured: it takes inputs of 8 images, and there are 4."} {
		if !strings.Contains(screen, want) {
			t.Errorf("%s\nwant %q", screen, want)
		}
	}
	for _, want := range []string{" % of the squared norm depends on the image (untrained ",
		" % of its attention is on tokens that are not on the grid (untrained "} {
		if !strings.Contains(l.Sentence, want) {
			t.Errorf("%s\nwant %q", l.Sentence, want)
		}
	}
}

func TestArraysRefuseElsewhere(t *testing.T) {
	p, w := array{"attention", "(1, 4, 4)", uniform(16, 0.2)}, array{"maps", "(1, 1, 1)", []float64{2}}
	e := array{"elsewhere", "(1, 4)", uniform(4, 0.2)}
	zeros := func(name, shape string, n int) array { return array{name, shape, make([]float64, n)} }
	for _, tt := range []struct {
		want   string
		arrays []array
	}{
		{"elsewhere [4]: want [1 4], what each row", []array{p, w, {"elsewhere", "(4,)", uniform(4, 0.2)}}},
		{"head 1, query 0: the row and elsewhere add up to 1.1, want 1", []array{p, w,
			{"elsewhere", "(1, 4)", uniform(4, 0.3)}}},
		{"head 1, query 0: NaN is no probability", []array{p, w, {"elsewhere", "(1, 4)", uniform(4, math.NaN())}}},
		{"stream without inputs", []array{p, w, e, zeros("stream", "(2, 4, 1)", 8)}},
		{"stream [2 4 2]: want (2, 4, 1)", []array{p, w, e, zeros("inputs", "(2, 4, 1)", 8),
			zeros("stream", "(2, 4, 2)", 16)}},
		{"untrained: want an array elsewhere of the layer and of the untrained one", []array{p, w, e,
			{"untrained_attention", "(1, 4, 4)", uniform(16, 0.25)}, {"untrained_maps", "(1, 1, 1)", []float64{1}}}},
	} {
		_, err := Arrays(context.Background(), savez(t, tt.arrays...), Options{}, nil)
		if bad := (*data.CorruptError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}
