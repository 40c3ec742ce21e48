package data

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// at is the value of a pixel, or 0 outside the image.
func (f Format) at(img []uint8, ch, y, x int) float64 {
	if y < 0 || x < 0 || y >= f.Rows || x >= f.Cols {
		return 0
	}
	return float64(img[(ch*f.Rows+y)*f.Cols+x])
}

// blended is low + k·(v - low), rounded, in 0..255.
func blended(low, v, k float64) float64 { return math.Floor(min(255, max(0, low+k*(v-low))) + 0.5) }

// oracles say what each change makes of a pixel, each by a formula of its own.
var oracles = map[string]func(f Format, img []uint8, ch, y, x int, m float64) float64{
	"identity": func(f Format, img []uint8, ch, y, x int, _ float64) float64 { return f.at(img, ch, y, x) },
	"autocontrast": func(f Format, img []uint8, ch, y, x int, _ float64) float64 {
		plane := img[ch*f.Rows*f.Cols : (ch+1)*f.Rows*f.Cols]
		low, high := float64(slices.Min(plane)), float64(slices.Max(plane))
		if low == high {
			return low
		}
		return math.Floor(255*(f.at(img, ch, y, x)-low)/(high-low) + 0.5)
	},
	"equalize": func(f Format, img []uint8, ch, y, x int, _ float64) float64 {
		plane := slices.Sorted(slices.Values(img[ch*f.Rows*f.Cols : (ch+1)*f.Rows*f.Cols]))
		largest := 0
		for _, v := range plane {
			if v == plane[len(plane)-1] {
				largest++
			}
		}
		step := (len(plane) - largest) / 255
		smaller := 0
		for _, v := range plane {
			if float64(v) < f.at(img, ch, y, x) {
				smaller++
			}
		}
		if step == 0 {
			return f.at(img, ch, y, x)
		}
		return min(255, math.Floor(float64(smaller+step/2)/float64(step)))
	},
	"rotate": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		cy, cx, a := float64(f.Rows)/2, float64(f.Cols)/2, m*30*math.Pi/180
		v, u := float64(y)+0.5-cy, float64(x)+0.5-cx
		return f.at(img, ch, int(math.Floor(cy+v*math.Cos(a)-u*math.Sin(a))),
			int(math.Floor(cx+v*math.Sin(a)+u*math.Cos(a))))
	},
	"shear-x": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		return f.at(img, ch, y, int(math.Floor(float64(x)+0.5+0.3*m*(float64(y)+0.5-float64(f.Rows)/2))))
	},
	"shear-y": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		return f.at(img, ch, int(math.Floor(float64(y)+0.5+0.3*m*(float64(x)+0.5-float64(f.Cols)/2))), x)
	},
	"translate-x": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		return f.at(img, ch, y, x+int(math.Floor(0.3*m*float64(f.Cols)+0.5)))
	},
	"translate-y": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		return f.at(img, ch, y+int(math.Floor(0.3*m*float64(f.Rows)+0.5)), x)
	},
	"solarize": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		if v := f.at(img, ch, y, x); v < 256-256*m {
			return v
		}
		return 255 - f.at(img, ch, y, x)
	},
	"posterize": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		step := math.Exp2(math.Round(4 * m))
		return step * math.Floor(f.at(img, ch, y, x)/step)
	},
	"brightness": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		return blended(0, f.at(img, ch, y, x), 1+0.9*m)
	},
	"color": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		return blended(f.gray(img, y, x), f.at(img, ch, y, x), 1+0.9*m)
	},
	"contrast": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		sum := 0.0
		for row := range f.Rows {
			for col := range f.Cols {
				sum += f.gray(img, row, col)
			}
		}
		return blended(sum/float64(f.Rows*f.Cols), f.at(img, ch, y, x), 1+0.9*m)
	},
	"sharpness": func(f Format, img []uint8, ch, y, x int, m float64) float64 {
		mean := f.at(img, ch, y, x)
		if y > 0 && x > 0 && y < f.Rows-1 && x < f.Cols-1 {
			mean *= 5
			for _, d := range [][2]int{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}} {
				mean += f.at(img, ch, y+d[0], x+d[1])
			}
			mean /= 13
		}
		return blended(mean, f.at(img, ch, y, x), 1+0.9*m)
	},
}

func (f Format) gray(img []uint8, y, x int) float64 {
	if f.Channels == 1 {
		return f.at(img, 0, y, x)
	}
	return 0.299*f.at(img, 0, y, x) + 0.587*f.at(img, 1, y, x) + 0.114*f.at(img, 2, y, x)
}

// Every change is compared, pixel by pixel, with its formula; a difference of 1 is a rounding.
func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, f := range []Format{FormatOf(32, 32, 3), FormatOf(13, 20, 1)} {
		img := make([]uint8, f.Size())
		for i := range img {
			img[i] = uint8(30 + r.IntN(150))
		}
		for _, c := range changes {
			for _, m := range []float64{0, 0.5, 1, -0.7} {
				if m < 0 && !c.signed {
					continue
				}
				dst := slices.Repeat([]uint8{7}, f.Size())
				c.apply(dst, img, f, m)
				for i, got := range dst {
					ch, y, x := i/(f.Rows*f.Cols), i/f.Cols%f.Rows, i%f.Cols
					if want := oracles[c.name](f, img, ch, y, x, m); math.Abs(float64(got)-want) > 1 {
						t.Fatalf("%s %v of %v: channel %d, (%d, %d) is %d, want %v", c.name, m, f, ch, y, x, got, want)
					}
				}
			}
		}
	}
	if len(oracles) != len(changes) || len(changes) != 14 {
		t.Errorf("%d changes, %d formulas; the source has 14", len(changes), len(oracles))
	}
}

// Strength 0 leaves all but autocontrast and equalize at rest, N changes are applied one after the other, and all are
// drawn alike, with both signs.
func TestRandAugment(t *testing.T) {
	old := changes
	t.Cleanup(func() { changes = old })
	counts := map[[2]int]int{}
	changes = slices.Clone(old)
	for i := range changes {
		changes[i].apply = func(dst, src []uint8, _ Format, m float64) {
			counts[[2]int{i, int(m * 10)}]++
			dst[0] = src[0] + 1
		}
	}
	r, img, spare := rand.New(rand.NewPCG(1, 1)), make([]uint8, 3072), make([]uint8, 3072)
	for range 14 * 100 {
		img[0] = 0
		if randAugment(img, spare, rgb32, []float64{3, 7}, r); img[0] != 3 {
			t.Fatalf("%d changes, want 3", img[0])
		}
	}
	for i, c := range changes {
		plus, minus := counts[[2]int{i, 7}], counts[[2]int{i, -7}]
		if n := plus + minus; n < 220 || n > 380 {
			t.Errorf("%s is drawn %d times of 4,200", c.name, n)
		}
		if c.signed && min(plus, minus) < 90 || !c.signed && minus > 0 {
			t.Errorf("%s: %d times with +, %d times with -", c.name, plus, minus)
		}
	}
}
