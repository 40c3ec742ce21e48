package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
)

// An imageFile is an image of the user's.
type imageFile struct {
	name string
	fit  data.Split // the image, cropped and resized for the network
}

// readImages reads files, the images in folders, and - for standard input, in the format f.
func readImages(c *cli.Console, names []string, f data.Format) (images []imageFile, err error) {
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

// formatOf is the format of the images that a network takes, of bytes.
func formatOf(s model.Spec) data.Format { return data.FormatOf(s.Image[0], s.Image[1], s.Image[2]) }

func addImage(images []imageFile, name string, b []byte, f data.Format) ([]imageFile, error) {
	fit, err := data.ReadImage(name, bytes.NewReader(b), f)
	return append(images, imageFile{name, fit}), err
}

// unread turns a file that package foreign refuses into corrupt data.
func unread(err error) error {
	if refused := (*foreign.Refused)(nil); errors.As(err, &refused) {
		return &data.Corrupt{Path: refused.Path, Reason: refused.Reason}
	}
	return err
}

// topClasses returns the most likely classes, with p = softmax(logits).
func (s classifier) topClasses(logits []float32, top int) []classProbability {
	all := make([]classProbability, len(logits))
	most, sum := float64(slices.Max(logits)), 0.0
	for i, x := range logits {
		all[i] = classProbability{s.classes[i], math.Exp(float64(x) - most)}
		sum += all[i].P
	}
	for i := range all {
		all[i].P /= sum
	}
	slices.SortStableFunc(all, func(a, b classProbability) int { return cmp.Compare(b.P, a.P) })
	return all[:min(top, len(all))]
}
