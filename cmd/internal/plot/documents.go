package plot

import (
	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/model/heads"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "plot-curves", Value: CurveFigures{}},
	{Command: "plot-heads", Value: HeadFigures{}, Or: []any{MapFigures{}, term.Several{}}},
	{Command: "plot-heads", If: "--animate", Value: Animation{}, Or: []any{term.Several{}}},
	{Command: "plot-maps", Value: MapFigures{}},
}

// HeadFigures are figures of Gaussian heads, and the heads.
type HeadFigures struct {
	V     int              `json:"v"`     // 1
	Files []string         `json:"files"` // written
	Heads []heads.Gaussian `json:"heads"` // that were drawn; null: the figure shows attention maps
}

// Animation is a figure of heads that moves from epoch to epoch.
type Animation struct {
	V      int      `json:"v"`      // 1
	Files  []string `json:"files"`  // written
	Epochs int      `json:"epochs"` // recorded, including epoch 0
	Frames int      `json:"frames"` // drawn
}

// MapFigures are figures of attention maps, and a line for each map.
type MapFigures struct {
	V     int                  `json:"v"`               // 1
	Files []string             `json:"files"`           // written
	Heads []figures.MapSummary `json:"heads,omitempty"` // omitted with --raw
}

// CurveFigures are figures of training curves, and a line for each curve.
type CurveFigures struct {
	V      int                    `json:"v"`      // 1
	Files  []string               `json:"files"`  // written
	Curves []figures.CurveSummary `json:"curves"` // that were drawn
	// with --show class-acc, weights or gradients: their curves
	Parts []figures.PartSummary `json:"parts,omitempty"`
}
