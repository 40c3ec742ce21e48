package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
)

// Whiten sets the stem to the whitening of patches of the first 5,000 images, or of fewer if they are large or not so
// many. It does nothing if model.stem_init is not whitening. Sums are in float64, in the order of the images. The error
// says what is wrong with the images.
func (n *Network) Whiten(images iter.Seq[*data.Batch]) error {
	if images == nil {
		return errors.New("the images are nil: want the batches of a data.Loader")
	}
	if n.Layer == nil || !n.Spec.Whitens() {
		return nil
	}
	stem, image := Kinds.Find(n.Spec.Kind).Stem(n.Layer), n.Spec.Image
	size, pixels := stem.values(), image[0]*image[1]*image[2]
	sum, patches, left := make([]float64, size*size), 0, mostImages
	for b := range images {
		if b == nil || b.N < 0 || len(b.X) < b.N*pixels {
			return fmt.Errorf("a batch is nil or has less than %d values for each of its images of %v", pixels, image)
		}
		for i := 0; i < b.N && left > 0 && patches < mostPatches; i++ {
			patches += stem.add(sum, b.X[i*pixels:][:pixels], image)
			left--
		}
		if left == 0 || patches >= mostPatches {
			break
		}
	}
	if patches == 0 {
		return option.Errorf("model.stem_init", whitening+": there are no training images")
	}
	for i := range sum {
		sum[i] /= float64(patches)
	}
	stem.whiten(sum)
	return nil
}

// WhitenOn is Whiten with the images of a split, batch at a time, in order and not augmented.
func (n *Network) WhitenOn(images data.Split, batch int) error {
	if !n.Spec.Whitens() {
		return nil
	}
	batches, err := data.NewLoader(images, data.LoaderOptions{Batch: batch, Pad: true})
	if err != nil {
		return err
	}
	return n.Whiten(batches.Epoch(context.Background(), 0, 0))
}

// WhitenAs sets the stem to the whitening that Whiten has made of images for other, a network of the same settings and
// perhaps another seed, without reading the images once more. The error says how the two differ.
func (n *Network) WhitenAs(other *Network) error {
	if other == nil {
		return errors.New("the whitened network is nil")
	}
	if n.Layer == nil || !n.Spec.Whitens() {
		return nil
	}
	if other.Layer == nil || other.Spec.Kind != n.Spec.Kind || !other.Spec.Whitens() {
		return fmt.Errorf("want a whitened %s to take the stem of", n.Spec.Kind)
	}
	find := Kinds.Find(n.Spec.Kind).Stem
	stem, from := find(n.Layer), find(other.Layer)
	if !slices.Equal(stem.Weight.Shape, from.Weight.Shape) {
		return fmt.Errorf("the stem has shape %v, that of the whitened network %v", stem.Weight.Shape,
			from.Weight.Shape)
	}
	copy(stem.Weight.Data, from.Weight.Data[:2*stem.pairs()*stem.values()])
	return nil
}
