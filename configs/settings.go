package configs

import (
	"cmp"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/train"
)

// A Setting is a configuration key that has a flag of its own on the command line, and what help says of it.
type Setting struct {
	Group, Flag, Key, Meta, Help string

	Choices []string // nil: any value of its type; else lines as option.List.Completions returns them
	Common  bool     // help shows it without --help-all
}

const common, rare = true, false

// Settings lists the configuration keys that have flags, in the order of help. The other keys are set by --set, a file
// or the environment.
func Settings() []Setting {
	return []Setting{
		{"Model", "encoding", "model.encoding", "NAME", "encoding of the attention scores", posenc.Kinds.Completions(),
			common},
		{"Model", "model", "model.kind", "NAME", "kind of network", model.Kinds.Completions(), common},
		{"Model", "layers", "model.layers", "LIST",
			"blocks, as help formats says", nil, common},
		{"Model", "heads", "model.heads", "N[,N...]", "number of heads, of all layers or of each", nil, common},
		{"Model", "dim", "model.dim", "N", "channels between layers", nil, rare},
		{"Model", "head-dim", "model.head_dim", "N",
			"dimension of a head's queries, keys and factored values (0: dim, or dim/heads if values are factored)",
			nil, rare},
		{"Model", "ffn", "model.ffn", "N", "hidden channels of the feed-forward maps", nil, rare},
		{"Model", "width", "model.width", "N", "channels of the first stage of a network of convolutions", nil, rare},
		{"Model", "pool", "model.pool", "N",
			"side of the square of pixels that becomes one token; pixels between tokens", nil, rare},
		{"Model", "heads-init", "model.heads_init", "NAME",
			"initial Gaussian heads; those of grid attend to one token each, and from:FILE takes those of a run, a " +
				"checkpoint or a result of a study (help formats)",
			append(posenc.Starts.Completions(), "from:FILE\twhere those of another network are"), rare},
		{"Model", "init", "model.init", "NAME", "initial weights of attention", model.Inits.Completions(), rare},
		{"Model", "window", "model.window", "N",
			"side of the square of keys that a query sees, in tokens (0: all); more: help formats", nil, rare},
		{"Model", "content", "model.content", "NAME", "what content has to do with scores of positions",
			model.Contents.Completions(), rare},
		{"Model", "temperature", "model.temperature", "NAME", "factor of each head's scores before the softmax",
			model.Temperatures.Completions(), rare},
		{"Model", "norm", "model.norm", "NAME", "where a block has its layer norms", model.Norms.Completions(), rare},
		{"Model", "readout", "model.readout", "NAME", "what is classified of the tokens", model.Readouts.Completions(),
			rare},
		{"Model", "stem", "model.stem", "NAME", "what makes tokens of pixels", model.Stems.Completions(), rare},
		{"Model", "stem-init", "model.stem_init", "NAME",
			"initial map of pixels, of tokens or of the first convolution", model.StemInits.Completions(), rare},
		{"Model", "convolution", "model.convolution", "NAME", "what convolutions of a residual network or convnet are made of",
			model.Convolutions.Completions(), rare},
		{"Model", "shortcut", "model.shortcut", "NAME",
			"shortcuts of resnet20 to resnet56 where the shape changes", model.Shortcuts.Completions(), rare},
		{"Model", "conv-init", "model.conv_init", "NAME", "initial convolutions, except that of pixels",
			conv.Starts.Completions(), rare},
		{"Model", "border", "model.border", "NAME", "padding of convolutions over tokens", model.Borders.Completions(),
			rare},
		{"Model", "dropout", "model.dropout", "RATE", "rate of dropout after the dense and feed-forward maps", nil,
			rare},
		{"Model", "attention-dropout", "model.attention_dropout", "RATE",
			"rate of dropout of single (query, key) pairs", nil, rare},

		{"Data", "data", "data.name", "NAME", "data set or a folder",
			append(sets.Kinds.Completions(), "DIR"), common},
		{"Data", "val-size", "data.val_size", "N", "training images held out for validation", nil, rare},
		{"Data", "protocol", "data.protocol", "NAME",
			"images that choose the best checkpoint: validation images (holdout) or the test set (paper)",
			data.Protocols.Completions(), rare},
		{"Data", "train-size", "data.train_size", "N", "train on a class-balanced subset of N images (0: all)", nil,
			rare},
		{"Data", "permute", "data.permute", "SEED",
			"apply one random permutation to the pixels of all images (0: none)", nil, rare},
		{"Data", "augment", "data.augment", "LIST", "augmentations of training images",
			append(data.Augmentations.Completions(), "none"), rare},
		{"Data", "limit-train-batches", "train.limit_train_batches", "N", "at most N steps per epoch (0: all)", nil,
			rare},
		{"Data", "limit-val-batches", "train.limit_val_batches", "N", "at most N batches per evaluation (0: all)", nil,
			rare},

		{"Training", "preset", "preset", "NAME", "settings to start from, of config ls", PresetChoices(), common},
		{"Training", "epochs", "train.epochs", "N", "passes over the training set", nil, common},
		{"Training", "batch", "train.batch", "N", "images per step", nil, common},
		{"Training", "optimizer", "train.optimizer", "NAME", "solver", train.Solvers.Completions(), rare},
		{"Training", "lr", "train.lr", "RATE", "peak learning rate", nil, common},
		{"Training", "momentum", "train.momentum", "RATE", "momentum (" + train.ReadBy("train.momentum") + ")", nil,
			rare},
		{"Training", "weight-decay", "train.weight_decay", "RATE", "decay of weights; centers and spreads have none",
			nil, rare},
		{"Training", "schedule", "train.schedule", "NAME", "schedule of the learning rate",
			train.Schedules.Completions(), rare},
		{"Training", "warmup", "train.warmup", "FRACTION", "fraction of all steps in which the learning rate rises",
			nil, rare},
		{"Training", "label-smoothing", "train.label_smoothing", "RATE",
			"fraction of the label spread evenly over all classes", nil, rare},
		{"Training", "clip", "train.clip", "NORM", "largest norm of the gradient (0: no clipping)", nil, rare},
		{"Training", "average", "train.average", "WEIGHT",
			"evaluate and save a moving average of the weights over the steps, such as 0.999 (0: the weights " +
				"themselves)", nil, rare},
		{"Training", "resolutions", "train.resolutions", "LIST",
			"sides of the training images in pixels, each for an equal share of the epochs, such as 16,24,32 (none: " +
				"whole images)", nil, rare},
		{"Training", "shards", "train.shards", "N",
			"equal parts of each batch, for several ranks or less memory (0: whole batches)", nil, rare},
		{"Training", "freeze", "train.freeze", "LIST",
			"parameters that stay fixed: heads, those of layer 2 (heads:2), its third (heads:2.3), centers or widths " +
				"in the place of heads, or names (*.LayerNorm.*)", nil, rare},
		{"Training", "surgery", "train.surgery", "LIST",
			"what to do with heads before training, such as \"prune heads:uniform\" or \"reset heads:2.3\" (help " +
				"formats)", nil, rare},
		{"Training", "seed", "seed", "N", "seed of all random numbers (default 0)", nil, common},
		{"Training", "overfit-batches", "train.overfit_batches", "N",
			"train on the same N batches and evaluate on them: can the model learn at all? (0: off)", nil, rare},
		{"Training", "on-nan", "train.on_nan", "WHAT", "what to do if loss or gradient is not finite",
			train.NaNActions.Completions(), rare},
		{"Training", "precision", "train.precision", "NAME", "format of the factors of products; tf32 needs a GPU",
			train.Precisions.Completions(), rare},

		{"Output", "eval-every", "train.eval_every", "EPOCHS", "how often to evaluate", nil, rare},
	}
}

// FlagOf returns the flag of a key, without the hyphens, or "".
func FlagOf(key string) string {
	for _, s := range Settings() {
		if s.Key == key {
			return s.Flag
		}
	}
	return ""
}

// ShortKey returns the name of a setting in lists: that of its flag, if it has one, else its key.
func ShortKey(key string) string { return cmp.Or(FlagOf(key), key) }

// DefaultHelp is what help says of the value that a setting has without flags, files and variables: one value, or one
// for each preset that a run without --preset may begin with.
func DefaultHelp(key string) string {
	switch key {
	case "preset":
		return "small for photographs, tiny for the built-in images"
	case "data.name": // it decides which of the two
		return Default().Data.Name
	}
	f := current().byKey[key]
	small, err := Preset("small/" + Default().Model.Encoding)
	tiny, err2 := Preset("tiny")
	if err != nil || err2 != nil {
		return "" // the presets are embedded, and tested
	}
	a, b := small.value(f), tiny.value(f)
	if a == b {
		return a
	}
	return "small " + a + ", tiny " + b
}
