package data

import (
	"math"

	"github.com/attnconv/attnconv/option"
)

// Options says what to train on and how images are prepared.
type Options struct {
	Name string `yaml:"name"` // a name in sets.Kinds, of an imported set, or the path of a folder of images
	// ValSize is how many training images are held out for validation. 0 is the set's own size: sets.Kind.ValSize, or a
	// tenth of a folder's training images.
	ValSize  int      `yaml:"val_size"`
	Protocol string   `yaml:"protocol"`     // a name in Protocols
	Augment  []string `yaml:"augment,flow"` // of Augmentations, such as crop or mixup=0.2; training images only
	// TrainSize is how many of the training images are used, as many of each class as of any other; 0 is all.
	// Only SubsetSeed determines which; a larger subset contains every smaller one.
	TrainSize  int    `yaml:"train_size"`
	SubsetSeed uint64 `yaml:"subset_seed"`
	// Permute is the seed of one permutation of the pixels, the same for all images of training, validation and
	// testing. It destroys neighborhoods; a network that does not use them keeps its accuracy. 0: pixels stay in place.
	Permute uint64 `yaml:"permute"`
	// Mean and Std replace the usual normalization: x = (byte/255 - mean) / std, one number for each channel. Weights
	// of other programs need those that they were trained with. Empty: the set's own.
	Mean []float64 `yaml:"mean,flow"`
	Std  []float64 `yaml:"std,flow"`

	// Own holds options that registered data sets bring, by key, such as stripes_width. What it does not name has its
	// default. It is replaced, never changed in place: copies of Options share it.
	Own map[string]any `yaml:"-"`
}

// The values of a Protocol.
const (
	Holdout = "holdout"
	paper   = "paper"
)

// A Protocol says on which images the best checkpoint is chosen.
type Protocol struct {
	Name, Help string
	OnTest     bool // on the test images, so that accuracy on these is too high
}

// Entry implements option.Named.
func (p Protocol) Entry() (name, help string) { return p.Name, p.Help }

// Protocols lists what Options.Protocol may be.
var Protocols = option.List[Protocol]{
	{Holdout, "the best checkpoint is chosen on validation images", false},
	{paper, "it is chosen on the test images, as in the reference; nothing is held out", true},
}

// OnTest reports whether the best checkpoint is chosen on the test images.
func (o Options) OnTest() bool {
	p := Protocols.Find(o.Protocol)
	return p != nil && p.OnTest
}

// Default returns the options of a plain run: CIFAR-10 if it is there, the paper's augmentation, a hold-out.
func Default() Options {
	return Options{Name: "auto", Protocol: Holdout, Augment: []string{"crop", "flip"}, Mean: []float64{},
		Std: []float64{}}
}

// Validate returns an *option.Error for the first option that cannot be used, whatever the set is: sets.Validate also
// knows its name and its own options.
func (o Options) Validate() error {
	if o.ValSize < 0 {
		return option.Errorf("data.val_size", "%d: want 1 or more, or 0 for the set's own size", o.ValSize)
	}
	if o.TrainSize < 0 {
		return option.Errorf("data.train_size", "%d: want 1 or more, or 0 for all", o.TrainSize)
	}
	if err := Protocols.Check("data.protocol", o.Protocol); err != nil {
		return err
	}
	if err := o.checkNormalization(); err != nil {
		return err
	}
	_, err := parseAugment(o.Augment)
	return err
}

// checkNormalization returns an *option.Error unless Mean and Std are empty, or as many finite numbers, those of Std
// above 0.
func (o Options) checkNormalization() error {
	if len(o.Mean) != len(o.Std) {
		return option.Errorf("data.mean", "%d means and %d deviations (data.std): want one of each for each channel, "+
			"or none", len(o.Mean), len(o.Std))
	}
	for i, std := range o.Std {
		if mean := o.Mean[i]; math.IsNaN(mean) || math.IsInf(mean, 0) {
			return option.Errorf("data.mean", "%v: want finite numbers", o.Mean)
		}
		if !(float32(std) > 0) || math.IsInf(float64(float32(std)), 0) {
			return option.Errorf("data.std", "%v: want numbers above 0", o.Std)
		}
	}
	return nil
}
