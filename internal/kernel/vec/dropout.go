package vec

import "math/bits"

// Dropout is the mask of one operation in one step: a pure function of its fields and the place in the mask, so
// backward draws it again instead of storing it, and a resume draws what the interrupted run would have. The words
// come from Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011). The
// zero value keeps everything.
type Dropout struct {
	Key   uint64  // of the operation's random stream
	Step  uint64  // of the run
	Rate  float32 // share that is dropped, in [0, 1)
	First uint32  // what is called row 0 is this one
}

// Row sets mask to row r of the mask: 0 where dropped, 1/(1-Rate) where kept.
func (d Dropout) Row(mask []float32, row uint32) {
	if d.Rate == 0 {
		for i := range mask {
			mask[i] = 1
		}
		return
	}
	key, step := halves(d.Key), halves(d.Step)
	best.DropoutRow(mask, key[0], key[1], step[0], step[1], d.First+row, d.Threshold(), 1/(1-d.Rate))
}

// Kept reports whether the mask keeps column c of row r. It defines the mask: c counts in blocks of 32 = 4 words of
// 8 lanes, and word w of
//
//	Philox(counter = (c/32·8 + c%8, First + r, step), key),  w = c%32/8
//
// is dropped iff it is below Rate·2³². (So a vector of eight counters gives 32 neighbors.)
func (d Dropout) Kept(row, col uint32) bool {
	step := halves(d.Step)
	words := philox([4]uint32{col/32*8 + col%8, d.First + row, step[0], step[1]}, halves(d.Key))
	return words[col%32/8] >= d.Threshold()
}

// Threshold returns Rate·2³², rounded: words below are dropped.
func (d Dropout) Threshold() uint32 { return uint32(float64(d.Rate)*(1<<32) + 0.5) }

func halves(v uint64) [2]uint32 { return [2]uint32{uint32(v), uint32(v >> 32)} }

func dropoutRowPlain(mask []float32, key0, key1, step0, step1, row, below uint32, scale float32) {
	for i := 0; i < len(mask); i += 32 {
		part := mask[i:min(len(mask), i+32)]
		for lane := range min(8, len(part)) {
			for k, word := range philox([4]uint32{uint32(i/4 + lane), row, step0, step1}, [2]uint32{key0, key1}) {
				if c := 8*k + lane; c < len(part) {
					part[c] = 0
					if word >= below {
						part[c] = scale
					}
				}
			}
		}
	}
}

// Multipliers and key increments of Philox4x32-10, from the paper.
const (
	PhiloxRounds       = 10
	PhiloxM0, PhiloxM1 = 0xD2511F53, 0xCD9E8D57
	PhiloxW0, PhiloxW1 = 0x9E3779B9, 0xBB67AE85
)

// philox returns the four words of Philox4x32 after ten rounds.
func philox(c [4]uint32, key [2]uint32) [4]uint32 {
	for range PhiloxRounds {
		hi0, lo0 := bits.Mul32(PhiloxM0, c[0])
		hi1, lo1 := bits.Mul32(PhiloxM1, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ key[0], lo1, hi0 ^ c[3] ^ key[1], lo0}
		key[0] += PhiloxW0
		key[1] += PhiloxW1
	}
	return c
}
