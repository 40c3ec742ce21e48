package viz

import (
	"bytes"
	"fmt"
	"image/gif"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// moving returns three snapshots of a layer of four heads that drift apart.
func moving() (snapshots []Snapshot) {
	for i := range 3 {
		l := Layer{Number: 2}
		for h := range 4 {
			head := round(0.5 + float64(i))
			head.Center = [2]float64{float64(h%2*2-1) * float64(i), float64(h/2*2-1) * float64(i)}
			l.Heads = append(l.Heads, head)
		}
		snapshots = append(snapshots, Snapshot{fmt.Sprintf("epoch %d", i), []Layer{l}})
	}
	return snapshots
}

func TestAnimate(t *testing.T) {
	a, err := Animate(moving(), AnimateOptions{Between: 1, Trail: 1, FPS: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Frames) != 5 {
		t.Errorf("%d frames, want 3 snapshots and 2 interpolated ones", len(a.Frames))
	}
	b, err := a.Encode(Output{DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := a.Encode(Output{DPI: 72}); !bytes.Equal(b, second) {
		t.Error("two drawings differ")
	}
	g, err := gif.DecodeAll(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Image) != 5 || g.Delay[0] != 10 || g.LoopCount != 0 {
		t.Errorf("%d images, %d hundredths each, %d loops", len(g.Image), g.Delay[0], g.LoopCount)
	}
	whole := g.Image[0].Bounds()
	a.Source, a.Caption = "run 7", "epochs"
	if b, err = a.Encode(Output{DPI: 72}); err != nil {
		t.Fatal(err)
	}
	if with, err := gif.Decode(bytes.NewReader(b)); err != nil || with.Bounds().Dy() <= whole.Dy() {
		t.Errorf("%v, or a caption has no place", err)
	}
	for i, p := range g.Image[1:] {
		if !p.Bounds().In(whole) || p.Bounds() == whole {
			t.Errorf("frame %d covers %v of %v, want the changed pixels only", i+1, p.Bounds(), whole)
		}
	}
	if len(a.Data.Rows) != 12 {
		t.Errorf("%d rows of values, want 3 snapshots of 4 heads", len(a.Data.Rows))
	}
}

// With Null, the first moment has no head that changed, and a later one has some.
func TestAnimateAgainstNull(t *testing.T) {
	snapshots := moving()
	a, err := Animate(snapshots, AnimateOptions{HeadsOptions: HeadsOptions{Null: snapshots[0].Layers}, Between: 1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Encode(Output{DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	colorful := func(i int) bool {
		for _, index := range g.Image[i].Pix {
			if r, green, blue, _ := g.Image[i].Palette[index].RGBA(); r != green || green != blue {
				return true
			}
		}
		return false
	}
	if colorful(0) || !colorful(len(g.Image)-1) {
		t.Errorf("colors in the first frame: %v, in the last: %v", colorful(0), colorful(len(g.Image)-1))
	}
}

func TestAnimateRefuses(t *testing.T) {
	uneven := moving()
	uneven[1].Layers = []Layer{{Number: 2, Heads: uneven[1].Layers[0].Heads[:3]}}
	for _, tt := range []struct {
		name      string
		snapshots []Snapshot
		o         AnimateOptions
	}{
		{"nothing", nil, AnimateOptions{}},
		{"too fast", moving(), AnimateOptions{FPS: 100}},
		{"a head less", uneven, AnimateOptions{}},
		{"null of other heads", moving(), AnimateOptions{HeadsOptions: HeadsOptions{Null: uneven[1].Layers}}},
	} {
		if _, err := Animate(tt.snapshots, tt.o); err == nil {
			t.Errorf("%s: want an error", tt.name)
		}
	}
}

func ExampleAnimate() {
	at := func(row, col float64) []Layer {
		return []Layer{{Number: 1, Heads: []geometry.Head{{Center: [2]float64{row, col},
			Precision: [2][2]float64{{2, 0}, {0, 2}}}}}}
	}
	a, err := Animate([]Snapshot{{"epoch 0", at(3, -2)}, {"epoch 1", at(1, 0)}}, AnimateOptions{Between: 9})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := a.Encode(Output{DPI: 50})
	fmt.Println(len(a.Frames), string(b[:6]), err)
	// Output: 11 GIF89a <nil>
}
