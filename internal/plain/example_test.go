package plain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/attnconv/attnconv/internal/plain"
)

// A dictionary returns the value of the one key that is equal. Attention returns a mean of all values, weighted by the
// similarity of their keys; the lower the temperature, the more it is a dictionary.
func ExampleAttend_dictionary() {
	keys := plain.Identity(3) // red, green, blue
	prices := plain.Matrix{{10}, {20}, {30}}
	green := plain.Matrix{{0, 1, 0}}
	for _, t := range []float64{100, 1, 0.1, 0.01} {
		out, weights := plain.Attend(green, keys, prices, plain.Tempered(plain.Dot, t), nil)
		fmt.Printf("T = %-5v weights %.3f  result %.3f\n", t, weights[0], out[0][0])
	}
	reddish, _ := plain.Attend(plain.Matrix{{0.5, 0.5, 0}}, keys, prices, plain.Tempered(plain.Dot, 0.01), nil)
	fmt.Printf("between red and green: %.3f\n", reddish[0][0])
	// Output:
	// T = 100   weights [0.332 0.336 0.332]  result 20.000
	// T = 1     weights [0.212 0.576 0.212]  result 20.000
	// T = 0.1   weights [0.000 1.000 0.000]  result 20.000
	// T = 0.01  weights [0.000 1.000 0.000]  result 20.000
	// between red and green: 15.000
}

// A film and a viewer are vectors of what one offers and the other likes: romance, action, comedy. Their dot product is
// large if signs agree. The five scores differ in their dependence on norms and on learned maps.
func ExampleScore() {
	viewer := []float64{2, -1, 1}
	films := []struct {
		name string
		has  []float64
	}{{"Notting Hill", []float64{2, -2, 1}}, {"Die Hard", []float64{-1, 3, 0}}, {"True Lies", []float64{1, 2, 1}}}
	swap := plain.Matrix{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}} // exchanges the viewer's romance and action
	for _, s := range []struct {
		name  string
		score plain.Score
	}{
		{"dot", plain.Dot}, {"scaled", plain.Scaled}, {"cosine", plain.Cosine}, {"general", plain.General(swap)},
		{"additive", plain.Additive(plain.Identity(3), plain.Identity(3), []float64{1, 1, 1})},
	} {
		fmt.Printf("%-9s", s.name)
		for _, f := range films {
			fmt.Printf("  %s %5.2f", f.name, s.score(viewer, f.has))
		}
		fmt.Println()
	}
	// Output:
	// dot        Notting Hill  7.00  Die Hard -5.00  True Lies  1.00
	// scaled     Notting Hill  4.04  Die Hard -2.89  True Lies  0.58
	// cosine     Notting Hill  0.95  Die Hard -0.65  True Lies  0.17
	// general    Notting Hill -5.00  Die Hard  7.00  True Lies  4.00
	// additive   Notting Hill  0.97  Die Hard  2.49  True Lies  2.72
}

// Self-attention without maps: each word's new vector is a mean of all, weighted by similarity. "Ate" has large weights
// for "cat" and "fish", whose vectors have something to do with eating.
func ExampleAttend_theCatAteTheFish() {
	words := strings.Fields("the cat ate the fish")
	vectors := map[string][]float64{ // an article, animal, eating
		"the": {1, 0, 0}, "cat": {0, 2, 1}, "ate": {0, 0, 2}, "fish": {0, 2, 1.5},
	}
	var x plain.Matrix
	for _, w := range words {
		x = append(x, vectors[w])
	}
	y, weights := plain.Attend(x, x, x, plain.Scaled, nil)
	for q, w := range words {
		fmt.Printf("%-5s weights %.2f  becomes %.2f\n", w, weights[q], y[q])
	}
	// Output:
	// the   weights [0.27 0.15 0.15 0.27 0.15]  becomes [0.54 0.61 0.69]
	// cat   weights [0.02 0.38 0.07 0.02 0.51]  becomes [0.04 1.78 1.28]
	// ate   weights [0.05 0.15 0.48 0.05 0.27]  becomes [0.10 0.84 1.52]
	// the   weights [0.27 0.15 0.15 0.27 0.15]  becomes [0.54 0.61 0.69]
	// fish  weights [0.01 0.35 0.08 0.01 0.54]  becomes [0.03 1.78 1.32]
}

