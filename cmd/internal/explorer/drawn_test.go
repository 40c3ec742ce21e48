package explorer

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/exampleruns"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
)

// A run whose images are not on this machine is shown with drawn ones, which the page says, normalized as the run's. No
// measurement takes them.
func TestImagesThatAreNotHere(t *testing.T) {
	t.Setenv("ATTNCONV_DATA", t.TempDir())
	files, err := exampleruns.Open("cifar-resnet18")
	if err != nil {
		t.Fatal(err)
	}
	path, err := run.Unpack(t.Context(), t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Runs: filepath.Dir(path), Data: t.TempDir()})
	d, err := s.Sample(run.At(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Images) != sampleSize || d.Images[0].Label != "disc" && d.Images[0].Label != "star" ||
		len(d.Mean) != 3 || d.Mean[0] != 0.4914 || !strings.Contains(d.Note, "cifar10 are not on this machine") {
		t.Errorf("%d images, the first of %q, mean %v, %q", len(d.Images), d.Images[0].Label, d.Mean, d.Note)
	}
	m, err := trained.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if set, err := s.set(m.Origin()); err == nil {
		t.Errorf("a measurement would take %s", set.Name)
	}
}
