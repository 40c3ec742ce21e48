package vec

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// The known-answer vectors of Philox4x32-10 in Random123 (tests/kat_vectors).
func TestPhilox(t *testing.T) {
	const ones = math.MaxUint32
	for _, tt := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(tt.counter, tt.key); got != tt.want {
			t.Errorf("philox(%x, %x) = %x, want %x", tt.counter, tt.key, got, tt.want)
		}
	}
}

func TestDropoutRowIsKept(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, d := range []Dropout{
				{}, {Key: 1, Rate: 0.1}, {Key: math.MaxUint64, Step: 1<<40 + 3, Rate: 0.5},
				{Key: 1 << 63, Step: math.MaxUint64, Rate: 1 - 1.0/(1<<24)}, {Key: 5, Rate: 1e-9},
			} {
				for _, n := range lengths {
					mask := kerneltest.NewFence(n, 1)
					d.Row(mask.In, 1<<31+7)
					for c, v := range mask.In {
						want := float32(0)
						if d.Kept(1<<31+7, uint32(c)) {
							want = 1 / (1 - d.Rate)
						}
						if v != want {
							t.Fatalf("%+v, n=%d: mask[%d] = %v, want %v", d, n, c, v, want)
						}
					}
					if mask.Broken() {
						t.Fatalf("%+v, n=%d: wrote outside the mask", d, n)
					}
				}
			}
		})
	}
}

func TestDropoutRate(t *testing.T) {
	const rows, cols = 1000, 1000
	for _, rate := range []float32{0.1, 0.5, 0.9} {
		mask, dropped := make([]float32, cols), 0
		for r := range uint32(rows) {
			Dropout{Key: 42, Rate: rate}.Row(mask, r)
			for _, v := range mask {
				if v == 0 {
					dropped++
				}
			}
		}
		want := float64(rate) * rows * cols
		if sigma := math.Sqrt(want * float64(1-rate)); math.Abs(float64(dropped)-want) > 4*sigma {
			t.Errorf("rate %v: %d of %d dropped, want about %.0f ± %.0f", rate, dropped, rows*cols, want, sigma)
		}
	}
}

func TestDropoutStreamsDiffer(t *testing.T) {
	base := Dropout{Key: 1, Step: 1, Rate: 0.5}
	row := func(d Dropout, r uint32) []float32 {
		m := make([]float32, 4096)
		d.Row(m, r)
		return m
	}
	want := row(base, 0)
	for name, other := range map[string][]float32{
		"key":  row(Dropout{Key: 2, Step: 1, Rate: 0.5}, 0),
		"step": row(Dropout{Key: 1, Step: 2, Rate: 0.5}, 0),
		"row":  row(base, 1),
	} {
		same := 0
		for i := range want {
			if want[i] == other[i] {
				same++
			}
		}
		if math.Abs(float64(same)-2048) > 4*32 { // 4 σ of 4096 fair coins
			t.Errorf("another %s: %d of 4096 places agree, want about half", name, same)
		}
	}
}
