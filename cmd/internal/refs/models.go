package refs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/session/trained"
)

// OpenData opens the data set that m was trained on, or the one that --data names, and warns if its images are not
// those that m was trained on. Its errors are those of trained.Model.OpenData.
func OpenData(c *term.Console, m *trained.Model, name string) (*data.Set, error) {
	set, err := m.OpenData(name, c.DataDir)
	if err == nil && set.Note != "" {
		c.Warn(set.Note)
	}
	return set, err
}

// OpenImages is OpenData for what any images show: those that the program draws, where the network's own are not here.
func OpenImages(c *term.Console, m *trained.Model, name string) (*data.Set, error) {
	set, err := OpenData(c, m, name)
	if err == nil || name != "" {
		return set, err
	}
	if set, err = m.Origin().Drawn(err); err == nil {
		c.Note("%s", set.Note)
	}
	return set, err
}

// LoadModel reads the model that a reference stands for: a checkpoint file, or a run that satisfies the need.
func LoadModel(c *term.Console, ref string, n Need) (*trained.Model, error) {
	path, err := Checkpoint(c, ref, n)
	if err != nil {
		return nil, err
	}
	return trained.Open(path)
}

// DataFlag adds --data to a command that takes the data set of a network unless it is told another one.
func DataFlag(f term.Flags, p *string) {
	f.Text(p, "data", "", "NAME",
		"data set, an imported one, or a folder of images (default: the one it was trained on)",
		append(sets.Kinds.Completions(), "DIR"))
}

// CompleteImages completes a run as the first argument, and files.
func CompleteImages(c *term.Console) Completion {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || resolveGlobals(c) != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return runCompletions(c, word, args), cobra.ShellCompDirectiveDefault
	}
}

// ImageFormats is what an image may be, whatever its file is called.
const ImageFormats = sets.ImageFormats

// SplitImages splits off the reference to a checkpoint or run, if the first argument is not an image.
func SplitImages(args []string) (ref string, images []string) {
	if len(args) == 0 || args[0] == "-" || slices.Contains(sets.ImageFiles, strings.ToLower(filepath.Ext(args[0]))) {
		return "", args
	}
	return args[0], args[1:]
}
