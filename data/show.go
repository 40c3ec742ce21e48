package data

import (
	"context"
	"image"
	"slices"
)

// Image returns image i for drawing, as a network sees it: with permuted pixels if the split is permuted. Images of
// more than three channels show the first three; images of float32 are scaled so that their least value is black and
// their largest white.
func (s Split) Image(i int) image.Image {
	plane := s.Rows * s.Cols
	var at func(j int) float32
	if p := s.Bytes(i); p != nil {
		at = func(j int) float32 { return float32(p[j]) }
	} else {
		v := s.Values(i)
		at = spread(v[:min(3, s.Channels)*plane])
	}
	return s.drawn(func(pixel, channel int) float32 {
		if s.order != nil {
			pixel = s.order[pixel]
		}
		return at(channel*plane + pixel)
	})
}

// spread maps the values v to 0..255, by its least and its largest.
func spread(v []float32) func(j int) float32 {
	low, high := v[0], v[0]
	for _, x := range v {
		low, high = min(low, x), max(high, x)
	}
	if low == high {
		return func(int) float32 { return 0 }
	}
	return func(j int) float32 { return 255 * ((v[j] - low) / (high - low)) }
}

// Seen undoes the normalization of x, (rows, cols, channels), which a loader made, and returns it as an image, as Image
// does.
func (s Split) Seen(x []float32) image.Image {
	at := func(pixel, channel int) float32 {
		return 255 * (x[pixel*s.Channels+channel]*s.Std[channel] + s.Mean[channel])
	}
	if s.Floats != nil {
		spread := spread(x)
		at = func(pixel, channel int) float32 { return spread(pixel*s.Channels + channel) }
	}
	return s.drawn(at)
}

// Inputs returns the first n images as a network takes them: normalized, each (rows, cols, channels).
func (s Split) Inputs(n int) (images [][]float32, err error) {
	batches, err := NewLoader(s, LoaderOptions{Batch: 1, Pad: true})
	if err != nil {
		return nil, err
	}
	for b := range batches.Epoch(context.Background(), 0, 0) {
		if images = append(images, slices.Clone(b.X)); len(images) == n {
			break
		}
	}
	return images, nil
}

// drawn makes an image of values in 0..255, rounded; a single channel is gray.
func (f Format) drawn(at func(pixel, channel int) float32) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, f.Cols, f.Rows))
	for j := range f.Rows * f.Cols {
		for c := range 3 {
			img.Pix[4*j+c] = uint8(max(0, min(255, at(j, min(c, f.Channels-1))+0.5)))
		}
		img.Pix[4*j+3] = 255
	}
	return img
}
