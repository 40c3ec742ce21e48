package sets

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
)

func TestValidate(t *testing.T) {
	if err := Validate(data.Default()); err != nil {
		t.Errorf("the default options: %v", err)
	}
	for _, k := range Kinds {
		o := data.Default()
		o.Name = k.Name
		if err := Validate(o); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(o *data.Options)
		key    string
		want   string
	}{
		{"misspelled set", func(o *data.Options) { o.Name = "Cifar10" }, "data.name", `did you mean "cifar10"?`},
		{"no set", func(o *data.Options) { o.Name = "" }, "data.name",
			"not one of auto, cifar10, cifar100, fashion-mnist, shapes32, relations32, DIR"},
		{"negative hold-out", func(o *data.Options) { o.ValSize = -1 }, "data.val_size", "-1: want 1 or more"},
		{"protocol", func(o *data.Options) { o.Protocol = "papers" }, "data.protocol", `did you mean "paper"?`},
		{"augmentation", func(o *data.Options) { o.Augment = []string{"crop", "flop"} }, "data.augment",
			`did you mean "flip"?`},
		{"negative subset", func(o *data.Options) { o.TrainSize = -1 }, "data.train_size", "-1: want 1 or more"},
		{"twice", func(o *data.Options) { o.Augment = []string{"crop", "crop"} }, "data.augment",
			`"crop" is given twice`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := data.Default()
			tt.change(&o)
			var bad *option.Error
			if err := Validate(o); !errors.As(err, &bad) || bad.Key != tt.key ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an *option.Error on %s with %q", err, tt.key, tt.want)
			}
		})
	}
	for _, path := range []string{"./images", "a/b", filepath.Join(t.TempDir(), "none")} {
		o := data.Default()
		o.Name = path
		if err := Validate(o); err != nil {
			t.Errorf("the path %s: %v", path, err)
		}
	}
	t.Chdir(t.TempDir())
	tree(t, "images", 1, "red")
	if err := Validate(data.Options{Name: "images", Protocol: data.Holdout}); err != nil {
		t.Errorf("a folder here: %v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(data.Default(), dir)
	if err != nil || s.Name != "shapes32" || !strings.Contains(s.Note, "cifar10 is not in "+dir) {
		t.Errorf("auto without CIFAR-10: %v, want shapes32 and a note that says why", err)
	}
	var missing *data.MissingError
	_, err = Open(data.Options{Name: "cifar100"}, dir)
	if !errors.As(err, &missing) || missing.Name != "cifar100" || missing.Dir != dir {
		t.Errorf("got %v, want a *Missing for cifar100 in %s", err, dir)
	}
	var bad *option.Error
	if _, err := Open(data.Options{Name: "MNIST"}, dir); !errors.As(err, &bad) {
		t.Errorf("got %v, want an *option.Error", err)
	}
	_, err = Open(data.Options{Name: "flowers"}, dir) // perhaps it was imported once
	if !errors.As(err, &missing) || missing.Name != "flowers" {
		t.Errorf("got %v, want a *Missing for flowers", err)
	}
	write(t, filepath.Join(dir, "test_batch.bin"), []byte("short"))
	_, err = Open(data.Default(), dir) // auto must not pass over a damaged set
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
		s, err := Open(data.Options{Name: name}, dir)
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
