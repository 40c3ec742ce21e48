package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/train"
)

// settings are the flags that set a key of the configuration, in the order of help. To give a key a flag, write its
// line here; every other key is set by --set, a file or the environment.
func settings() []settingRow {
	return []settingRow{
		{"Model", "encoding", "model.encoding", "NAME", "how a query token wants a key token", posenc.Kinds.Completions()},
		{"Model", "model", "model.kind", "NAME", "kind of network", model.Kinds.Completions()},
		{"Model", "layers", "model.layers", "N", "blocks of attention and feed-forward (attnconv help formats: a list)", nil},
		{"Model", "heads", "model.heads", "N[,N...]", "heads of every layer, or of each", nil},
		{"Model", "dim", "model.dim", "N", "channels between layers", nil},
		{"Model", "head-dim", "model.head_dim", "N", "numbers of a head's queries, keys, own values (0: as many as fit)", nil},
		{"Model", "ffn", "model.ffn", "N", "channels inside the feed-forward part", nil},
		{"Model", "width", "model.width", "N", "channels of a residual network's first stage", nil},
		{"Model", "pool", "model.pool", "N", "side of the square of pixels that becomes one token", nil},
		{"Model", "heads-init", "model.heads_init", "NAME", "where Gaussian heads start; on a grid, grid sees one token each",
			posenc.Starts.Completions()},
		{"Model", "border", "model.border", "NAME", "what convolutions of tokens find around them", model.Borders.Completions()},
		{"Model", "dropout", "model.dropout", "RATE", "behind the dense and the feed-forward maps", nil},
		{"Model", "attention-dropout", "model.attention_dropout", "RATE", "on single (query, key) pairs", nil},

		{"Data", "data", "data.name", "NAME", "data set, an imported one, or a folder of images", append(data.Kinds.Completions(), "DIR")},
		{"Data", "val-size", "data.val_size", "N", "training images held out for validation", nil},
		{"Data", "protocol", "data.protocol", "NAME",
			"choose the best checkpoint on held-out images, or on the test set", data.Protocols.Completions()},
		{"Data", "train-size", "data.train_size", "N", "train on so many images, of all classes alike (0: all)", nil},
		{"Data", "permute", "data.permute", "SEED", "move the pixels of all images about in one way (0: not)", nil},
		{"Data", "augment", "data.augment", "LIST", "changes to training images", append(data.Augmentations.Completions(), "none")},
		{"Data", "limit-train-batches", "train.limit_train_batches", "N", "steps an epoch at most (0: all)", nil},
		{"Data", "limit-val-batches", "train.limit_val_batches", "N", "batches of an evaluation at most (0: all)", nil},

		{"Training", "preset", "preset", "NAME", "settings to start from", configs.PresetChoices()},
		{"Training", "epochs", "train.epochs", "N", "times through the training images", nil},
		{"Training", "batch", "train.batch", "N", "images a step", nil},
		{"Training", "optimizer", "train.optimizer", "NAME", "", train.Solvers.Completions()},
		{"Training", "lr", "train.lr", "RATE", "peak learning rate, per step", nil},
		{"Training", "momentum", "train.momentum", "RATE", "of " + train.ReadBy("train.momentum"), nil},
		{"Training", "weight-decay", "train.weight_decay", "RATE", "never of centers and spreads", nil},
		{"Training", "schedule", "train.schedule", "NAME", "of the learning rate", train.Schedules.Completions()},
		{"Training", "warmup", "train.warmup", "FRACTION", "of all steps, in which the learning rate rises", nil},
		{"Training", "label-smoothing", "train.label_smoothing", "RATE", "part of the label that all classes get alike", nil},
		{"Training", "clip", "train.clip", "NORM", "largest norm of the gradient (0: no clipping)", nil},
		{"Training", "freeze", "train.freeze", "LIST",
			"what does not learn: heads, those of layer 2 (heads:2), of them the third (heads:2.3), or names (*.LayerNorm.*)", nil},
		{"Training", "seed", "seed", "N", "of every random number of the run", nil},
		{"Training", "overfit-batches", "train.overfit_batches", "N",
			"train on the same N batches and evaluate on them: can the model learn at all? (0: off)", nil},
		{"Training", "on-nan", "train.on_nan", "WHAT", "what to do when a number is not finite",
			train.NaNActions.Completions()},
		{"Training", "precision", "train.precision", "NAME", "of products; others than float32 want a GPU",
			train.Precisions.Completions()},

		{"Output", "eval-every", "train.eval_every", "EPOCHS", "how often to evaluate", nil},
	}
}

type settingRow struct {
	group, flag, key, meta, help string
	choices                      []string
}

// flagOf is the flag that sets key, or "".
func flagOf(key string) string {
	for _, s := range settings() {
		if s.key == key {
			return s.flag
		}
	}
	return ""
}

// sourceFlags are the flags of a command that takes the settings of a run, without those named.
func sourceFlags(cmd *cobra.Command, s *configs.Sources, without ...string) {
	for _, row := range settings() {
		if slices.Contains(without, row.flag) {
			continue
		}
		f := flags{cmd.Flags(), row.group}
		f.value(setting{&s.Flags, row.flag, row.key}, row.flag, "", row.meta, row.help, row.choices)
	}
	f := flags{cmd.Flags(), "Training"}
	f.texts(&s.Files, "config", "c", "FILE", "settings from a YAML file; later ones win")
	f.texts(&s.Set, "set", "", "KEY=VALUE", "any setting, such as model.heads=[9,9,4]; wins over all others")
}

// checkSources reports a setting that is wrong, before any data is opened. Which preset applies depends on the
// data, so a setting is wrong if it is wrong with each; what is said is what is wrong with the set at hand.
func (c *console) checkSources(s configs.Sources) (err error) {
	for _, guess := range append([]string{data.Auto(c.DataDir)}, data.Kinds.Find("auto").First...) {
		_, wrong := configs.Resolve(s, func(name string) (string, error) {
			if name == "auto" {
				return guess, nil
			}
			return name, data.Known(name, c.DataDir)
		})
		if wrong == nil {
			return nil
		}
		if err == nil {
			err = wrong
		}
	}
	return err
}
