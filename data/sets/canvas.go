package sets

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// A canvas is an image of 32 × 32 pixels on which shapes32 is drawn; channels are not yet cut to 0..255.
type canvas [32][32]rgb

// wheel holds the sine of 256 angles, times 2¹⁴. None of the exact values is within a millionth of a half, so rounding
// gives the same integers on machines whose math.Sin differs in the last bit.
var wheel = func() (w [256]int) {
	for i := range w {
		w[i] = int(math.Round(math.Sin(float64(i)*math.Pi/128) * (1 << 14)))
	}
	return w
}()

// grade fills the canvas with a ramp that runs in the direction angle, in 1/256 of a turn.
func (c *canvas) grade(colors ramp, angle int) {
	sin, cos := wheel[angle&255], wheel[(angle+64)&255]
	for y := range 32 {
		for x := range 32 {
			c[y][x] = colors.at(128 + ((2*x-31)*cos+(2*y-31)*sin)>>14*128/44) // 44: half of the diagonal, twice
		}
	}
}

// at returns the color at t in 0..256 between the ends.
func (r ramp) at(t int) (c rgb) {
	t = max(0, min(256, t))
	for i := range c {
		c[i] = (r[0][i]*(256-t) + r[1][i]*t) / 256
	}
	return c
}

// stamp draws an outline of radius r, rotated by angle, around (row, col), in a ramp from left to right. A pixel's
// coverage is counted at 4 × 4 points, all of them within 136 of its center.
func (c *canvas) stamp(o outline, row, col, r, angle int, ink ramp) {
	sin, cos := wheel[angle&255], wheel[(angle+64)&255]
	reach := 2 * r // every outline is cut there, along both axes
	far := r*o.far/16 + 144
	var us, vs [16]int // of the points, from the first one
	for k := range 16 {
		dy, dx := 64*(k/4), 64*(k%4)
		us[k], vs[k] = dx*cos+dy*sin, dy*cos-dx*sin
	}
	for y := max(0, (row-reach)/pixel); y <= min(31, (row+reach)/pixel); y++ {
		for x := max(0, (col-reach)/pixel); x <= min(31, (col+reach)/pixel); x++ {
			if dy, dx := y*pixel+128-row, x*pixel+128-col; dy*dy+dx*dx > far*far {
				continue
			}
			covered := 0
			dy, dx := y*pixel+32-row, x*pixel+32-col
			u, v := dx*cos+dy*sin, dy*cos-dx*sin
			for k := range 16 {
				if o.inside((u+us[k])>>14, (v+vs[k])>>14, r) {
					covered++
				}
			}
			if covered == 0 {
				continue
			}
			tint := ink.at(128 + (x*pixel+128-col)*128/r)
			for i := range tint {
				c[y][x][i] = (c[y][x][i]*(16-covered) + tint[i]*covered) / 16
			}
		}
	}
}

// noise writes the canvas to dst, (channels, rows, cols), with noise of a triangular density on -level..level.
func (c *canvas) noise(dst []uint8, level int, d dice) {
	for i := range 3 {
		for y := range 32 {
			var word uint64
			for x := range 32 {
				if x%4 == 0 {
					word = d.words.Uint64()
				}
				grain := (int(word&255) + int(word>>8&255) - 255) * level / 256
				word >>= 16
				dst[(i*32+y)*32+x] = uint8(max(0, min(255, c[y][x][i]+grain)))
			}
		}
	}
}

// An rgb is red, green and blue, in 0..255.
type rgb [3]int

// light is the brightness of a tint, in 0..255.
func (c rgb) light() int { return (77*c[0] + 150*c[1] + 29*c[2]) / 256 }

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

// dice draws integers. It uses raw 64-bit words of the generator only, which no version of Go will change.
type dice struct{ words *rand.Rand }

// between returns lo, lo+1, ... or hi.
func (d dice) between(lo, hi int) int {
	above, _ := bits.Mul64(d.words.Uint64(), uint64(hi-lo+1))
	return lo + int(above)
}

// place returns a coordinate at least margin from the border.
func (d dice) place(margin int) int { return d.between(margin, 32*pixel-margin) }

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
