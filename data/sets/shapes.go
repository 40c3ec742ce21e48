package sets

import (
	"fmt"
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
