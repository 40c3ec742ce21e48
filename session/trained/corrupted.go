package trained

import (
	"os"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
)

// OpenArrays opens images and labels of NumPy (.npy) as test images of the classes of the network. The error is a
// *data.CorruptError.
func (m *Model) OpenArrays(images, labels, dir string) (*data.Set, error) {
	o := m.Origin()
	set, err := o.as(func(_ data.Options, dir string) (*data.Set, error) {
		names, _ := o.ClassNames(dir)
		return sets.OpenArrays(images, labels, names, sets.Fit{Shape: m.Net.Spec.Image})
	}, images, dir)
	if err != nil {
		return nil, err
	}
	return set, m.fits(set)
}

// openFile opens the data set in a file, such as an .npz of arrays, as images of the size that the network takes.
// Classes that are only numbers get the names that the network knows.
func (o Origin) openFile(settings data.Options, dir string) (*data.Set, error) {
	set, _, err := sets.RecognizeAs(settings.Name, sets.Fit{Shape: o.Images.Shape})
	if err != nil {
		return nil, err
	}
	words := func(name string) bool { return strings.Trim(name, "0123456789") != "" }
	if names, _ := o.ClassNames(dir); !slices.ContainsFunc(set.Classes, words) && len(set.Classes) <= len(names) {
		set.Classes = names
	}
	if set.Name == "" {
		set.Name = settings.Name
	}
	return set, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
