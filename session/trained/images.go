package trained

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/run"
)

// Format is that of the images that the network takes, of bytes, normalized as the images that it was trained on.
func (m *Model) Format() data.Format {
	image := m.Net.Spec.Image
	f := data.FormatOf(image[0], image[1], image[2])
	switch o := m.Config.Data; {
	case m.images != nil && len(m.images.Mean) == f.Channels:
		f.Mean, f.Std = m.images.Mean, m.images.Std
	case len(o.Mean) == f.Channels:
		f = f.With(o)
	}
	return f
}

// ReadImages reads image files, the images in and below folders, and in for the name -, in the format f: cropped around
// their middle and resized. files are the names of the images. The error is a *run.NotFoundError, a *data.CorruptError,
// or one of the file system. With a *data.CorruptError, images and files are those that can be read.
func ReadImages(in io.Reader, f data.Format, names ...string) (images data.Split, files []string, err error) {
	images.Format = f
	var broken []error
	add := func(name string, b []byte, err error) {
		if refused := (*foreign.RefusalError)(nil); errors.As(err, &refused) {
			err = &data.CorruptError{Path: refused.Path, Reason: refused.Reason}
		}
		var one data.Split
		if err == nil {
			one, err = sets.ReadImage(name, bytes.NewReader(b), f)
		}
		if err != nil {
			broken = append(broken, err)
			return
		}
		images.Pixels, images.Labels = append(images.Pixels, one.Pixels...), append(images.Labels, 0)
		files = append(files, name)
	}
	for _, name := range names {
		if name == "-" {
			b, err := foreign.ReadAll("standard input", in, sets.ImageBytes)
			add("standard input", b, err)
			continue
		}
		inside, err := imagesIn(name)
		if err != nil {
			return images, files, err
		}
		for _, file := range inside {
			b, err := foreign.ReadFile(file, sets.ImageBytes)
			add(file, b, err)
		}
	}
	switch n := len(files) + len(broken); {
	case len(broken) > 0 && n == 1:
		err = broken[0]
	case len(broken) > 0:
		err = sets.BrokenImages(strings.Join(names, ", "), n, broken)
	}
	return images, files, err
}

// imagesIn returns the file itself, or the images in a folder and in those below it, sorted. Hidden files
// and folders, and those that systems make, are left out, and links to folders are not followed.
func imagesIn(name string) (files []string, err error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &run.NotFoundError{What: "image", Ref: name}
	}
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	root := filepath.Clean(name) + string(filepath.Separator) // of a link, the folder that it leads to
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch hidden := path != root && foreign.Hidden(e.Name()); {
		case err != nil:
			return err
		case hidden && e.IsDir():
			return fs.SkipDir
		case !hidden && !e.IsDir() && slices.Contains(sets.ImageFiles, strings.ToLower(filepath.Ext(path))):
			files = append(files, filepath.Clean(path))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, &run.NotFoundError{What: "image (" + strings.Join(sets.ImageFiles, ", ") + ")", Root: name}
	}
	return files, nil
}
