package cmd

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// Files that a package has installed are taken only if they are the set's own: MNIST's have the same names.
func TestDataGetRefusesInstalledFilesOfAnotherSet(t *testing.T) {
	share, dir := t.TempDir(), t.TempDir()
	t.Setenv("XDG_DATA_DIRS", share)
	folder := filepath.Join(share, "datasets", "fashion-mnist")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"train", "t10k"} {
		for name, b := range map[string][]byte{
			"-images-idx3-ubyte": {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 7, 9}, "-labels-idx1-ubyte": {0, 0, 8, 1, 0, 0, 0, 2, 0, 1},
		} {
			if err := os.WriteFile(filepath.Join(folder, part+name), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	code, _, errs := runMain("data", "get", "fashion-mnist", "--data-dir", dir)
	if code == 0 || !strings.Contains(errs, "these are not the images of fashion-mnist") {
		t.Errorf("code %d: %s", code, errs)
	}
	if _, err := data.Find(dir, "fashion-mnist"); err == nil {
		t.Error("they were imported")
	}
}

// Each of the files is asked for in the folder that --url names, and one that cannot be had says how to go on.
func TestDataGetAsksForEachFile(t *testing.T) {
	t.Setenv("XDG_DATA_DIRS", t.TempDir())
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		http.NotFound(w, r)
	}))
	defer server.Close()
	code, _, errs := runMain("data", "get", "fashion-mnist", "--data-dir", t.TempDir(), "--url", server.URL+"/mirror")
	if code == 0 || len(asked) == 0 || asked[0] != "/mirror/train-images-idx3-ubyte.gz" || !strings.Contains(errs, "another address: --url") {
		t.Errorf("code %d, asked for %v: %s", code, asked, errs)
	}
}

// runMain runs a command, and returns its exit code and what it wrote.
func runMain(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = Main(context.Background(), args, io.MultiReader(), &o, &e)
	return code, o.String(), e.String()
}
