package data

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/option"
)

// draws are what the random words of one epoch are made from.
type draws struct {
	epoch  uint64 // the key of the epoch
	always uint64 // that of augmentations that alternate
	parity uint64 // of the epoch
	paint  uint64 // the key of the epoch for augmentations with Paint
	mix    uint64 // and for those with Mix
}

func (l *Loader) draws(epoch int) draws {
	d := draws{epoch: stream.Key(l.o.Seed, fmt.Sprintf("augment/%d", epoch)),
		always: stream.Key(l.o.Seed, "augment"), parity: uint64(epoch & 1)}
	if len(l.paint) > 0 {
		d.paint = stream.Key(l.o.Seed, fmt.Sprintf("paint/%d", epoch))
	}
	if len(l.mix) > 0 {
		d.mix = stream.Key(l.o.Seed, fmt.Sprintf("mix/%d", epoch))
	}
	return d
}

// word is the random word of image index for a.
func (d draws) word(a Augmentation, index int) uint64 {
	if a.Alternate {
		return randomWord(d.always, index, a.Word) ^ d.parity
	}
	return randomWord(d.epoch, index, a.Word)
}

// placement draws where the pixels of image index go.
func (l *Loader) placement(d draws, index int) Placement {
	p := Placement{Down: -l.o.Shift[0], Right: -l.o.Shift[1], Nudge: l.o.Nudge, Flip: l.o.Mirror}
	for _, a := range l.augment {
		if a.Place != nil {
			a.Place(&p, l.split.Format, d.word(a, index))
		}
	}
	return p
}

// edit applies the augmentations that change pixels where they are.
func (l *Loader) edit(x []float32, d draws, index int) {
	for _, a := range l.augment {
		if a.Edit != nil {
			a.Edit(x, l.split.Format, d.word(a, index))
		}
	}
}

// normalize writes src, (channels, rows, cols) bytes, placed by p and then normalized, to dst, (rows, cols, channels).
// Padding comes before normalization, so a padded pixel is -mean/std, not 0.
func (l *Loader) normalize(dst []float32, src []uint8, p Placement) {
	rows, cols, channels := l.split.Rows, l.split.Cols, l.split.Channels
	var few [64]int
	from := few[:0] // the column of the image that is in each, the same in all rows
	for x := range cols {
		from = append(from, source(x, cols, p.Right, p.Nudge[1]))
	}
	for ch := range channels {
		plane, scale := src[ch*rows*cols:][:rows*cols], &l.scale[ch]
		for y := range rows {
			out := dst[y*cols*channels+ch:]
			step, at := channels, 0
			if p.Flip {
				step, at = -channels, (cols-1)*channels
			}
			row := source(y, rows, p.Down, p.Nudge[0])
			for _, col := range from {
				v := uint8(0)
				if row >= 0 && col >= 0 {
					v = plane[row*cols+col]
				}
				out[at] = scale[v]
				at += step
			}
		}
	}
}

// normalizeFloats is normalize for float32: a padded pixel is 0 before normalization.
func (l *Loader) normalizeFloats(dst, src []float32, p Placement) {
	f := l.split.Format
	for ch := range f.Channels {
		plane, mean, std := src[ch*f.Rows*f.Cols:][:f.Rows*f.Cols], f.Mean[ch], f.Std[ch]
		for j := range plane {
			x := j % f.Cols
			if p.Flip {
				x = f.Cols - 1 - x
			}
			v := float32(0)
			if row, col := source(j/f.Cols, f.Rows, p.Down, p.Nudge[0]),
				source(x, f.Cols, p.Right, p.Nudge[1]); row >= 0 && col >= 0 {
				v = plane[row*f.Cols+col]
			}
			dst[j*f.Channels+ch] = (v - mean) / std
		}
	}
}

// permute writes the pixels of x, (rows, cols, channels), to dst, each where l.moved says.
func (l *Loader) permute(dst, x []float32) {
	c := l.split.Channels
	for from, to := range l.moved {
		copy(dst[to*c:][:c], x[from*c:][:c])
	}
}

// randomWord returns word n of image index in the epoch that key stands for. Each image has a generator of its own, so
// that its changes do not depend on the order of the images.
func randomWord(key uint64, index, n int) uint64 {
	var g rand.PCG
	g.Seed(key, uint64(index))
	for range n {
		g.Uint64()
	}
	return g.Uint64()
}

