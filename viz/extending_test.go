package viz

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
)

// Loss draws loss over epochs.
func Loss(loss []float64) (*Figure, error) {
	if len(loss) == 0 {
		return nil, fault.Usagef("no losses to draw")
	}
	p := Panel{Title: "loss", Curves: []Curve{{Name: "loss", Runs: [][]Point{nil}}}}
	for i, y := range loss {
		p.Curves[0].Runs[0] = append(p.Curves[0].Runs[0], Point{float64(i + 1), y})
	}
	f := &Figure{Width: 12, Height: 8, Alt: fmt.Sprintf("Loss over %d epochs.", len(loss))}
	f.Data = curvesTable([]Panel{p}, CurvesOptions{X: epochs})
	f.Drawing = func(c draw.Canvas, t *Theme) {
		drawCurves(c, t, inset(c.Rectangle, 1.2, 0.3, 1.2, 0.8), p, CurvesOptions{X: epochs})
	}
	return f, nil
}

// docs/extending.md shows this figure, which draws.
func TestTheDocumentedFigure(t *testing.T) {
	f, err := Loss([]float64{2.3, 1.7, 1.4})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := f.Encode("loss.svg", Output{}); err != nil || !strings.Contains(string(b), ">epoch<") {
		t.Errorf("%v, or its axis has no name", err)
	}
}
