package sets

import "github.com/attnconv/attnconv/data"

// The size of relations32 is fixed, and so is each of its bytes.
const relationsTrain, relationsTest = 12000, 2400

// relations are the classes: the angle between two directions, which are multiples of 90°.
var relations = []string{"parallel", "perpendicular", "opposite"}

var relationsKind = Kind{
	Name: "relations32", Help: "12,000 + 2,400 pairs of far marks and how they point, built in",
	Classes: relations, Train: relationsTrain, Test: relationsTest,
	ValSize: 1200, Make: drawRelations,
	Digest: data.Digests{
		Train: "cdde75a97743cb8501a0a097796fd47bb1416c6be07aad91726486aad83e6f3f",
		Test:  "354c3435f761dfaab0243d30c4d4b36a901f2c40f0dc2e5686cd31b218c4446f",
	},
}

// drawRelations draws relations32: 32 × 32 RGB images with two marks of 4 × 4 pixels among squares of one color, on a
// graded ground with noise. A mark is a tile of the grid of 8 × 8 tiles, half light and half dark: it points up, right,
// down or left, to its light half. The class is the angle between the two: parallel, perpendicular or opposite. Image i
// has class i mod 3.
//
// The direction of the first mark is uniform, so that of each mark is independent of the class, and so is any function
// of one tile. The marks are at least 6 tiles apart along an axis.
func drawRelations(data.Options) *data.Set {
	return &data.Set{Format: rgb32, Train: drawPairs("train", relationsTrain), Test: drawPairs("test", relationsTest)}
}

func drawPairs(split string, n int) data.Split {
	return drawEach("relations32/"+split, n, len(relations), drawPair)
}

// The tiles of relations32, along an axis and in pixels, how many tiles are between its marks, and directions.
const tiles, tileSide, farTiles, directions = 8, 4, 6, 4

// drawPair draws an image of a class into dst, (channels, rows, cols).
func drawPair(dst []uint8, class int, d dice) {
	var c canvas
	c.grade(d.ramp(), d.between(0, 255))
	for range d.between(2, 5) {
		light, _ := d.shades()
		c.tile(d.tile(), light, light, 0)
	}
	first := d.tile()
	second := d.tile()
	for max(distance(first[0], second[0]), distance(first[1], second[1])) < farTiles {
		first, second = d.tile(), d.tile()
	}
	direction := d.between(0, directions-1)
	turn := class // of 90°: 0, 1 or 3, 2
	if class == 1 && d.between(0, 1) == 1 {
		turn = 3
	}
	for i, at := range [][2]int{first, second} {
		light, dark := d.shades()
		c.tile(at, light, dark, (direction+i*turn)%directions)
	}
	c.noise(dst, d.between(6, 26), d)
}

// tile returns the row and column of a tile.
func (d dice) tile() [2]int { return [2]int{d.between(0, tiles-1), d.between(0, tiles-1)} }

// shades returns a light and a dark color of one hue.
func (d dice) shades() (light, dark rgb) {
	h, s := d.between(0, 1535), d.between(0, 120)
	return hue(h, s, d.between(190, 255)), hue(h, s, d.between(10, 70))
}

func distance(a, b int) int { return max(a-b, b-a) }

// tile fills a tile of the canvas, whose light half is up, right, down or left.
func (c *canvas) tile(at [2]int, light, dark rgb, direction int) {
	for y := range tileSide {
		for x := range tileSide {
			half := [directions]bool{y < tileSide/2, x >= tileSide/2, y >= tileSide/2, x < tileSide/2}
			color := dark
			if half[direction] {
				color = light
			}
			c[at[0]*tileSide+y][at[1]*tileSide+x] = color
		}
	}
}
