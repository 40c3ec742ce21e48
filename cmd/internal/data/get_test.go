package data

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
)

// blackArchive returns an archive of CIFAR-10 whose images are black and of class 0.
func blackArchive(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(zipped)
	batch := make([]byte, 30730000)
	for _, name := range strings.Fields("data_batch_1 data_batch_2 data_batch_3 data_batch_4 data_batch_5 test_batch") {
		h := &tar.Header{Name: "cifar-10-batches-bin/" + name + ".bin", Mode: 0o644, Size: int64(len(batch))}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// With one mirror that serves wrong bytes and one that drops the connection, data get still ends with the set, without
// the archive, and with a message for each failure.
func TestDataGetEndsWithTheSet(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a set of 184 MB")
	}
	archive := blackArchive(t)
	sum := sha256.Sum256(archive)
	wrong := bytes.Clone(archive)
	wrong[len(wrong)/2] ^= 1
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/wrong/") {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(wrong))
			return
		}
		from := 0
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		if asked.Add(1) < 4 {
			w.Header().Set("Content-Length", fmt.Sprint(len(archive)-from))
			if from > 0 {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(archive)-1, len(archive)))
				w.WriteHeader(http.StatusPartialContent)
			}
			w.Write(archive[from : from+len(archive)/5])
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(archive))
	}))
	defer server.Close()
	list := []data.Download{{File: "cifar-10-binary.tar.gz", Size: int64(len(archive)), SHA256: hex.EncodeToString(sum[:])}}
	var out, log bytes.Buffer
	c := cli.NewConsole(nil, &out, &log, nil)
	c.DataDir = t.TempDir()
	o := getOptions{Name: "cifar10", URLs: []string{server.URL + "/wrong/", server.URL + "/good/"}}
	if err := get(context.Background(), c, o, list); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	for _, want := range []string{
		"cifar-10-binary.tar.gz, ", "/wrong/cifar-10-binary.tar.gz: want a file with SHA-256 ",
		"/good/cifar-10-binary.tar.gz: the connection ended after ", "(100.0%)", "unpacking cifar-10-binary.tar.gz",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("want %q on standard error, got\n%s", want, log.String())
		}
	}
	if !strings.Contains(out.String(), "recognised  CIFAR-10 binary archive, ") ||
		!strings.Contains(out.String(), "images    50,000 + 10,000 of 10 classes") {
		t.Errorf("standard output is\n%s", out.String())
	}
	left, err := os.ReadDir(c.DataDir)
	if err != nil || len(left) != 1 || left[0].Name() != "cifar10" {
		t.Errorf("in the data folder: %v (%v), want cifar10 alone", left, err)
	}
	set, err := data.Open(data.Options{Name: "auto"}, c.DataDir)
	if err != nil || set.Name != "cifar10" || set.Path != filepath.Join(c.DataDir, "cifar10") {
		t.Errorf("auto opens %+v (%v), want the download", set, err)
	}
	log.Reset()
	if err := get(context.Background(), c, o, list); err != nil || !strings.HasPrefix(log.String(), "cifar10 is here already: ") {
		t.Errorf("once more: %v\n%s", err, log.String())
	}
	// A kill between the download and the end of unpacking leaves the archive.
	path := filepath.Join(c.DataDir, list[0].File)
	if err := errors.Join(os.RemoveAll(filepath.Join(c.DataDir, "cifar10")), os.WriteFile(path, archive, 0o666)); err != nil {
		t.Fatal(err)
	}
	log.Reset()
	if err := get(context.Background(), c, o, list); err != nil || !strings.Contains(log.String(), "but not unpacked; the archive is kept\nunpacking ") {
		t.Errorf("after a kill: %v\n%s", err, log.String())
	}
	set, err = data.Open(data.Options{Name: "auto"}, c.DataDir)
	if err != nil || set.Path != filepath.Join(c.DataDir, "cifar10") {
		t.Errorf("after a kill, auto opens %+v (%v), want what was unpacked", set, err)
	}
}

func TestDataGetSaysWhatToDo(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("<html>Please log in to this network"))
	}))
	defer page.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(make([]byte, 1000))
	}))
	defer other.Close()
	list := []data.Download{{File: "cifar-10-binary.tar.gz", Size: 1000, SHA256: strings.Repeat("0", 64)}}
	for _, tt := range []struct {
		name, url string
		code      int
		want      []string
	}{
		{"a page in its place", page.URL + "/a.tar.gz", cli.ExitFailed,
			[]string{"could not be had", "want a file of 1000 bytes, the server has 35", "another address: --url URL"}},
		{"wrong bytes", other.URL + "/", cli.ExitCorrupt,
			[]string{"what came is not the file that was published", "attnconv data import FILE"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, log bytes.Buffer
			c := cli.NewConsole(nil, &out, &log, nil)
			c.DataDir = t.TempDir()
			err := get(context.Background(), c, getOptions{Name: "cifar10", URLs: []string{tt.url}}, list)
			if code := cli.ExitCode(context.Background(), err); code != tt.code {
				t.Errorf("exit code %d (%v), want %d", code, err, tt.code)
			}
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
		})
	}
}

// A data set that a program registers is among those that data get takes.
func TestRegisteredSetsCanBeNamed(t *testing.T) {
	sets := data.Kinds
	t.Cleanup(func() { data.Kinds = sets })
	data.Kinds = append(slices.Clone(sets), data.Kind{Name: "newest"})
	if !slices.Contains(downloadable(), "newest") {
		t.Error("data get does not know newest")
	}
}
