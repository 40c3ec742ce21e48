package sets

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/stream"
)

// The size of shapes32 is fixed, and so is each of its bytes.
const shapesTrain, shapesTest = 10000, 2000

var shapesKind = Kind{
	Name: "shapes32", Help: "10,000 + 2,000 drawings of 10 shapes, built in", Classes: figureNames(),
	Train: shapesTrain,
	Test:  shapesTest, ValSize: 1000, Make: drawShapes,
	Digest: data.Digests{
		Train: "086fcca80ddff88a5a742e8a7bbe704cf2ac36e65bd79a63bc7ae578b73a2f51",
		Test:  "d9cb2c31e8a6484ad26de700e6a099038bf50a8c2e04a1f208ce491a3f116481",
	},
}

// Shapes draws shapes32: 32 × 32 RGB images of ten shapes, each with its own place, size, rotation and colors,
// lighter than the graded background, among small distractors, partly occluded, and with noise. Neither color nor place
// determines the class, only the shape of an edge or a pattern, wherever it is. Image i shows class i mod 10.
//
// The test accuracy of softmax regression on the pixels is 46 % at best (TestShapesAreNotLinear); that of three layers
// that mix the 3 × 3 neighbors of 4 × 4 pixel tokens, 48 channels wide, is 95 % after two epochs and 99 % after five.
//
// All arithmetic is on integers, so that the bytes are the same on every machine.
func Shapes() *data.Set {
	s, err := shapesKind.made(data.Options{})
	if err != nil {
		panic(err) // it takes no options
	}
	return s
}

// SomeShapes returns the first n test images of Shapes, and the names of its classes, without drawing the others.
func SomeShapes(n int) (test data.Split, classes []string) { return drawAll("test", n), figureNames() }

func drawShapes(data.Options) *data.Set {
	return &data.Set{Format: rgb32, Train: drawAll("train", shapesTrain), Test: drawAll("test", shapesTest)}
}

func figureNames() []string {
	names := make([]string, len(figures))
	for i, f := range figures {
		names[i] = f.name
	}
	return names
}

func drawAll(split string, n int) data.Split {
	return drawEach("shapes32/"+split, n, len(figures), func(dst []uint8, class int, d dice) {
		drawImage(dst, figures[class], d)
	})
}

// drawEach draws n images, each from a random stream of its own, which is named after the split. Image i has class i
// mod classes.
func drawEach(split string, n, classes int, draw func(dst []uint8, class int, d dice)) data.Split {
	s := data.NewSplit(rgb32, n, false)
	var workers sync.WaitGroup
	step := runtime.GOMAXPROCS(0)
	for first := range step {
		workers.Go(func() {
			for i := first; i < n; i += step {
				s.Labels[i] = int32(i % classes)
				draw(s.Bytes(i), i%classes, dice{stream.Rand(0, fmt.Sprintf("%s/%d", split, i))})
			}
		})
	}
	workers.Wait()
	return s
}

// dice draws integers. It uses raw 64-bit words of the generator only, which no version of Go will change.
type dice struct{ words *rand.Rand }

// between returns lo, lo+1, ... or hi.
func (d dice) between(lo, hi int) int {
	above, _ := bits.Mul64(d.words.Uint64(), uint64(hi-lo+1))
	return lo + int(above)
}

// drawImage draws an image of f into dst, (channels, rows, cols).
func drawImage(dst []uint8, f figure, d dice) {
	var c canvas
	ground, ink := d.colors()
	c.grade(ground, d.between(0, 255))
	for range d.between(1, 4) { // blots
		c.stamp(blots[d.between(0, len(blots)-1)], d.place(0), d.place(0), d.between(260, 480), d.between(0, 255),
			d.ramp())
	}
	r := d.between(f.small, f.large)
	row, col := d.place(r-pixel), d.place(r-pixel)
	c.stamp(f.outline, row, col, r, d.between(-16, 16), ink)
	if d.between(0, 2) == 0 { // a blot in front of the shape
		c.stamp(blots[0], row+d.between(-r, r), col+d.between(-r, r), d.between(400, 700), 0, d.ramp())
	}
	c.noise(dst, d.between(6, 26), d)
}

// place returns a coordinate at least margin from the border.
func (d dice) place(margin int) int { return d.between(margin, 32*pixel-margin) }

// An rgb is red, green and blue, in 0..255.
type rgb [3]int

// A ramp goes from one color to another.
type ramp [2]rgb

// hue returns a color: hue h in 0..1535 round the wheel, saturation s and value v in 0..255.
func hue(h, s, v int) (c rgb) {
	up, down := h%256, 255-h%256
	pure := [6]rgb{{255, up, 0}, {down, 255, 0}, {0, 255, up}, {0, down, 255}, {up, 0, 255}, {255, 0, down}}[h/256]
	for i := range c {
		c[i] = (255*255 - s*(255-pure[i])) * v / (255 * 255)
	}
	return c
}

// ramp returns two colors that are near each other on the wheel.
func (d dice) ramp() ramp {
	h, s, v := d.between(0, 1535), d.between(50, 230), d.between(50, 255)
	near := (h + d.between(0, 300)) % 1536
	return ramp{hue(h, s, v), hue(near, s, max(40, min(255, v+d.between(-50, 50))))}
}

// colors returns a ramp for the ground and a lighter one for the shape.
func (d dice) colors() (ground, ink ramp) {
	for {
		ground, ink = d.ramp(), d.ramp()
		if min(ink[0].light(), ink[1].light())-max(ground[0].light(), ground[1].light()) >= 50 {
			return ground, ink
		}
	}
}

// light is the brightness of a tint, in 0..255.
func (c rgb) light() int { return (77*c[0] + 150*c[1] + 29*c[2]) / 256 }
