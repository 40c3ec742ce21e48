package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/spf13/cobra"
)

// An ImageFile is an image of the user's.
type ImageFile struct {
	Name string
	Fit  data.Split // the image, cropped and resized for the network
}

// ReadImages reads files, the images in folders, and - for standard input, in the format f.
func (c *Console) ReadImages(names []string, f data.Format) (images []ImageFile, err error) {
	for _, name := range names {
		if name == "-" {
			b, err := foreign.ReadAll("standard input", c.In, data.ImageBytes)
			if err != nil {
				return nil, unread(err)
			}
			if images, err = addImage(images, "standard input", b, f); err != nil {
				return nil, err
			}
			continue
		}
		files, err := imageNames(name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			b, err := foreign.ReadFile(file, data.ImageBytes)
			if err != nil {
				return nil, unread(err)
			}
			if images, err = addImage(images, file, b, f); err != nil {
				return nil, err
			}
		}
	}
	return images, nil
}

// imageNames returns the file itself, or the images in a folder, sorted.
func imageNames(name string) ([]string, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &run.NotFound{What: "image", Ref: name}
	}
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if slices.Contains(data.ImageFiles, strings.ToLower(filepath.Ext(e.Name()))) && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(name, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, &run.NotFound{What: "image (" + strings.Join(data.ImageFiles, ", ") + ")", Root: name}
	}
	return files, nil
}

// FormatOf is the format of the images that a network takes, of bytes.
func FormatOf(s model.Spec) data.Format { return data.FormatOf(s.Image[0], s.Image[1], s.Image[2]) }

func addImage(images []ImageFile, name string, b []byte, f data.Format) ([]ImageFile, error) {
	fit, err := data.ReadImage(name, bytes.NewReader(b), f)
	return append(images, ImageFile{name, fit}), err
}

// unread turns a file that package foreign refuses into corrupt data.
func unread(err error) error {
	if refused := (*foreign.Refused)(nil); errors.As(err, &refused) {
		return &data.Corrupt{Path: refused.Path, Reason: refused.Reason}
	}
	return err
}

// CompleteImages completes a run as the first argument, and files.
func (c *Console) CompleteImages() Completion {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || c.ResolveGlobals() != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return c.RunCompletions(word, args), cobra.ShellCompDirectiveDefault
	}
}

// SplitImages splits off the reference to a checkpoint or run, if the first argument is not an image.
func SplitImages(args []string) (ref string, images []string) {
	if len(args) == 0 || args[0] == "-" || slices.Contains(data.ImageFiles, strings.ToLower(filepath.Ext(args[0]))) {
		return "", args
	}
	return args[0], args[1:]
}
