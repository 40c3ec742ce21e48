package kernel

import "math/bits"

// A Dropout draws masks from the counter-based generator Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): every number is
// a function of key, step, row and column, so a mask is never stored. The zero value drops nothing.
//
// Column c of a row belongs to block b = c/32, lane l = c mod 8 and word w = (c mod 32)/8; its number is word w of the
// generator at counter (8b+l, row, step), and it is dropped if that is less than Rate·2³².
type Dropout struct {
	Key  uint64
	Step uint64
	Rate float32 // less than 1
}

// Row sets mask to 0 where row's column is dropped and to 1/(1-Rate) where it is kept.
func (d Dropout) Row(mask []float32, row uint32) {
	if d.Rate == 0 {
		for i := range mask {
			mask[i] = 1
		}
		return
	}
	best.mask(mask, &d, row)
}

// threshold returns the number from which on one is kept, and what a kept number is multiplied by.
func (d *Dropout) threshold() (least uint32, scale float32) {
	return uint32(float64(d.Rate) * (1 << 32)), 1 / (1 - d.Rate)
}

func maskGeneric(mask []float32, d *Dropout, row uint32) {
	least, scale := d.threshold()
	for first := 0; first < len(mask); first += 32 {
		for lane := range 8 {
			words := philox([4]uint32{uint32(first/4 + lane), row, uint32(d.Step), uint32(d.Step >> 32)},
				[2]uint32{uint32(d.Key), uint32(d.Key >> 32)})
			for w, number := range words {
				c := first + 8*w + lane
				switch {
				case c >= len(mask):
				case number < least:
					mask[c] = 0
				default:
					mask[c] = scale
				}
			}
		}
	}
}

// philox is Philox4x32-10: ten rounds that turn a counter and a key into four random words.
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		hi0, lo0 := bits.Mul32(0xD2511F53, c[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k[0], lo1, hi0 ^ c[3] ^ k[1], lo0}
		k[0] += 0x9E3779B9
		k[1] += 0xBB67AE85
	}
	return c
}
