package vision_test

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestFamiliesAreWhatTheScriptWrites writes the networks again, with a Python that has PyTorch.
func TestFamiliesAreWhatTheScriptWrites(t *testing.T) {
	const python = "/usr/bin/python3"
	if testing.Short() {
		t.Skip("it needs ten seconds")
	}
	if err := exec.Command(python, "-c", "import torch, numpy").Run(); err != nil {
		t.Skip("no Python with PyTorch and NumPy: on Debian, apt-get install python3-torch")
	}
	folder := t.TempDir()
	if out, err := exec.Command(python, "-B", "testdata/families.py", "write", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"networks.json", "counts.json"} {
		was, err1 := os.ReadFile(filepath.Join("testdata", name))
		is, err2 := os.ReadFile(filepath.Join(folder, name))
		if err1 != nil || err2 != nil || !bytes.Equal(was, is) {
			t.Errorf("%s: not what families.py writes: %v %v", name, err1, err2)
		}
	}
	compared := map[string]bool{}
	for name, e := range networks(t) {
		if compared[e.Expect] {
			continue
		}
		compared[e.Expect] = true
		is := arrays(t, filepath.Join(folder, e.Expect))
		for key, was := range arrays(t, filepath.Join("testdata", e.Expect)) {
			if is[key] == nil || !slices.Equal(was.Shape, is[key].Shape) {
				t.Fatalf("%s: %s", name, key)
			}
			now := is[key].Of()
			for i, v := range was.Of() {
				if math.Abs(v-now[i]) > 1e-5 {
					t.Fatalf("%s: %s: element %d is %g, was %g", name, key, i, now[i], v)
				}
			}
		}
	}
	weights, err := filepath.Glob("testdata/*.pth")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range weights { // the same bytes, if it is the PyTorch that wrote them
		was, err1 := os.ReadFile(path)
		is, err2 := os.ReadFile(filepath.Join(folder, filepath.Base(path)))
		if err1 != nil || err2 != nil || len(was) != len(is) {
			t.Errorf("%s: %d bytes, were %d: %v %v", path, len(is), len(was), err1, err2)
		}
	}
}
