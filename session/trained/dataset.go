package trained

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
)

// An Origin is what a run or a checkpoint knows of the images that its network was trained on.
type Origin struct {
	Run  string       // names the run or the checkpoint, for a message
	Data data.Options // the settings of its data
	// Path is the folder of images, and Dir the data folder, where the run found them; empty: unknown.
	Path, Dir string
	// Images has no Classes, and no digest but Train, where an earlier version trained the network: it kept no more.
	Images  run.Images
	classes int // number of classes
}

// ImagesOf is what a run keeps of a set.
func ImagesOf(set *data.Set) *run.Images {
	d := sets.Contents(set)
	return &run.Images{Classes: set.Classes, Shape: set.Shape(), Mean: set.Mean, Std: set.Std, Train: d[0], Val: d[1],
		Test: d[2]}
}

// PlaceOf returns what a run records of where it found a set by its name or path, with the data folder dir: the folder
// of images, which is empty for a set in a data folder, and the data folder. Both are absolute.
func PlaceOf(set *data.Set, name, dir string) (path, folder string) {
	folder = absolute(dir)
	if set.Path == "" || sets.Kinds.Has(name) || absolute(set.Path) == filepath.Join(folder, name) {
		return "", folder
	}
	return absolute(set.Path), folder
}

// Origin returns what the checkpoint and, if it is in a run's folder, the run know of its images.
func (m *Model) Origin() Origin {
	return originOf(m.Path, m.Run(), m.Config.Data, m.Net.Spec, m.images, m.Meta.DataDigest)
}

// OriginOf returns what a run with these settings knows of its images, also before its first checkpoint.
func OriginOf(dir *run.Dir, o data.Options, spec model.Spec) Origin {
	return originOf(dir.Path, dir, o, spec, nil, "")
}

func originOf(path string, dir *run.Dir, o data.Options, spec model.Spec, images *run.Images, train string) Origin {
	from := Origin{Run: path, Data: o, classes: spec.Classes}
	if dir != nil {
		s := dir.Status()
		from.Run, from.Path, from.Dir = "run "+s.ID, s.DataPath, s.DataDir
		if images == nil {
			images = s.Images
		}
	}
	if images != nil {
		from.Images = *images
		return from
	}
	from.Images = run.Images{Shape: spec.Image, Train: train}
	if k := sets.Kinds.Find(o.Name); k != nil && len(k.Classes) == spec.Classes {
		from.Images.Classes = k.Classes
	}
	return from
}

// Open opens the set of that name or path, with the data folder dir. For "" it opens the network's own: where the run
// found it, else in dir, else at the name or relative path of the settings. Images are normalized as the network's
// were. The note of the set says how it differs from the images that the network was trained on. Without a name, other
// classes or another shape of images are an *OtherImagesError. The error for images that are not there wraps a
// *data.MissingError.
func (o Origin) Open(name, dir string) (*data.Set, error) {
	switch {
	case name == "":
		return o.as(o.find, name, dir)
	case isFile(name):
		return o.as(o.openFile, name, dir)
	}
	return o.as(sets.Open, name, dir)
}

// as opens a set with a function, and does to it what Open promises.
func (o Origin) as(open func(data.Options, string) (*data.Set, error), name, dir string) (*data.Set, error) {
	settings := o.Data
	settings.Name = cmp.Or(name, settings.Name)
	set, err := open(settings, dir)
	if err != nil {
		return nil, err
	}
	same := slices.Equal(set.Mean, o.Images.Mean) && slices.Equal(set.Std, o.Images.Std)
	if !same && len(o.Images.Mean) == set.Channels && (name == "" || !set.Floats()) { // other floats are normalized
		settings.Mean, settings.Std = floats64(o.Images.Mean), floats64(o.Images.Std)
		if set, err = sets.With(set, settings, dir); err != nil {
			return nil, err
		}
	}
	other := o.Compare(set)
	if name == "" || other == nil && o.Images.Test != "" { // the run has said what was left of its own folder
		set.Note = ""
	}
	switch {
	case other == nil, other.What == pictures && name != "" && name != o.Data.Name:
		return set, nil
	case other.What != pictures && name == "":
		return nil, other
	}
	set.Note = strings.TrimPrefix(set.Note+"\n  "+other.Error(), "\n  ")
	if other.What == names || other.What == order {
		set.Note += "; accuracies are meaningless unless these are the same classes in the same order"
	}
	return set, nil
}

// Drawn returns images of shapes32, which the program draws, for a network whose own images Open did not find on this
// machine; missing is the error of Open. It returns missing if the images have another shape or were moved. The note of
// the set says that the images are drawn. They say nothing about the network's accuracy.
func (o Origin) Drawn(missing error) (*data.Set, error) {
	absent, moved := (*data.MissingError)(nil), (*MovedDataError)(nil)
	if !errors.As(missing, &absent) || errors.As(missing, &moved) {
		return nil, missing
	}
	settings := data.Options{Name: "shapes32", Mean: floats64(o.Images.Mean), Std: floats64(o.Images.Std)}
	set, err := sets.Open(settings, "")
	if err != nil || o.Images.Shape != set.Shape() {
		return nil, missing
	}
	set.Note = fmt.Sprintf("the images of %s are not on this machine; these are drawn ones, of shapes32", o.Data.Name)
	return set, nil
}

