package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// A HeadBits is the entropy of a head's shift, divided into parts.
type HeadBits struct {
	Layer, Head int       // from 1
	Bits        []float64 // of each part
}

// BitsOptions say how Bits draws. The zero value names no part.
type BitsOptions struct {
	Parts []string // from the bottom to the top of a bar; the last is hatched
	Width float64  // of the figure; 0: as the heads need, up to 24 cm
}

// Bits draws a stacked bar of entropies for each head, in bits, layer after layer.
func Bits(heads []HeadBits, o BitsOptions) (*Figure, error) {
	if len(heads) == 0 || len(o.Parts) == 0 {
		return nil, fault.Usagef("entropies of %d heads in %d parts: nothing to draw", len(heads), len(o.Parts))
	}
	most := 0.0
	for _, h := range heads {
		if len(h.Bits) != len(o.Parts) {
			return nil, fault.Usagef("head %d of layer %d has %d entropies for %d parts", h.Head, h.Layer, len(h.Bits),
				len(o.Parts))
		}
		sum := 0.0
		for _, v := range h.Bits {
			if !(v >= -1e-6) || math.IsInf(v, 0) {
				return nil, fault.Usagef("head %d of layer %d has an entropy of %v bits", h.Head, h.Layer, v)
			}
			sum += max(0, v)
		}
		most = max(most, sum)
	}
	slots := slotted(heads)
	if o.Width == 0 {
		o.Width = min(24, max(12, 5+0.26*float64(len(slots))))
	}
	b := &bars{n: len(slots), key: newSwatches(o.Parts, o.Width), axis: "entropy of the head's shift, bits",
		most: max(1, math.Ceil(most))}
	b.tick = func(y float64) string { return fmt.Sprintf("%.2g", y) }
	b.key.note = "a bar for each head, with its number"
	for _, s := range slots {
		b.nums = append(b.nums, s.head)
	}
	f := &Figure{Width: o.Width, Height: b.height(o.Width), Alt: bitsAlt(heads, o), Data: bitsTable(heads, o)}
	f.Drawing = func(c draw.Canvas, t *Theme) {
		b.frame(c, t, func(i int) string { return slots[i].name }, "layer")
		b.key.draw(c, t, b)
		for i, s := range slots {
			b.stack(c, t, i, [2]float64{0.08, 0.92}, s.bits, false)
		}
	}
	return f, nil
}

// A slot is the place of a head's bar, or the gap after a layer.
type slot struct {
	name string // of the layer, at the middle of its bars
	head string // number
	bits []float64
}

func slotted(heads []HeadBits) (slots []slot) {
	for i := 0; i < len(heads); {
		n := i + 1
		for n < len(heads) && heads[n].Layer == heads[i].Layer {
			n++
		}
		if i > 0 {
			slots = append(slots, slot{})
		}
		for k := i; k < n; k++ {
			s := slot{bits: heads[k].Bits, head: fmt.Sprint(heads[k].Head)}
			if k == i+(n-i-1)/2 {
				s.name = fmt.Sprint(heads[i].Layer)
			}
			slots = append(slots, s)
		}
		i = n
	}
	return slots
}

func bitsAlt(heads []HeadBits, o BitsOptions) string {
	var words []string
	for layer := range slices.Values(layersOf(heads)) {
		sums, n := make([]float64, len(o.Parts)), 0.0
		for _, h := range heads {
			if h.Layer != layer {
				continue
			}
			n++
			for i, v := range h.Bits {
				sums[i] += v
			}
		}
		for i, name := range o.Parts {
			words = append(words, fmt.Sprintf("layer %d: %s %.2f bits", layer, name, math.Abs(sums[i]/n)))
		}
	}
	return "Stacked bars of each head. Means: " + strings.Join(words, "; ") + "."
}

func layersOf(heads []HeadBits) (layers []int) {
	for _, h := range heads {
		layers = append(layers, h.Layer)
	}
	return slices.Compact(layers)
}

func bitsTable(heads []HeadBits, o BitsOptions) Table {
	t := Table{Columns: []string{"layer", "head", "part", "bits"}}
	for _, h := range heads {
		for i, v := range h.Bits {
			t.add(h.Layer, h.Head, o.Parts[i], v)
		}
	}
	return t
}
