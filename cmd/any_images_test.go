package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
)

// Images of other sizes, numbers of channels and classes go through every command that shows, trains on or classifies
// them. A hundred classes stand for CIFAR-100, of which there is no copy here; its published layouts are tested in
// package data.
func TestAnyImagesThroughTheCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four networks")
	}
	for name, tt := range map[string]struct {
		format  data.Format
		floats  bool
		classes []string
		pool    int
		model   string
		file    bool // image files can be classified
	}{
		"hundred": {data.FormatOf(32, 32, 3), false, sets.Kinds.Find("cifar100").Classes, 8, "mhsa", true},
		"gray":    {data.FormatOf(28, 20, 1), false, []string{"a", "b", "c"}, 4, "mhsa", true},
		"layers":  {data.FloatFormat(12, 16, 5), true, []string{"a", "b"}, 4, "mhsa", false},
		"padded":  {data.FormatOf(30, 21, 1), false, []string{"a", "b"}, 4, "mhsa", true},
		"odd":     {data.FormatOf(13, 7, 2), false, []string{"a", "b"}, 1, "resnet10", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			train := gradedImages(tt.format, tt.floats, 3*len(tt.classes)+20, len(tt.classes))
			set, err := sets.New(name, tt.classes, train, data.Split{}, train)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := sets.Import(set, sets.Source{What: "images of a test"}, name, dir, "", false); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			out := func(args ...string) string {
				code, out, errs := clitest.Run(append(args, "--data-dir", dir, "--runs", dir+"/runs")...)
				if code != 0 {
					t.Fatalf("%v: code %d: %s", args, code, errs)
				}
				return out + errs
			}
			size := fmt.Sprintf("%d × %d", tt.format.Rows, tt.format.Cols)
			if got := out("data", "show", name, "-o", "show.png"); !strings.Contains(got, size) {
				t.Errorf("data show does not say that images are of %s: %s", size, got)
			}
			out("data", "verify", name)
			got := out("train", "--data", name, "--preset", "smoke", "--model", tt.model, "--pool", fmt.Sprint(tt.pool),
				"--epochs", "1",
				"--batch", "8", "--set", "model.width=4", "--out", "r", "--progress", "plain")
			if padded := tt.format.Rows%tt.pool+tt.format.Cols%tt.pool > 0; padded != strings.Contains(got,
				"padded to 32 × 24") {
				t.Errorf("padded: %v, and train says: %s", padded, got)
			}
			if got := out("eval", "r", "--confusion", "-o", "c.svg", "--data", name); !strings.Contains(got,
				tt.classes[1]) {
				t.Errorf("eval does not name the classes: %s", got)
			}
			if tt.model == "mhsa" {
				if tt.file {
					out("plot-maps", "r", scene, "-o", "maps.svg")
				}
				out("plot-heads", "r", "-o", "heads.svg")
			}
			out("inspect", "r")
			if got := out("runs", "show", "r"); strings.Contains(got,
				"images ") != (tt.format.Shape() != [3]int{32, 32, 3}) {
				t.Errorf("runs show: %s", got)
			}
			if tt.file {
				if got := out("predict", "r", scene, "--top", "1"); !slices.ContainsFunc(tt.classes,
					func(c string) bool {
						return strings.Contains(got, c)
					}) {
					t.Errorf("predict: %s", got)
				}
			} else if code, _, errs := clitest.Run("predict", "r", scene, "--data-dir", dir); code == 0 ||
				!strings.Contains(errs, "image files have 1 or 3") {
				t.Errorf("predict took an image file for %d channels: code %d, %s", tt.format.Channels, code, errs)
			}
		})
	}
}

// scene is an image file, wherever a test runs.
var scene = func() string {
	here, _ := os.Getwd()
	return filepath.Join(here, "../data/sets/testdata/orient/scene.png")
}()

// gradedImages makes n images, image i of class i modulo classes, the brighter the higher.
func gradedImages(f data.Format, floats bool, n, classes int) data.Split {
	s := data.Split{Format: f, Labels: make([]int32, n)}
	for i := range s.Labels {
		s.Labels[i] = int32(i % classes)
		for j := range f.Size() {
			v := (i%classes)*200/classes + j%50
			if floats {
				s.Floats = append(s.Floats, float32(v)/255-1)
			} else {
				s.Pixels = append(s.Pixels, uint8(v))
			}
		}
	}
	return s
}
