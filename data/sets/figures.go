package sets

// A figure is a class of shapes32. Its sizes are radii, in 1/256 pixel.
type figure struct {
	name string
	outline
	small, large int
}

// An outline is a set of points. All of them are at most far sixteenths of the radius away from the origin.
type outline struct {
	inside func(u, v, r int) bool
	far    int
}

// pixel is the unit of length in shapes32: coordinates count 1/256 pixel.
const pixel = 256

// The figures are inscribed in a circle of radius r around the origin, except that the arms of the cross are a little
// longer; (u, v) is a point in the figure's rotated frame.
var figures = []figure{
	{"disc", outline{inDisc, 17}, 7 * pixel, 11 * pixel},
	{"ring", outline{inRing, 17}, 8 * pixel, 12 * pixel},
	{"square", outline{inSquare, 17}, 10 * pixel, 14 * pixel},
	{"triangle", outline{inTriangle, 17}, 10 * pixel, 14 * pixel},
	{"cross", outline{inCross, 17}, 9 * pixel, 12 * pixel},
	{"star", outline{inStar, 17}, 10 * pixel, 14 * pixel},
	{"moon", outline{inMoon, 17}, 9 * pixel, 12 * pixel},
	{"rows", outline{inRows, 17}, 9 * pixel, 13 * pixel},
	{"columns", outline{inColumns, 17}, 9 * pixel, 13 * pixel},
	{"checks", outline{inChecks, 17}, 9 * pixel, 13 * pixel},
}

// blots are the distractors around the figures.
var blots = []outline{{inDisc, 17}, {inStroke, 34}}

func inDisc(u, v, r int) bool { return u*u+v*v <= r*r }

func inRing(u, v, r int) bool { // a third of the radius wide
	d, hole := u*u+v*v, r*9/16
	return d <= r*r && d >= hole*hole
}

func inSquare(u, v, r int) bool {
	a := r * 181 / 256 // r/√2
	return -a <= u && u <= a && -a <= v && v <= a
}

func inTriangle(u, v, r int) bool { // equilateral: three half-planes at distance r/2
	h := r / 2
	return v <= h && (-v*128+u*222)/256 <= h && (-v*128-u*222)/256 <= h // cos 60° = 128/256, sin 60° = 222/256
}

func inCross(u, v, r int) bool {
	w := r * 5 / 16
	return -r <= u && u <= r && -r <= v && v <= r && (-w <= u && u <= w || -w <= v && v <= w)
}

// normals are the directions of a pentagram's five lines, at 72°, times 256.
var normals = [5][2]int{{0, 256}, {243, 79}, {150, -207}, {-150, -207}, {-243, 79}}

func inStar(u, v, r int) bool { // a pentagram: the points on the inner side of four of its five lines or of all
	h, outside := r*79/256, 0 // its lines are at r·cos 72° from the center
	for _, n := range normals {
		if u*n[0]+v*n[1] > 256*h {
			outside++
		}
	}
	return outside <= 1
}

func inMoon(u, v, r int) bool {
	x, bite := u-r*7/16, r*13/16
	return u*u+v*v <= r*r && x*x+v*v >= bite*bite
}

func inRows(u, v, r int) bool {
	const period = 6 * pixel
	return inDisc(u, v, r) && mod(v+period/4, period) < period/2
}

func inColumns(u, v, r int) bool { return inRows(v, u, r) }

func inChecks(u, v, r int) bool {
	const side = 4 * pixel
	return inDisc(u, v, r) && (mod(u, 2*side) < side) == (mod(v, 2*side) < side)
}

func inStroke(u, v, r int) bool { return -2*r <= u && u <= 2*r && -r/2 <= v && v <= r/2 }

// mod is x modulo m, in 0..m-1.
func mod(x, m int) int { return (x%m + m) % m }
