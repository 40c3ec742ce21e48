package sets

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
)

func TestUntilDoneReturnsWhatComesFirst(t *testing.T) {
	if got, err := untilDone(t.Context(), func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("got %d, %v; want 7", got, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	hold := make(chan struct{})
	defer close(hold)
	stop()
	if _, err := untilDone(ctx, func() (int, error) { <-hold; return 7, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was stopped", err)
	}
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v, want the panic of the work", p)
		}
	}()
	untilDone(t.Context(), func() (int, error) { panic("broken") })
}

// ImportFrom copies what is at a path, once unless it is forced to, and describes the copy.
func TestImportFrom(t *testing.T) {
	from, dir := filepath.Join(t.TempDir(), "Flowers"), t.TempDir()
	tree(t, from, 10, "rose", "tulip")
	r, err := ImportFrom(t.Context(), from, ImportOptions{Dir: dir})
	if err != nil || r.Name != "flowers" || r.Path != filepath.Join(dir, "flowers") || r.Train+r.Test != 20 ||
		len(r.Classes) != 2 ||
		r.Archive != nil || r.Published || len(r.Digest.Train) != 64 {
		t.Fatalf("%+v, %v", r, err)
	}
	present, wrong := (*ExistsError)(nil), (*option.Error)(nil)
	if _, err := ImportFrom(t.Context(), from, ImportOptions{Dir: dir}); !errors.As(err, &present) {
		t.Errorf("once more: %v, want a *Present", err)
	}
	if again, err := ImportFrom(t.Context(), from, ImportOptions{Dir: dir, Force: true}); err != nil ||
		again.Digest != r.Digest {
		t.Errorf("forced: %+v, %v", again, err)
	}
	if small, err := ImportFrom(t.Context(), from, ImportOptions{Dir: dir, Name: "small",
		Image: Fit{Shape: [3]int{8, 8, 1}}}); err != nil ||
		small.Name != "small" || !small.Altered {
		t.Errorf("of 8 × 8: %+v, %v", small, err)
	}
	if _, err := ImportFrom(t.Context(), from, ImportOptions{Dir: dir, Name: "cifar10"}); !errors.As(err, &wrong) ||
		wrong.Key != "name" {
		t.Errorf("a name that is taken: %v", err)
	}
	sets, err := Sets(dir)
	if n := len(sets.Sets); err != nil || n != 4 || sets.Sets[0].Name != "flowers" || sets.Sets[0].Train != r.Train ||
		sets.Sets[2].Form != "built in" || sets.Sets[3].Form != "built in" {
		t.Errorf("listed %+v, %v", sets, err)
	}
	if list, err := Stores(dir, "small", "flowers"); err != nil || len(list) != 2 || list[0].Name != "small" {
		t.Errorf("by name: %+v, %v", list, err)
	}
	missing := (*data.MissingError)(nil)
	if _, err := Stores(dir, "small", "weeds"); !errors.As(err, &missing) {
		t.Errorf("a set that is not there: %v", err)
	}
}

func TestParseFit(t *testing.T) {
	for text, want := range map[string]Fit{"keep": {Keep: true}, "28,20,1": {Shape: [3]int{28, 20, 1}}} {
		if got, err := ParseFit(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "28", "28,28", "28,0,1", "28,28,x", "1,2,3,4"} {
		if got, err := ParseFit(text); err == nil || got != (Fit{}) {
			t.Errorf("%s: %+v, want an error", text, got)
		}
	}
}

// An import takes the memory of its images once, although it reads them a second time, from its copy.
func TestImportTakesTheMemoryOfItsImages(t *testing.T) {
	const n, side = 1 << 13, 64 // 32 MB
	dir := idxFolder(t, func(files map[string][]byte) {
		clear(files)
		for name, n := range map[string]int{"train": n, "t10k": 1} {
			files[name+"-images-idx3-ubyte.gz"] = gzipBytes(idx(8, make([]byte, n*side*side), n, side, side))
			files[name+"-labels-idx1-ubyte"] = idx(8, make([]byte, n), n)
		}
	})
	held := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapSys - m.HeapReleased)
	}
	debug.FreeOSMemory()
	before := held()
	if _, err := ImportFrom(t.Context(), dir, ImportOptions{Dir: t.TempDir(), Name: "dark"}); err != nil {
		t.Fatal(err)
	}
	if took := held() - before; took > n*side*side*3/2 {
		t.Errorf("%d bytes of images took %d", n*side*side, took)
	}
}
