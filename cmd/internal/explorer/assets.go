package explorer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed web
var web embed.FS

// kinds are the types of the page's files.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
}

// A file is a file of the page, ready to be sent.
type file struct {
	kind, tag      string
	plain, smaller []byte // smaller is gzip's
}

// files are the files of the page, by name.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	entries, err := web.ReadDir("web")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, e := range entries {
		b, err := web.ReadFile("web/" + e.Name())
		if err != nil {
			panic(err)
		}
		all[e.Name()] = file{kinds[path.Ext(e.Name())], tagOf(b), b, compressed(b, gzip.BestCompression)}
	}
	return all
})

// tagOf returns an ETag of bytes.
func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// compressed returns bytes as a gzip file, at one of gzip's levels.
func compressed(b []byte, level int) []byte {
	var small bytes.Buffer
	z, _ := gzip.NewWriterLevel(&small, level)
	z.Write(b)
	z.Close()
	return small.Bytes()
}

// asset answers with a file of the page.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	if name == "" {
		name = "index.html"
	}
	f, ok := files()[name]
	if !ok {
		return &refusal{http.StatusNotFound, "there is no " + name}
	}
	w.Header().Set("Content-Type", f.kind)
	w.Header().Set("ETag", f.tag)
	w.Header().Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	b := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		b = f.smaller
	}
	_, err := w.Write(b)
	return err
}
