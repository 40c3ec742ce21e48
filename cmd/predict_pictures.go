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

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/run"
)

// A picture is one of the user's own.
type picture struct {
	name string
	fit  data.Split // the picture alone, as a network sees it
}

// readPictures reads files, the pictures in folders, and - for standard input.
func readPictures(c *console, names []string) (pictures []picture, err error) {
	for _, name := range names {
		if name == "-" {
			b, err := foreign.ReadAll("standard input", c.In, data.ImageBytes)
			if err != nil {
				return nil, unread(err)
			}
			if pictures, err = addPicture(pictures, "standard input", b); err != nil {
				return nil, err
			}
			continue
		}
		files, err := pictureNames(name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			b, err := foreign.ReadFile(file, data.ImageBytes)
			if err != nil {
				return nil, unread(err)
			}
			if pictures, err = addPicture(pictures, file, b); err != nil {
				return nil, err
			}
		}
	}
	return pictures, nil
}

// pictureNames is the file itself, or the pictures of a folder, sorted.
func pictureNames(name string) ([]string, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &run.NotFound{What: "picture", Ref: name}
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
		if slices.Contains(data.PictureFiles, strings.ToLower(filepath.Ext(e.Name()))) && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(name, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, &run.NotFound{What: "picture (" + strings.Join(data.PictureFiles, ", ") + ")", Root: name}
	}
	return files, nil
}

// addPicture decodes one file.
func addPicture(pictures []picture, name string, b []byte) ([]picture, error) {
	fit, err := data.ReadImage(name, bytes.NewReader(b))
	return append(pictures, picture{name, fit}), err
}

// unread is the error of a file that is not read for what it is.
func unread(err error) error {
	if refused := (*foreign.Refused)(nil); errors.As(err, &refused) {
		return &data.Corrupt{Path: refused.Path, Reason: refused.Reason}
	}
	return err
}

// guesses are the likeliest classes, by the softmax of their logits.
func (s seer) guesses(logits []float32, top int) []guess {
	all := make([]guess, len(logits))
	most, sum := float64(slices.Max(logits)), 0.0
	for i, x := range logits {
		all[i] = guess{s.classes[i], math.Exp(float64(x) - most)}
		sum += all[i].P
	}
	for i := range all {
		all[i].P /= sum
	}
	slices.SortStableFunc(all, func(a, b guess) int { return cmp.Compare(b.P, a.P) })
	return all[:min(top, len(all))]
}
