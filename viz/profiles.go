package viz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/table"
)

// A ProfileLayer is the profiles of a layer's heads.
type ProfileLayer struct {
	Number   int // from 1
	Profiles []HeadProfile
}

// A HeadProfile is the distribution of shifts that some heads have around their centers.
type HeadProfile struct {
	Heads  int         // that have it
	Share  float64     // of the layer, a part of 1; NaN: unknown
	Values [][]float64 // rows × columns, both odd, the center in the middle
}

// ProfilesOptions say how Profiles draws.
type ProfilesOptions struct {
	Reach int     // largest shift to each side that is drawn; 0: all
	Width float64 // of the figure; 0: 2.6 cm for each profile of the layer with the most, up to six
}

// Lengths of a figure of profiles, in cm.
const (
	profilesAcross = 6    // panels in a row
	profilesEdge   = 0.35 // in front of the names
	profilesLeft   = 2.2
	profilesGap    = 0.3
	profilesHead   = 0.5 // words above a panel
	profilesFoot   = 1.0 // the scale
)

// Profiles draws the profiles of each layer side by side, in the order given, each as a part of its largest value. The
// heads that have a profile and their share are above it. Profiles that do not fit are counted.
func Profiles(layers []ProfileLayer, o ProfilesOptions) (*Figure, error) {
	if len(layers) == 0 {
		return nil, fault.Usagef("no profiles to draw")
	}
	across := 1
	for _, l := range layers {
		across = max(across, min(profilesAcross, len(l.Profiles)))
		if len(l.Profiles) == 0 {
			return nil, fault.Usagef("layer %d has no profiles", l.Number)
		}
		for _, p := range l.Profiles {
			if p.Heads < 1 || math.IsInf(p.Share, 0) {
				return nil, fault.Usagef("layer %d has a profile of %d heads with a share of %v", l.Number, p.Heads,
					p.Share)
			}
			if err := (LayerKernel{l.Number, p.Values}).check(); err != nil {
				return nil, err
			}
		}
	}
	if o.Width == 0 {
		o.Width = max(10, profilesLeft+2.6*float64(across)+1)
	}
	const more = 1.1 // words behind the last panel
	side := (o.Width - profilesLeft - marginRight - more) / float64(across)
	for side < 1.7 && across > 1 {
		across--
		side = (o.Width - profilesLeft - marginRight - more) / float64(across)
	}
	side = min(3, side) - profilesGap
	row := profilesHead + side + profilesGap
	f := &Figure{Width: o.Width, Height: row*float64(len(layers)) + profilesFoot, Alt: profilesAlt(layers),
		Data: profilesTable(layers)}
	f.Drawing = func(c draw.Canvas, t *Theme) {
		for i, l := range layers {
			l.draw(c, t, o.Reach, across, cm(side), c.Max.Y-cm(profilesHead+row*float64(i)))
		}
		scale(c, t, "largest of the profile; squares: the center of the heads, and 3 × 3; above: heads, and their "+
			"share of the layer's squared norm")
	}
	return f, nil
}

// draw draws a row of panels below upper.
func (l ProfileLayer) draw(c draw.Canvas, t *Theme, reach, across int, side, upper vg.Length) {
	ink, quiet := t.Text(labelSize, t.Ink), t.Text(numberSize, t.Quiet)
	write(c, ink, vg.Point{X: c.Min.X + cm(profilesEdge), Y: upper - side/2}, left, bottom,
		fmt.Sprintf("layer %d", l.Number))
	write(c, quiet, vg.Point{X: c.Min.X + cm(profilesEdge), Y: upper - side/2 - vg.Points(3)}, left, top,
		table.Count(len(l.Profiles), "profile"))
	for i, p := range l.Profiles[:min(across, len(l.Profiles))] {
		x := c.Min.X + cm(profilesLeft) + vg.Length(i)*(side+cm(profilesGap))
		box := vg.Rectangle{Min: vg.Point{X: x, Y: upper - side}, Max: vg.Point{X: x + side, Y: upper}}
		k := LayerKernel{l.Number, p.Values}
		most, _ := k.most()
		k.shades(c, t, box, reach, most)
		y := upper + vg.Points(3)
		write(c, quiet, vg.Point{X: box.Min.X, Y: y}, left, bottom, table.Count(p.Heads, "head"))
		if !math.IsNaN(p.Share) {
			share := math.Round(100*p.Share) + 0 // + 0: no -0
			write(c, quiet, vg.Point{X: box.Max.X, Y: y}, right, bottom, fmt.Sprintf("%.0f %%", share))
		}
	}
	if n := len(l.Profiles) - across; n > 0 {
		x := c.Min.X + cm(profilesLeft) + vg.Length(across)*(side+cm(profilesGap))
		write(c, quiet, vg.Point{X: x, Y: upper - side/2}, left, center, fmt.Sprintf("+%d more", n))
	}
}

func profilesAlt(layers []ProfileLayer) string {
	var words []string
	for _, l := range layers {
		var heads []string
		for _, p := range l.Profiles {
			heads = append(heads, fmt.Sprint(p.Heads))
		}
		words = append(words, fmt.Sprintf("layer %d: %s, of %s heads", l.Number, table.Count(len(heads), "profile"),
			strings.Join(heads, ", ")))
	}
	return "Profiles of heads around their centers. " + strings.Join(words, "; ") + "."
}

func profilesTable(layers []ProfileLayer) Table {
	t := Table{Columns: []string{"layer", "profile", "heads", "share", "row_shift", "column_shift", "weight"}}
	for _, l := range layers {
		for i, p := range l.Profiles {
			var share any = ""
			if !math.IsNaN(p.Share) {
				share = p.Share
			}
			for r, row := range p.Values {
				for k, v := range row {
					t.add(l.Number, i+1, p.Heads, share, r-len(p.Values)/2, k-len(row)/2, v)
				}
			}
		}
	}
	return t
}
