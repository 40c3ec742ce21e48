package data

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestClassNamesWithoutImages(t *testing.T) {
	dir := t.TempDir()
	for _, class := range []string{"train/owl", "train/cat", "test/owl", "flat/b", "flat/a"} {
		if err := os.MkdirAll(filepath.Join(dir, class), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name        string
		n           int
		first, last string
	}{
		{"cifar10", 10, "airplane", "truck"},
		{"cifar100", 100, "apple", "worm"},
		{"shapes32", 10, Shapes().Classes[0], Shapes().Classes[9]},
		{dir, 2, "cat", "owl"},
		{filepath.Join(dir, "flat"), 2, "a", "b"},
	} {
		got := ClassNames(tt.name, dir)
		if len(got) != tt.n || got[0] != tt.first || got[len(got)-1] != tt.last {
			t.Errorf("%s: %v, want %d from %s to %s", tt.name, got, tt.n, tt.first, tt.last)
		}
	}
	if got := ClassNames("nothing", dir); !slices.Equal(got, nil) {
		t.Errorf("a folder that is not there has classes %v", got)
	}
}
