package viz

import "testing"

// A layer's panel is as wide with 4 heads as with 16, at the width of a column of a paper and at that of a page.
func TestPanelsHaveOneSize(t *testing.T) {
	figureOf := func(heads int, width float64) *Figure {
		var layers []Layer
		for n := range 6 {
			l := Layer{Number: n + 1}
			for h := range heads {
				head := round(1)
				head.Center = [2]float64{float64(h / 4), float64(h % 4)}
				l.Heads = append(l.Heads, head)
			}
			layers = append(layers, l)
		}
		f, err := Heads(layers, HeadsOptions{Width: width})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, width := range []float64{8.4, 17, 24} {
		few := figureOf(4, width)
		for _, heads := range []int{9, 10, 16} {
			if many := figureOf(heads, width); many.Width != few.Width || many.Height != few.Height {
				t.Errorf("%g cm: %d heads take %g × %g cm, 4 take %g × %g", width, heads, many.Width, many.Height,
					few.Width, few.Height)
			}
		}
	}
}
