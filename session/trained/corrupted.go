package trained

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/train"
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

// corruptions are the arrays of CIFAR-10-C, CIFAR-100-C and their extra ones.
// Source: Hendrycks, Dietterich 2019 (arXiv:1903.12261).
var corruptions = strings.Fields(`brightness contrast defocus_blur elastic_transform fog frost gaussian_blur
	gaussian_noise glass_blur impulse_noise jpeg_compression motion_blur pixelate saturate shot_noise snow spatter
	speckle_noise zoom_blur`)

// severities is the number of severities of a corruption: 5 if images is an array of CIFAR-10-C, which has all images
// of one severity after those of the one before, else 0.
func severities(set *data.Set) int {
	const n = 5
	labels := set.Test.Labels
	name, array := strings.CutSuffix(filepath.Base(set.Path), ".npy")
	if !array || !slices.Contains(corruptions, name) || len(labels)%n != 0 {
		return 0
	}
	one := len(labels) / n
	if !slices.Equal(labels[one:], labels[:len(labels)-one]) {
		return 0
	}
	return n
}

// bySeverity scores each of the n equal parts of the outputs.
func bySeverity(out train.Outputs, n int) (all []SeverityScore) {
	one := out.Len() / max(1, n)
	for i := range n {
		part := train.Outputs{Classes: out.Classes, Logits: out.Logits[i*one*out.Classes : (i+1)*one*out.Classes],
			Labels: out.Labels[i*one : (i+1)*one]}
		s := part.Score()
		all = append(all, SeverityScore{Severity: i + 1, N: s.N, Loss: s.Loss, Acc: s.Acc})
	}
	return all
}
