package trained_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
)

// What differs is found in this order: shape, names, order, pictures. An earlier version knows the training images
// only.
func TestImagesAreCompared(t *testing.T) {
	set, err := sets.Open(data.Options{Name: "shapes32"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	was := *trained.ImagesOf(set)
	swapped := slices.Clone(was.Classes)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	for name, c := range map[string]struct {
		change func(*run.Images)
		want   string
	}{
		"the same":            {func(*run.Images) {}, ""},
		"another size":        {func(i *run.Images) { i.Shape[0] = 28 }, "shape"},
		"another name":        {func(i *run.Images) { i.Classes = append([]string{"cat"}, i.Classes[1:]...) }, "names"},
		"another order":       {func(i *run.Images) { i.Classes = swapped }, "order"},
		"other training":      {func(i *run.Images) { i.Train = "00" }, "pictures"},
		"other test":          {func(i *run.Images) { i.Test = "00" }, "pictures"},
		"own validation":      {func(i *run.Images) { i.Val = "00" }, "pictures"},
		"old, the same":       {func(i *run.Images) { i.Classes, i.Test = nil, "" }, ""},
		"old, other training": {func(i *run.Images) { i.Classes, i.Test, i.Train = nil, "", "00" }, "pictures"},
		"nothing known":       {func(i *run.Images) { i.Classes, i.Test, i.Train = nil, "", "" }, ""},
	} {
		before := was
		c.change(&before)
		got := ""
		spec := model.Spec{Classes: 10, Image: [3]int{32, 32, 3}}
		o := trained.OriginOf(&run.Dir{Path: "r"}, data.Options{Name: "pets"}, spec)
		o.Images = before
		if other := o.Compare(set); other != nil {
			got = other.What
			if fault.ExitCode(other) != fault.Corrupt || other.Hint() == "" ||
				!strings.Contains(other.Error(), "shapes32") {
				t.Errorf("%s: %v, exit code %d, hint %q", name, other, fault.ExitCode(other), other.Hint())
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Images are normalized as those that the network was trained on, whatever set they come from.
func TestNormalizationOfTheRun(t *testing.T) {
	m, _ := shortRun(t)
	o := m.Origin()
	o.Images = run.Images{Shape: [3]int{32, 32, 3}, Mean: []float32{0.1, 0.2, 0.3}, Std: []float32{1, 2, 4}}
	set, err := o.Open("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	test, err := set.Part("test", o.Data)
	if err != nil || !slices.Equal(test.Mean, o.Images.Mean) || !slices.Equal(test.Std, o.Images.Std) {
		t.Fatalf("mean %v and std %v (%v), want those of the run", test.Mean, test.Std, err)
	}
	m.Config.Data.Mean, m.Config.Data.Std = []float64{0.5}, []float64{1}
	if _, err := sets.Open(m.Config.Data, t.TempDir()); err == nil || !strings.Contains(err.Error(), "data.mean") {
		t.Errorf("one mean for three channels: %v", err)
	}
}

// What a checkpoint says of its images may be anything.
func TestImagesOfACheckpoint(t *testing.T) {
	good := run.Images{Classes: []string{"a", "b"}, Shape: [3]int{1, 1, 1}, Mean: []float32{0}, Std: []float32{1},
		Train: "x"}
	back, err := run.ParseImages(good.Text())
	if err != nil || back.Text() != good.Text() {
		t.Errorf("%v, %v", back, err)
	}
	for _, text := range []string{"{", "{}", `{"classes":["a"],"shape":[1,1,3],"mean":[0],"std":[1]}`,
		`{"classes":["a"],"shape":[1,1,1],"mean":[0],"std":[0]}`} {
		if i, err := run.ParseImages(text); err == nil {
			t.Errorf("%s: %+v, want an error", text, i)
		}
	}
	if i, err := run.ParseImages(""); i != nil || err != nil {
		t.Errorf("of an earlier version: %v, %v", i, err)
	}
}

// Drawn images take the place of images that are not here, normalized as the network's, and only if their shape is that
// of the network's.
func TestDrawn(t *testing.T) {
	o := trained.Origin{Data: data.Options{Name: "cifar10"}, Images: run.Images{
		Shape: [3]int{32, 32, 3}, Mean: []float32{0.1, 0.2, 0.3}, Std: []float32{1, 2, 3}}}
	_, missing := o.Open("", t.TempDir())
	set, err := o.Drawn(missing)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.Test.Mean, o.Images.Mean) || !slices.Equal(set.Test.Std, o.Images.Std) {
		t.Errorf("mean %v and std %v, want those of the network", set.Test.Mean, set.Test.Std)
	}
	if !strings.Contains(set.Note, "cifar10 are not on this machine") || set.Test.Len() == 0 {
		t.Errorf("%d images, %q", set.Test.Len(), set.Note)
	}
	for _, other := range []error{
		&data.CorruptError{Path: "x", Reason: "y"}, &trained.MovedDataError{Name: "cifar10"},
	} {
		if _, err := o.Drawn(other); err != other {
			t.Errorf("%v: %v", other, err)
		}
	}
	o.Images.Shape = [3]int{28, 28, 1}
	if _, err := o.Drawn(missing); err == nil || err.Error() != missing.Error() {
		t.Errorf("gray images: %v", err)
	}
}
