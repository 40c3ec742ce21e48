package configs

import (
	"cmp"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/train"
)

// A Setting is a configuration key that has a flag of its own on the command line, and what help says of it.
type Setting struct {
	Group, Flag, Key, Meta, Help string

	Choices []string // nil: any value of its type; else lines as choice.List.Completions returns them
}

// Settings lists the configuration keys that have flags, in the order of help. The other keys are set by --set, a file
// or the environment.
func Settings() []Setting {
	return []Setting{
		{"Model", "encoding", "model.encoding", "NAME", "encoding of positions and content in the attention scores", posenc.Kinds.Completions()},
		{"Model", "model", "model.kind", "NAME", "kind of network", model.Kinds.Completions()},
		{"Model", "layers", "model.layers", "N", "blocks of attention and feed-forward (attnconv help formats: a list)", nil},
		{"Model", "heads", "model.heads", "N[,N...]", "number of heads, for all layers or for each", nil},
		{"Model", "dim", "model.dim", "N", "channels between layers", nil},
		{"Model", "head-dim", "model.head_dim", "N", "dimension of a head's queries, keys and factored values (0: dim, or dim/heads if values are factored)", nil},
		{"Model", "ffn", "model.ffn", "N", "hidden channels of the feed-forward maps", nil},
		{"Model", "width", "model.width", "N", "channels of the first stage of a network of convolutions", nil},
		{"Model", "pool", "model.pool", "N", "side of the square of pixels that becomes one token; pixels between tokens", nil},
		{"Model", "heads-init", "model.heads_init", "NAME", "initial Gaussian heads; those of grid attend to one token each",
			posenc.Starts.Completions()},
		{"Model", "stem", "model.stem", "NAME", "what makes tokens of pixels", model.Stems.Completions()},
		{"Model", "stem-init", "model.stem_init", "NAME", "initial map of pixels, of tokens or of the first convolution", model.StemInits.Completions()},
		{"Model", "conv-init", "model.conv_init", "NAME", "initial convolutions, but that of pixels", conv.Starts.Completions()},
		{"Model", "border", "model.border", "NAME", "padding of convolutions over tokens", model.Borders.Completions()},
		{"Model", "dropout", "model.dropout", "RATE", "after the dense and the feed-forward maps", nil},
		{"Model", "attention-dropout", "model.attention_dropout", "RATE", "on single (query, key) pairs", nil},

		{"Data", "data", "data.name", "NAME", "data set, an imported one, or a folder of images", append(data.Kinds.Completions(), "DIR")},
		{"Data", "val-size", "data.val_size", "N", "training images held out for validation", nil},
		{"Data", "protocol", "data.protocol", "NAME",
			"images that choose the best checkpoint: held-out ones, or the test set (paper)", data.Protocols.Completions()},
		{"Data", "train-size", "data.train_size", "N", "train on a class-balanced subset of N images (0: all)", nil},
		{"Data", "permute", "data.permute", "SEED", "apply one random permutation to the pixels of all images (0: none)", nil},
		{"Data", "augment", "data.augment", "LIST", "augmentations of training images", append(data.Augmentations.Completions(), "none")},
		{"Data", "limit-train-batches", "train.limit_train_batches", "N", "at most N steps per epoch (0: all)", nil},
		{"Data", "limit-val-batches", "train.limit_val_batches", "N", "at most N batches per evaluation (0: all)", nil},

		{"Training", "preset", "preset", "NAME", "settings to start from", PresetChoices()},
		{"Training", "epochs", "train.epochs", "N", "passes over the training images", nil},
		{"Training", "batch", "train.batch", "N", "images per step", nil},
		{"Training", "optimizer", "train.optimizer", "NAME", "", train.Solvers.Completions()},
		{"Training", "lr", "train.lr", "RATE", "peak learning rate, per step", nil},
		{"Training", "momentum", "train.momentum", "RATE", "of " + train.ReadBy("train.momentum"), nil},
		{"Training", "weight-decay", "train.weight_decay", "RATE", "not applied to centers and spreads", nil},
		{"Training", "schedule", "train.schedule", "NAME", "of the learning rate", train.Schedules.Completions()},
		{"Training", "warmup", "train.warmup", "FRACTION", "of all steps, during which the learning rate rises", nil},
		{"Training", "label-smoothing", "train.label_smoothing", "RATE", "fraction of the label spread evenly over all classes", nil},
		{"Training", "clip", "train.clip", "NORM", "largest norm of the gradient (0: no clipping)", nil},
		{"Training", "average", "train.average", "WEIGHT",
			"evaluate and save a moving average of the weights over the steps, as 0.999 (0: the weights themselves)", nil},
		{"Training", "resolutions", "train.resolutions", "LIST",
			"sides of the training images in pixels, each for an equal share of the epochs, such as 16,24,32 (none: whole images)", nil},
		{"Training", "shards", "train.shards", "N",
			"equal parts of each batch, for several ranks or less memory (0: whole batches)", nil},
		{"Training", "freeze", "train.freeze", "LIST",
			"parameters that stay fixed: heads, those of layer 2 (heads:2), its third (heads:2.3), or names (*.LayerNorm.*)", nil},
		{"Training", "seed", "seed", "N", "of all random numbers of the run", nil},
		{"Training", "overfit-batches", "train.overfit_batches", "N",
			"train on the same N batches and evaluate on them: can the model learn at all? (0: off)", nil},
		{"Training", "on-nan", "train.on_nan", "WHAT", "what to do if loss or gradient is not finite",
			train.NaNActions.Completions()},
		{"Training", "precision", "train.precision", "NAME", "of the factors of products; tf32 needs a GPU",
			train.Precisions.Completions()},

		{"Output", "eval-every", "train.eval_every", "EPOCHS", "how often to evaluate", nil},
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