// One head gives one mixture. Who gave, what, to whom are three questions, so "gave" needs three heads. Attention does
// not know the order of words; each head finds its word by the features that its key map selects.
func ExampleHead_maryGaveRosesToSusan() {
	words := strings.Fields("mary gave roses to susan")
	x := plain.Matrix{ // person, verb, thing, preposition, first, last
		{1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {1, 0, 0, 0, 0, 1},
	}
	ask := plain.New(6, 1)
	ask[1][0] = 12 // verbs ask
	answer := func(features ...int) plain.Matrix {
		k := plain.New(6, 1)
		for _, f := range features {
			k[f][0]++
		}
		return k
	}
	for _, h := range []struct {
		question string
		key      plain.Matrix
	}{{"who gave?", answer(0, 4)}, {"what?", answer(2)}, {"to whom?", answer(0, 5)}} {
		_, weights := plain.Head{Query: ask, Key: h.key, Value: plain.Identity(6)}.Attend(x, x, plain.Scaled, nil)
		for k, w := range weights[1] {
			if w > 0.5 {
				fmt.Printf("%-10s %s\n", h.question, words[k])
			}
		}
	}
	// Output:
	// who gave?  mary
	// what?      roses
	// to whom?   susan
}

// The context of a pronoun decides what it refers to: the tired thing is the animal, the wide thing the street.
func ExampleAttend_whatItRefersTo() {
	nouns := []string{"animal", "street"}
	keys := plain.Matrix{{2, 0}, {0, 2}} // can be tired, can be wide
	for _, it := range []struct {
		why   string
		query []float64
	}{{"it was too tired", []float64{2, 0}}, {"it was too wide", []float64{0, 2}}} {
		_, weights := plain.Attend(plain.Matrix{it.query}, keys, keys, plain.Scaled, nil)
		fmt.Printf("the animal did not cross the street because %s: ", it.why)
		for k, n := range nouns {
			fmt.Printf(" %s %.2f", n, weights[0][k])
		}
		fmt.Println()
	}
	// Output:
	// the animal did not cross the street because it was too tired:  animal 0.94 street 0.06
	// the animal did not cross the street because it was too wide:  animal 0.06 street 0.94
}

// Masks remove keys before the softmax: the weights of the others add up to one, those of masked keys are exactly zero.
func ExampleMask() {
	x := plain.New(4, 1) // four equal tokens
	for _, m := range []struct {
		name    string
		allowed plain.Mask
	}{{"causal", plain.Causal}, {"window of 1", plain.Window(1)}} {
		_, weights := plain.Attend(x, x, x, plain.Dot, m.allowed)
		fmt.Println(m.name)
		for _, row := range weights {
			fmt.Printf("%.2f\n", row)
		}
	}
	// Output:
	// causal
	// [1.00 0.00 0.00 0.00]
	// [0.50 0.50 0.00 0.00]
	// [0.33 0.33 0.33 0.00]
	// [0.25 0.25 0.25 0.25]
	// window of 1
	// [0.50 0.50 0.00 0.00]
	// [0.33 0.33 0.33 0.00]
	// [0.00 0.33 0.33 0.33]
	// [0.00 0.00 0.50 0.50]
}

// Cross-attention: two words of one language attend to three of another; there are as many results as queries.
func ExampleMultiHead_crossAttention() {
	rng := rand.New(rand.NewPCG(1, 1))
	layer := plain.NewMultiHead(rng, 8, 2)
	x, y := plain.Normal(rng, 2, 8, 1), plain.Normal(rng, 3, 8, 1)
	out := layer.Forward(x, y, nil)
	fmt.Println(len(layer.Heads), "heads of dimension", len(layer.Heads[0].Value[0]))
	fmt.Println(len(out), "results of", len(out[0]), "channels")
	// Output:
	// 2 heads of dimension 4
	// 2 results of 8 channels
}

// An absolute encoding is added to the tokens; the dot product of two sinusoids depends on their distance alone.
func ExampleSinusoid() {
	p := plain.Sinusoid(50, 64)
	fmt.Printf("%.4f %.4f %.4f\n", plain.Dot(p[0], p[3]), plain.Dot(p[10], p[13]), plain.Dot(p[40], p[43]))
	fmt.Printf("%.4f\n", p[1][:4])
	// Output:
	// 25.5870 25.5870 25.5870
	// [0.8415 0.5403 0.6816 0.7318]
}

// Relative scores can select the token at any fixed shift: here, the one before.
func ExampleRelative() {
	before := plain.Relative(4, 4, func(shift int) float64 { return -20 * math.Pow(float64(shift+1), 2) })
	for _, row := range plain.SoftmaxRows(before) {
		fmt.Printf("%.2f\n", row)
	}
	// Output:
	// [1.00 0.00 0.00 0.00]
	// [1.00 0.00 0.00 0.00]
	// [0.00 1.00 0.00 0.00]
	// [0.00 0.00 1.00 0.00]
}

// An exercise: the difference of two hard heads, one for the left neighbor and one for the right, detects edges. At the
// ends of the row the softmax selects the nearest existing token: replicate padding.
func ExampleRelative_edge() {
	row := plain.Matrix{{0}, {0}, {1}, {1}, {5}}
	neighbor := func(shift int) plain.Matrix {
		hard := func(d int) float64 { return -50 * math.Pow(float64(d-shift), 2) }
		return plain.SoftmaxRows(plain.Relative(5, 5, hard)).Times(row)
	}
	left, right := neighbor(-1), neighbor(+1)
	for q := range row {
		fmt.Printf("%.0f ", right[q][0]-left[q][0])
	}
	// Output: 0 1 1 4 4
}