// takeAugmentations sets the augmentations of the loader.
func (l *Loader) takeAugmentations(entries []string) error {
	all, err := parseAugment(entries)
	if err != nil {
		return err
	}
	for _, two := range instead {
		has := func(name string) bool {
			return slices.ContainsFunc(all, func(a augmenting) bool { return a.Name == name })
		}
		if has(two[0]) && has(two[1]) {
			return option.Errorf("data.augment", "%s: want %s or %s, not both", strings.Join(entries, ","), two[0],
				two[1])
		}
	}
	for _, a := range all {
		if a.Paint != nil && l.split.Floats != nil {
			return option.Errorf("data.augment", "%s changes images of bytes, and these are of float32: leave it out",
				a.Name)
		}
		if a.Paint != nil {
			l.paint = append(l.paint, a)
		}
		if a.Mix != nil {
			l.mix = append(l.mix, a)
		}
		if a.Place != nil || a.Edit != nil {
			l.augment = append(l.augment, a.Augmentation)
		}
	}
	return nil
}

// scratch is the memory of one worker, as far as its loader needs it: an image each.
type scratch struct {
	unpermuted, other []float32
	bytes, spare      []uint8

	pcg rand.PCG
	r   *rand.Rand // of pcg
}

func (l *Loader) newScratch() *scratch {
	s, size := &scratch{}, l.split.Size()
	if l.moved != nil {
		s.unpermuted = make([]float32, size)
	}
	if len(l.mix) > 0 {
		s.other = make([]float32, size)
	}
	if len(l.paint) > 0 {
		s.bytes, s.spare = make([]uint8, size), make([]uint8, size)
	}
	if len(l.mix)+len(l.paint) > 0 {
		s.r = rand.New(&s.pcg)
	}
	return s
}

// fill makes b batch i. A permutation of the pixels comes last, so that augmentation makes the same images with it as
// without.
func (l *Loader) fill(b *Batch, order []int, d draws, i int, s *scratch) {
	size := l.split.Size()
	first := i*l.o.Batch + l.part[0]
	b.N = max(0, min(l.batch(), l.split.Len()-first))
	for j := range b.N {
		index := first + j
		if order != nil {
			index = order[index]
		}
		b.Labels[j] = l.split.Labels[index]
		x := b.X[j*size : (j+1)*size]
		if l.moved != nil {
			x = s.unpermuted
		}
		l.image(x, d, index, s)
		if len(l.mix) > 0 {
			l.mixInto(b, j, x, d, index, s)
		}
		if l.moved != nil {
			l.permute(b.X[j*size:], x)
		}
	}
	clear(b.X[b.N*size:])
	for j := b.N; j < l.batch(); j++ {
		b.Labels[j] = -1
		if b.Others != nil {
			b.Others[j], b.Shares[j] = 0, 0
		}
	}
}

// image sets x to image index, augmented except for Mix, and normalized.
func (l *Loader) image(x []float32, d draws, index int, s *scratch) {
	p := l.placement(d, index)
	switch {
	case l.split.Floats != nil:
		l.normalizeFloats(x, l.split.Values(index), p)
	case len(l.paint) > 0:
		l.normalize(x, l.painted(d, index, s), p)
	default:
		l.normalize(x, l.split.Bytes(index), p)
	}
	l.edit(x, d, index)
}

// painted returns the bytes of image index, changed by the augmentations with Paint.
func (l *Loader) painted(d draws, index int, s *scratch) []uint8 {
	copy(s.bytes, l.split.Bytes(index))
	s.pcg.Seed(d.paint, uint64(index))
	for _, a := range l.paint {
		a.Paint(s.bytes, s.spare, l.split.Format, a.values, s.r)
	}
	return s.bytes
}

// mixInto mixes another image of the split into image j of b, x, which is image index of the split. What it draws
// depends on the epoch and on index only. The class with the larger share is the label.
func (l *Loader) mixInto(b *Batch, j int, x []float32, d draws, index int, s *scratch) {
	s.pcg.Seed(d.mix, uint64(index))
	other, by := s.r.IntN(l.split.Len()), l.mix[0]
	if len(l.mix) > 1 {
		by = l.mix[s.r.IntN(len(l.mix))]
	}
	own := s.pcg
	l.image(s.other, d, other, s)
	s.pcg = own
	share := by.Mix(x, s.other, l.split.Format, by.values, s.r)
	b.Others[j], b.Shares[j] = l.split.Labels[other], float32(share)
	if share > 0.5 {
		b.Labels[j], b.Others[j], b.Shares[j] = b.Others[j], b.Labels[j], float32(1-share)
	}
}