// find opens the set that the network was trained on.
func (o Origin) find(settings data.Options, dir string) (*data.Set, error) {
	asked, before := dir != sets.Dir(), o.Dir
	type place struct{ name, dir string }
	places := []place{{settings.Name, dir}}
	switch {
	case o.Path != "":
		before = o.Path
		places = []place{{o.Path, dir}, {settings.Name, dir}}
		if asked { // the folder of images itself, which was moved there
			places[1] = place{dir, dir}
		}
	case o.Dir != "" && !asked:
		places = []place{{settings.Name, o.Dir}, places[0]}
	}
	var err error
	for _, p := range places {
		at := settings
		at.Name = p.name
		var set *data.Set
		if set, err = sets.Open(at, p.dir); err == nil {
			if absolute(settings.Name) == p.name {
				set.Name = settings.Name
			}
			return set, nil
		}
		if missing := (*data.MissingError)(nil); !errors.As(err, &missing) {
			return nil, err
		}
	}
	if before != "" && !asked {
		err = &MovedDataError{Name: settings.Name, Path: before, Run: o.Run, folder: o.Path != ""}
	}
	return nil, err
}

// ClassNames returns the names of the classes in the order of the labels. It returns false and numbers if neither the
// run nor the data folder dir has them.
func (o Origin) ClassNames(dir string) (names []string, known bool) {
	if o.Images.Classes != nil {
		return slices.Clone(o.Images.Classes), true
	}
	for _, name := range []string{o.Path, o.Data.Name} {
		if names = sets.ClassNames(name, dir); name != "" && len(names) == o.classes {
			return names, true
		}
	}
	names = nil
	for i := range o.classes {
		names = append(names, fmt.Sprintf("class %d", i+1))
	}
	return names, false
}

// MovedDataError is the error if the images of a run are no longer where the run found them. It wraps a
// *data.MissingError.
type MovedDataError struct {
	Name, Path string // of the data set
	Run        string // of the run
	folder     bool   // Path is the folder of images, not the data folder
}

func (e *MovedDataError) Error() string {
	return fmt.Sprintf("%s: its data, %s, is no longer in %s", e.Run, e.Name, e.Path)
}
func (e *MovedDataError) Unwrap() error { return &data.MissingError{Name: e.Name, Dir: e.Path} }
func (e *MovedDataError) Hint() string {
	if e.folder {
		return "if it was moved, the same command with its new place: --data DIR"
	}
	return "if it was moved, the same command with the new data folder: --data-dir DIR"
}

// What an OtherImagesError has found.
const (
	shape    = "shape"
	names    = "names"
	order    = "order"
	pictures = "pictures"
)

// OtherImagesError says that images are not those that a network was trained on.
type OtherImagesError struct {
	Run, Set string     // of the network, and of the images
	What     string     // the first difference: shape (also of the list of classes), names, order, or pictures
	Was, Now run.Images // of the network, and those at hand
	classes  int        // of the network
}

// Compare returns how a set differs from the images that the network was trained on, as far as that is known, or nil.
func (o Origin) Compare(set *data.Set) *OtherImagesError {
	now, was := ImagesOf(set), o.Images
	e := &OtherImagesError{Run: o.Run, Set: set.Name, Was: was, Now: *now, classes: o.classes}
	sorted := func(all []string) []string { return slices.Sorted(slices.Values(all)) }
	differ := func(a, b string) bool { return a != b && (a != "" && b != "" || was.Test != "") }
	switch {
	case now.Shape != was.Shape || len(now.Classes) != o.classes:
		e.What = shape
	case len(was.Classes) == o.classes && !slices.Equal(sorted(now.Classes), sorted(was.Classes)):
		e.What = names
	case len(was.Classes) == o.classes && !slices.Equal(now.Classes, was.Classes):
		e.What = order
	case differ(now.Train, was.Train), differ(now.Val, was.Val), was.Test != "" && differ(now.Test, was.Test):
		e.What = pictures
	default:
		return nil
	}
	return e
}

// OtherPictures is the error for images of a set whose digest is not the one that a run was trained on.
func OtherPictures(of, set, was, now string) *OtherImagesError {
	return &OtherImagesError{Run: of, Set: set, What: pictures, Was: run.Images{Train: was},
		Now: run.Images{Train: now}}
}

func (e *OtherImagesError) Error() string {
	switch e.What {
	case shape:
		return fmt.Sprintf("%s has %d classes and images of %v; %s was trained on %d classes and images of %v", e.Set,
			len(e.Now.Classes), e.Now.Shape, e.Run, e.classes, e.Was.Shape)
	case pictures:
		return fmt.Sprintf("the pictures of %s are not those that %s was trained on: digests %s, then %s", e.Set, e.Run,
			digests(e.Now), digests(e.Was))
	}
	i := 0
	for i+1 < len(e.Now.Classes) && e.Now.Classes[i] == e.Was.Classes[i] {
		i++
	}
	text := "other names"
	if e.What == order {
		text = "another order"
	}
	return fmt.Sprintf("the classes of %s have %s than those that %s was trained on: class %d is %q, and was %q", e.Set,
		text, e.Run, i+1, e.Now.Classes[i], e.Was.Classes[i])
}

// digests abbreviates the digests that are known.
func digests(i run.Images) string {
	var parts []string
	for _, d := range []struct{ split, sum string }{{"train", i.Train}, {"val", i.Val}, {"test", i.Test}} {
		if d.sum != "" {
			parts = append(parts, fmt.Sprintf("%s %.8s", d.split, d.sum))
		}
	}
	return strings.Join(parts, " ")
}

func (e *OtherImagesError) ExitCode() int { return fault.Corrupt }
func (e *OtherImagesError) Hint() string {
	switch e.What {
	case shape:
		return "name the images that it was trained on: --data NAME or DIR"
	case pictures: // an error only for a run that goes on
		return "a run goes on with the images that it began with; name their place: --data DIR"
	}
	return "name the images that it was trained on, or these, to use them all the same: --data " + shell.Word(e.Set)
}

// absolute is filepath.Abs, or path itself if that fails.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func floats64(values []float32) (all []float64) {
	for _, v := range values {
		all = append(all, float64(v))
	}
	return all
}
