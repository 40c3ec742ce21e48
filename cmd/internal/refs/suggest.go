package refs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/option"
)

// commandWords maps words that people type for a command, below another one, to what does it here.
var commandWords = map[string][]string{
	"evaluate": {"eval"}, "test": {"eval"}, "validate": {"eval"}, "score": {"eval"},
	"fit": {"train"}, "run": {"train"}, "resume": {"train --resume"}, "continue": {"train --resume"},
	"ls": {"runs ls"}, "list": {"runs ls"}, "ps": {"runs ls"}, "status": {"runs ls"}, "rm": {"runs rm"},
	"delete": {"runs rm"},
	"show":   {"runs show"}, "diff": {"runs diff"}, "tag": {"runs tag"}, "note": {"runs note"},
	"watch": {"runs show --watch"}, "monitor": {"runs show --watch"}, "tensorboard": {"runs show --watch"},
	"heads": {"plot-heads"}, "animate": {"plot-heads --animate"}, "maps": {"plot-maps"}, "attention": {"plot-maps"},
	"curves": {"plot-curves"}, "plot": {"plot-heads", "plot-maps", "plot-curves"},
	"draw":     {"plot-heads", "plot-maps", "plot-curves"},
	"classify": {"predict"}, "infer": {"predict"}, "download": {"data get"}, "datasets": {"data ls"},
	"presets": {"config ls"}, "models": {"config ls"}, "settings": {"config show"}, "grid": {"sweep plan"},
	"search":    {"sweep plan"},
	"benchmark": {"bench"}, "speed": {"bench"}, "info": {"inspect"}, "summary": {"inspect"}, "check": {"doctor"},
	"theorem": {"prove"},
	"example": {"runs examples"}, "examples": {"runs examples"},
	"runs list": {"runs ls"}, "runs delete": {"runs rm"}, "runs remove": {"runs rm"},
	"runs watch": {"runs show --watch"}, "runs mv": {"runs rename"}, "runs move": {"runs rename"},
	"mv": {"runs rename"}, "wandb": {"runs show --watch"}, "mlflow": {"runs show --watch"},
	"data list": {"data ls"}, "data delete": {"data rm"}, "data remove": {"data rm"}, "data download": {"data get"},
	"data check": {"data verify"}, "config list": {"config ls"}, "config copy": {"config cp"},
	"sweep create": {"sweep plan"},
	"sweep new":    {"sweep plan"}, "sweep start": {"sweep run"}, "sweep table": {"sweep collect"},
}

// flagWords maps words that people type for a flag to what does it here, where a command has that flag.
var flagWords = map[string]string{
	"gpu": "--device gpu", "cuda": "--device gpu", "cpu": "--device cpu", "csv": "--format csv",
	"latex": "--format latex",
	"plot":  "-o", "figure-file": "-o", "file": "-o", "output-dir": "--out", "save-dir": "--out", "logdir": "--out",
	"dir":     "--out",
	"workers": "--threads", "num-workers": "--threads", "cores": "--threads", "arch": "--model", "network": "--model",
	"dataset": "--data", "checkpoint": "--from", "pretrained": "--from", "weights": "--from", "scheduler": "--schedule",
	"overwrite": "--force", "silent": "--quiet", "dryrun": "--dry-run", "wd": "--weight-decay", "bs": "--batch",
	"steps": "--epochs",
	"e":     "--epochs", "b": "--batch", "d": "--data", "m": "--model", "n": "--name", "s": "--seed", "l": "--lr",
}

// didYouMean returns a line that suggests commands or flags, or "".
func didYouMean(words ...string) string {
	last := len(words) - 1
	switch {
	case last < 0 || words[last] == "":
		return ""
	case last > 0:
		words = []string{strings.Join(words[:last], ", ") + " or " + words[last]}
	}
	return "did you mean " + words[0] + "?   "
}

// meantCommand returns what is most likely meant by a word below a command.
func meantCommand(cmd *cobra.Command, word string) []string {
	path := strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()) + " " + word)
	if meant := commandWords[path]; meant != nil {
		return meant
	}
	near := option.Nearest(word, commandNames(cmd))
	if near == "" {
		return nil
	}
	return []string{strings.TrimSpace(strings.TrimSuffix(path, word) + near)}
}

// flagWord returns what flagWords has for a name, if the command has that flag, or "".
func flagWord(cmd *cobra.Command, name string) string {
	flag, _, _ := strings.Cut(strings.TrimLeft(flagWords[name], "-"), " ")
	if cmd.Flags().Lookup(flag) != nil || len(flag) == 1 && cmd.Flags().ShorthandLookup(flag) != nil {
		return flagWords[name]
	}
	return ""
}

// meantFlag returns the flag that name most likely means, or "".
func meantFlag(cmd *cobra.Command, name string) string {
	if f := configs.FlagOf(configs.Synonym(name)); f != "" && cmd.Flags().Lookup(f) != nil {
		return "--" + f
	}
	if meant := flagWord(cmd, name); meant != "" {
		return meant
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { // including inherited ones
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := option.Nearest(name, names); near != "" {
		return "--" + near
	}
	return ""
}

// meantArgument returns the flag that an argument most likely stands for, with its value, or "".
func meantArgument(cmd *cobra.Command, arg string) string {
	if name, value, ok := strings.Cut(arg, "="); ok {
		return meantSetting(cmd, name, value)
	}
	has := func(flag string) bool { return cmd.Flags().Lookup(flag) != nil }
	if ext := filepath.Ext(arg); has("config") && (ext == ".yaml" || ext == ".yml") {
		return "-c " + shell.Line(arg)
	}
	meant := ""
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if meant == "" && !f.Hidden && slices.Contains(term.Choices(f), arg) {
			meant = "--" + f.Name + " " + arg
		}
	})
	if info, err := os.Stat(arg); meant == "" && has("data") && err == nil && info.IsDir() {
		return "--data " + shell.Line(arg)
	}
	return meant
}

// meantSetting returns how a command is told NAME=VALUE, or "" if no setting is near.
func meantSetting(cmd *cobra.Command, name, value string) string {
	key, near := listing.KeyOf(name)
	if key == "" && near != "" {
		key, _ = listing.KeyOf(near)
	}
	flag := cmd.Flags().Lookup(configs.FlagOf(key))
	switch {
	case key == "" || cmd.Flags().Lookup("set") == nil:
		return ""
	case flag != nil && flag.Value.Type() == key:
		return "--" + flag.Name + " " + shell.Line(value)
	}
	return "--set " + shell.Line(key+"="+value)
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}
