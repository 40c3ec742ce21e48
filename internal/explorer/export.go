package explorer

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/run"
)

// modules are the page's, each behind those that it imports.
var modules = []string{
	"math", "exact", "network", "draw", "api", "address", "data", "commands", "runs", "discs", "tiles", "epochs",
	"overview",
	"sources", "pins", "attention", "stage", "theorem", "whatif", "main",
}

var (
	imported = regexp.MustCompile(`(?m)^import \{([^}]*)\} from '\./(\w+)\.js';\n`)
	exports  = regexp.MustCompile(`(?m)^export (const|let|function|async function) ([\w$]+)`)
	more     = regexp.MustCompile(`(?m)^export `)
	sheets   = regexp.MustCompile(`<link rel="stylesheet" href="(\w+\.css)">\n`)
)

// bundle returns the page's modules as one script: a browser loads no modules from a file.
func bundle() string {
	var b strings.Builder
	for _, name := range modules {
		text := string(files()[name+".js"].plain)
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

// mostExported is the number of epochs whose operators an exported page has.
const mostExported = 40

// mostMaps is how many bytes of maps an exported page has, compressed. Base64 makes them a third longer.
const mostMaps = 7 << 20

// Export returns one run as a page in one file, which needs no server and no network.
func (s *Server) Export(ctx context.Context, e run.Entry) ([]byte, error) {
	d, err := s.Document(e)
	if err != nil {
		return nil, err
	}
	x := &export{ctx: ctx, s: s, d: d, inline: map[string]any{
		"run":     d,
		"runs":    List{V: 1, Version: attnconv.Built(), Runs: []Listed{}},
		"samples": map[string]any{"images": builtIn()},
	}}
	d.Kept = thinned(d.Kept, mostExported)
	switch {
	case len(d.Heads) > 0:
		x.epochs("epochs")
		x.weights()
	case len(d.Run.Heads) > 0:
		x.epochs("means")
		x.maps()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return page(x.inline)
}

// thinned returns at most n of the epochs, evenly, and the last one in any case.
func thinned(epochs []int, n int) []int {
	step, some := max(1, (len(epochs)+n-1)/n), []int{}
	for i := len(epochs) - 1; i >= 0; i -= step {
		some = append(some, epochs[i])
	}
	slices.Reverse(some)
	return some
}

// An export collects what a page in one file has inside. What the server cannot answer is left out: the page does
// without it, as it does without an answer.
type export struct {
	ctx    context.Context
	s      *Server
	d      *Document
	inline map[string]any
}

// ask returns the server's answer to a request of the page for the run.
func (x *export) ask(path string) (answer []byte, ok bool) {
	target := "http://localhost/api/v1/runs/" + url.PathEscape(x.d.Run.ID) + path
	w := httptest.NewRecorder()
	x.s.ServeHTTP(w, httptest.NewRequestWithContext(x.ctx, http.MethodGet, target, nil))
	return w.Body.Bytes(), w.Code == http.StatusOK
}

// epochs adds what the weights after each epoch say, as epochs or as means, and untrained networks.
func (x *export) epochs(kind string) {
	all := map[int]json.RawMessage{}
	for _, n := range append([]int{0}, x.d.Kept...) {
		if answer, ok := x.ask(fmt.Sprintf("/%s/%d", kind, n)); ok {
			all[n] = answer
		}
	}
	x.inline[kind] = all
	if answer, ok := x.ask("/untrained"); ok {
		x.inline["untrained"] = json.RawMessage(answer)
	}
}

// A mixed is an answer that is a line of JSON with bytes behind it.
type mixed struct {
	Head  json.RawMessage `json:"head"`
	Bytes []byte          `json:"bytes"`
}

// weights adds those of the best checkpoint. A network that is too large for a page has no What if.
func (x *export) weights() {
	if answer, ok := x.ask("/weights"); ok {
		line, bytes, _ := bytes.Cut(answer, []byte("\n"))
		x.inline["weights"] = mixed{line, bytes}
	}
}

// maps adds the attention on the images of the page, by image and part: first the weights of all images, then the
// parts of their scores, as far as there is room.
func (x *export) maps() {
	images := []string{}
	for _, im := range x.d.Images {
		images = append(images, strconv.Itoa(im.Index))
	}
	all, size := map[string]mixed{}, 0
	for _, part := range parts {
		for i, image := range images {
			answer, ok := x.ask("/attention/" + image + "?part=" + part)
			line, values, _ := bytes.Cut(answer, []byte("\n"))
			var d Maps
			if !ok || len(values) == 0 || json.Unmarshal(line, &d) != nil {
				continue
			}
			small := compressed(values, gzip.BestCompression)
			if size += len(small); size > mostMaps && i > 0 {
				x.inline["attention"] = all
				return
			}
			if !d.ByImage {
				all["*|"+part] = mixed{line, small}
				break
			}
			all[image+"|"+part] = mixed{line, small}
		}
	}
	x.inline["attention"] = all
}

// page puts script, style and data into the page. Its policy names them by their digests, and allows no request.
func page(inline map[string]any) ([]byte, error) {
	data, err := json.Marshal(inline) // escapes <, > and &
	if err != nil {
		return nil, err
	}
	index := string(files()["index.html"].plain)
	script, style := "\n"+bundle(), "\n"
	for _, link := range sheets.FindAllStringSubmatch(index, -1) {
		style += string(files()[link[1]].plain)
	}
	policy := fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; img-src data:; "+
		"base-uri 'none'; form-action 'none'", digest(script), digest(style))
	text := sheets.ReplaceAllString(index, "")
	for _, r := range [][2]string{
		{`<script type="module" src="main.js"></script>`, `<meta http-equiv="Content-Security-Policy" content="` +
			html.EscapeString(policy) + `">` + "\n<style>" + style + "</style>"},
		{"</body>", `<script type="application/json" id="data">` + string(data) + "</script>\n" +
			"<script>" + script + "</script>\n</body>"},
	} {
		text = strings.Replace(text, r[0], r[1], 1)
	}
	return []byte(text), nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
