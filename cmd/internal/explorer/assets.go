package explorer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"regexp"
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

// source returns a file of the folder web.
func source(name string) string {
	b, err := web.ReadFile("web/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}

// files are the files of the page, by name: all scripts in one, and all style sheets in one, so that a browser asks for
// three files and not, one import after another, for fifty.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	for name, text := range map[string]string{
		"index.html": pageWith(`<link rel="stylesheet" href="page.css">` + "\n" +
			`<script type="module" src="page.js"></script>`),
		"page.css": styles(),
		"page.js":  bundle(),
	} {
		b := []byte(text)
		all[name] = file{kinds[path.Ext(name)], tagOf(b), b, compressed(b, gzip.DefaultCompression)}
	}
	return all
})

var (
	imported = regexp.MustCompile(`(?m)^import \{([^}]*)\} from '\./(\w+)\.js';\n`)
	exports  = regexp.MustCompile(`(?m)^export (const|let|class|function|async function) ([\w$]+)`)
	more     = regexp.MustCompile(`(?m)^export `)
	sheets   = regexp.MustCompile(`<link rel="stylesheet" href="(\w+\.css)">\n`)
)

// pageWith returns the page with other elements instead of those that name its style sheets and its script.
func pageWith(head string) string {
	return strings.Replace(sheets.ReplaceAllString(source("index.html"), ""),
		`<script type="module" src="main.js"></script>`, head, 1)
}

// styles returns the style sheets, in the order of the page.
func styles() (all string) {
	for _, link := range sheets.FindAllStringSubmatch(source("index.html"), -1) {
		all += source(link[1])
	}
	return all
}

// modules are the page's, each behind those that it imports.
var modules = []string{
	"math", "exact", "network", "draw", "api", "address", "embed", "data", "commands", "pen", "picture", "comparison",
	"curves", "runs", "discs", "tiles", "epochs", "training", "overview", "analysis", "sources", "pins", "attention",
	"compare", "stage", "theorem", "whatif", "lessons", "own", "flow", "tour", "main",
}

// bundle returns the page's modules as one script.
func bundle() string {
	var b strings.Builder
	for _, name := range modules {
		text := source(name + ".js")
		var names []string
		for _, m := range exports.FindAllStringSubmatch(text, -1) {
			names = append(names, m[2])
		}
		text = imported.ReplaceAllString(text, "const {$1} = module_$2;\n")
		text = more.ReplaceAllString(text, "")
		fmt.Fprintf(&b, "const module_%s = (() => {\n%s\nreturn { %s };\n})();\n", name, text, strings.Join(names,
			", "))
	}
	return b.String()
}

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
