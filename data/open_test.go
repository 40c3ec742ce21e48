package data

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/option"
)

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("the default options: %v", err)
	}
	for _, k := range Kinds {
		o := Default()
		o.Name = k.Name
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(o *Options)
		key    string
		want   string
	}{
		{"misspelled set", func(o *Options) { o.Name = "Cifar10" }, "data.name", `did you mean "cifar10"?`},
		{"no set", func(o *Options) { o.Name = "" }, "data.name",
			"not one of auto, cifar10, cifar100, fashion-mnist, shapes32, relations32, DIR"},
		{"negative hold-out", func(o *Options) { o.ValSize = -1 }, "data.val_size", "-1: want 1 or more"},
		{"protocol", func(o *Options) { o.Protocol = "papers" }, "data.protocol", `did you mean "paper"?`},
		{"augmentation", func(o *Options) { o.Augment = []string{"crop", "flop"} }, "data.augment",
			`did you mean "flip"?`},
		{"negative subset", func(o *Options) { o.TrainSize = -1 }, "data.train_size", "-1: want 1 or more"},
		{"twice", func(o *Options) { o.Augment = []string{"crop", "crop"} }, "data.augment", `"crop" is given twice`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Default()
			tt.change(&o)
			var bad *option.Error
			if err := o.Validate(); !errors.As(err, &bad) || bad.Key != tt.key ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an *option.Error on %s with %q", err, tt.key, tt.want)
			}
		})
	}
	for _, path := range []string{"./images", "a/b", filepath.Join(t.TempDir(), "none")} {
		o := Default()
		o.Name = path
		if err := o.Validate(); err != nil {
			t.Errorf("the path %s: %v", path, err)
		}
	}
	t.Chdir(t.TempDir())
	tree(t, "images", 1, "red")
	if err := (Options{Name: "images", Protocol: Holdout}).Validate(); err != nil {
		t.Errorf("a folder here: %v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(Default(), dir)
	if err != nil || s.Name != "shapes32" || !strings.Contains(s.Note, "cifar10 is not in "+dir) {
		t.Errorf("auto without CIFAR-10: %v, want shapes32 and a note that says why", err)
	}
	var missing *MissingError
	_, err = Open(Options{Name: "cifar100"}, dir)
	if !errors.As(err, &missing) || missing.Name != "cifar100" || missing.Dir != dir {
		t.Errorf("got %v, want a *Missing for cifar100 in %s", err, dir)
	}
	var bad *option.Error
	if _, err := Open(Options{Name: "MNIST"}, dir); !errors.As(err, &bad) {
		t.Errorf("got %v, want an *option.Error", err)
	}
	_, err = Open(Options{Name: "flowers"}, dir) // perhaps it was imported once
	if !errors.As(err, &missing) || missing.Name != "flowers" {
		t.Errorf("got %v, want a *Missing for flowers", err)
	}
	write(t, filepath.Join(dir, "test_batch.bin"), []byte("short"))
	_, err = Open(Default(), dir) // auto must not pass over a damaged set
	wantCorrupt(t, err, "data_batch_1.bin: want this file next to the others of cifar10")
}

func TestDir(t *testing.T) {
	t.Setenv("ATTNCONV_DATA", "/some/where")
	if got := Dir(); got != "/some/where" {
		t.Errorf("Dir() = %s, want $ATTNCONV_DATA", got)
	}
	t.Setenv("ATTNCONV_DATA", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if got := Dir(); got == "" {
		t.Error("Dir() is empty where there is no home")
	}
}

// numbered is a set whose image i of the training images starts with the bytes of i.
func numbered(n int) *Set {
	s := &Set{
		Name: "numbered", Train: noiseImages(n, 10), Test: noiseImages(5, 5),
		valSize: n / 10, holdout: "holdout/numbered",
	}
	for i := range n {
		s.Train.Bytes(i)[0], s.Train.Bytes(i)[1] = byte(i), byte(i>>8)
	}
	return s
}

func TestSplit(t *testing.T) {
	s := numbered(300)
	number := func(p Split) (out []int) {
		for i := range p.Len() {
			out = append(out, int(p.Bytes(i)[0])+int(p.Bytes(i)[1])<<8)
		}
		return out
	}
	train, val, test, err := s.Split(Options{Protocol: Holdout, ValSize: 40})
	if err != nil || train.Len() != 260 || val.Len() != 40 || test.Len() != 5 {
		t.Fatalf("%v: %d + %d + %d images, want 260 + 40 + 5", err, train.Len(), val.Len(), test.Len())
	}
	all := append(number(train), number(val)...)
	slices.Sort(all)
	for i, k := range all {
		if i != k {
			t.Fatalf("image %d is not in exactly one of train and val", i)
		}
	}
	if got := number(val)[:4]; !slices.Equal(got, heldOut) {
		t.Errorf("held out %v, want %v: the hold-out is to be the same for ever", got, heldOut)
	}
	for i := range val.Len() {
		if k := number(val)[i]; val.Labels[i] != s.Train.Labels[k] {
			t.Errorf("image %d has label %d, want %d", k, val.Labels[i], s.Train.Labels[k])
		}
	}
	if _, val, _, _ := s.Split(Options{Protocol: Holdout}); val.Len() != 30 {
		t.Errorf("the set's own hold-out has %d images, want 30", val.Len())
	}
	train, val, _, err = s.Split(Options{Protocol: Paper, ValSize: 40})
	if err != nil || train.Len() != 300 || !slices.Equal(number(val), number(s.Test)) {
		t.Errorf("paper: %v, %d training images, want all 300, and the test images to validate", err, train.Len())
	}
	var bad *option.Error
	_, _, _, err = s.Split(Options{Protocol: Holdout, ValSize: 300})
	if !errors.As(err, &bad) || bad.Key != "data.val_size" {
		t.Errorf("hold-out of everything: %v, want an *option.Error on data.val_size", err)
	}
	s.Val = s.Train.Subset([]int{7})
	train, val, _, err = s.Split(Options{Protocol: Holdout, ValSize: 40})
	if err != nil || train.Len() != 300 || number(val)[0] != 7 {
		t.Errorf("a set with validation images of its own: %v, want those", err)
	}
}

// heldOut are the first of the 40 images of 300 that were held out when this was first written.
var heldOut = []int{3, 7, 18, 28}

func TestImportedSetsGoByTheirNames(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	tree(t, from, 3, "red", "blue")
	s, src, err := Recognize(from)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Import(s, src, from, dir, "flowers", false); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	tree(t, "flowers", 2, "red", "blue", "green") // ./flowers, not flowers
	for name, classes := range map[string]int{"flowers": 2, "./flowers": 3} {
		if err := Known(name, dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s, err := Open(Options{Name: name}, dir)
		if err != nil || s.Name != name || len(s.Classes) != classes {
			t.Errorf("%s: %q with classes %v (%v), want %d", name, s.Name, s.Classes, err, classes)
		}
		if got := ClassNames(name, dir); len(got) != classes {
			t.Errorf("%s: classes %v, want %d", name, got, classes)
		}
	}
	all := "not one of " + strings.Join(Kinds.Names(), ", ") + ", flowers, DIR"
	for name, want := range map[string]string{
		"flower": all + "\n" + `  did you mean "flowers"?`,
		"cifar":  `did you mean "cifar10"?`,
		"zebra":  `data.name "zebra": ` + all,
	} {
		var bad *option.Error
		if err := Known(name, dir); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TrainLen counts what Split returns.
func TestTrainLen(t *testing.T) {
	own := uneven(300)
	own.Val = own.Train.Subset([]int{7})
	for _, s := range []*Set{uneven(300), own} {
		for _, o := range []Options{{Protocol: Holdout}, {Protocol: Holdout, ValSize: 40},
			{Protocol: Paper, ValSize: 40},
			{Protocol: Holdout, TrainSize: 20}, {Protocol: Paper, TrainSize: 20}} {
			train, _, _, err := s.Split(o)
			if got := s.TrainLen(o); err != nil || got != train.Len() {
				t.Errorf("%+v: %d images, %v; Split has %d", o, got, err, train.Len())
			}
		}
	}
}
