package data

// Options says what to train on and how pictures are prepared.
type Options struct {
	Name    string `yaml:"name"`     // auto, cifar10, cifar100, shapes32, or the path of a folder of pictures
	ValSize int    `yaml:"val_size"` // training pictures held out for validation
	// Protocol is holdout (the best checkpoint is chosen on the held-out pictures) or paper (on the test set, as the
	// reference does; nothing is held out).
	Protocol string   `yaml:"protocol"`
	Augment  []string `yaml:"augment,flow"` // of crop, flip, in this order; training pictures only
}
