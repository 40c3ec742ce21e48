// Package topics is the pages of help that are not commands.
package topics

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
)

// New returns the pages, as commands that cannot be run.
func New() []*cobra.Command {
	var codes strings.Builder
	codes.WriteString("Exit codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&codes, "  %-5s%s\n", c.Code, c.Meaning)
	}
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: codes.String()},
		{Use: "environment", Short: "The environment variables", Long: environment()},
		{Use: "formats", Short: "The files and documents that attnconv writes", Long: formats()},
		{Use: "references", Short: "How to name a run", Long: referencesText},
		{Use: "paper", Short: "What the paper says, and its settings", Long: paper()},
	}
}

//go:embed formats.txt
var formatsText string

//go:embed references.txt
var referencesText string

//go:embed paper.txt
var paperText string

// exitCodes says what each code means. Those of errors are in package fault; signals add their number to 128.
var exitCodes = []struct{ Code, Meaning string }{
	{"0", "done"},
	{"1", "failed while running (a disk, the network, an internal error)"},
	{"2", "a wrong flag, key or value; nothing was started"},
	{"3", "something required is missing: a data set, a run, a checkpoint, a GPU"},
	{"4", "a file is corrupt or has another version: a checkpoint, data, a plugin"},
	{"5", "a check failed"},
	{"6", "training diverged (NaN or infinity); the last good checkpoint is kept"},
	{"75", "saved before a time limit: to be run again (sweep run --task)"},
	{"129", "stopped by SIGHUP (a lost connection); saved, the run can be resumed"},
	{"130", "stopped by SIGINT (Ctrl-C), likewise"},
	{"143", "stopped by SIGTERM, likewise"},
}

// formats returns formats.txt with the keys of a model, their choices and defaults.
func formats() string {
	choices := map[string][]string{
		"kind": model.Kinds.Names(), "encoding": posenc.Kinds.Names(), "attention_masks": model.Masks.Names(),
		"value": model.Values.Names(),
		"terms": posenc.TermNames(), "absolute": posenc.Absolutes.Names(),
		"heads_init": append(posenc.Starts.Names(), "from:FILE"),
		"stem":       model.Stems.Names(), "stem_init": model.StemInits.Names(),
		"convolution": model.Convolutions.Names(), "conv_init": conv.Starts.Names(),
		"shortcut": model.Shortcuts.Names(), "border": model.Borders.Names(),
		"content": model.Contents.Names(), "temperature": model.Temperatures.Names(), "norm": model.Norms.Names(),
		"readout": model.Readouts.Names(), "init": model.Inits.Names(),
	}
	_, text, _ := strings.Cut(string(configs.Default().YAML()), "\nmodel:\n")
	var b strings.Builder
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !strings.HasPrefix(line, "  ") {
			break
		}
		fmt.Fprintf(&b, "  %-17s  %s\n", key, value)
		if names := choices[key]; names != nil {
			for _, line := range table.Wrap("of "+strings.Join(names, ", "), term.HelpWidth-23) {
				fmt.Fprintf(&b, "%23s%s\n", "", line)
			}
		}
	}
	for _, o := range own.Section("model").Options() {
		fmt.Fprintf(&b, "  %-17s  %v\n", o.Key, o.Default)
	}
	var blocks strings.Builder
	for _, k := range model.Blocks {
		for i, line := range table.Wrap(cmp.Or(strings.Join(k.Keys(), ", "), "none"), term.HelpWidth-23) {
			fmt.Fprintf(&blocks, "  %-19s  %s\n", map[bool]string{true: k.Name}[i == 0], line)
		}
	}
	return strings.NewReplacer("MODELKEYS\n", b.String(), "BLOCKKEYS\n", blocks.String()).Replace(formatsText)
}

// paper returns paper.txt with the list of encodings.
func paper() string {
	var b strings.Builder
	for _, k := range posenc.Kinds {
		fmt.Fprintf(&b, "  %-19s%s\n", k.Name, k.Help)
	}
	return strings.Replace(paperText, "ENCODINGS\n", b.String(), 1)
}

// environment lists the environment variables: those of the program, conventional ones, and one for each setting.
func environment() string {
	var b strings.Builder
	b.WriteString("Environment variables:\n\n")
	for _, v := range []struct{ name, meaning string }{
		{"ATTNCONV_DATA", "folder of the data sets"},
		{"ATTNCONV_RUNS", "folder of the runs"},
		{"ATTNCONV_KERNELS", "kernel set, such as generic (default: fastest)"},
		{term.DeviceVariable, "auto, cpu or gpu (experimental), as --device"},
		{"ATTNCONV_PJRT_PLUGIN", "absolute path of the GPU's plugin"},
		{"PJRT_PLUGIN_LIBRARY_PATH", "folders with plugins, separated by colons"},
		{"ATTNCONV_MPI", "path of the MPI library (default: the launcher's)"},
		{"NO_COLOR", "no color, and lines instead of a bar"},
		{"CLICOLOR, CLICOLOR_FORCE", "0: no color; 1: color also without a terminal"},
		{"ACCESSIBLE", "1: lines instead of a bar"},
		{"TERM", "dumb: neither color nor a bar"},
	} {
		fmt.Fprintf(&b, "  %-26s%s\n", v.name, v.meaning)
	}
	b.WriteString("\nThe number of a task, for sweep run --task env:\n\n")
	for _, v := range sweep.Variables {
		fmt.Fprintf(&b, "  %-28s%s\n", v.Name, v.Engine)
	}
	b.WriteString("\nEach setting of a run has a variable, which overrides files. Flags override it:\n\n")
	for _, key := range configs.Keys() {
		fmt.Fprintf(&b, "  %-36s%s\n", configs.Variable(key), key)
	}
	return b.String()
}
