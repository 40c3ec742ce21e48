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
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/run"
)

// mostExported is the number of epochs whose operators an exported page has.
const mostExported = 40

// mostMaps is how many bytes of maps an exported page has, compressed. Base64 makes them a third longer.
const mostMaps = 7 << 20

// mostForeign is the same for a network of another program: one picture of a ViT-B/16 has 3 to 5 MB.
const mostForeign = 21 << 20

// ExportOptions say what a page in one file has. The zero value is the views of runs, of any size.
type ExportOptions struct {
	Report string // HTML that the view Report shows, first of all; "": no such view
	Most   int    // bytes of the page; what does not fit is left out of the views; 0: any number

	Tell func(stage string) // hears what is done next; may be nil
}

// Export returns runs, by default those of Options.Only, as a page in one file, which needs no server and no network. A
// run that does not fit is left out.
func (s *Server) Export(ctx context.Context, o ExportOptions, entries ...run.Entry) ([]byte, error) {
	if len(entries) == 0 {
		for _, path := range s.o.Only {
			entries = append(entries, run.At(path))
		}
	}
	if f := s.o.Foreign; f != nil {
		if err := f.onPage(); err != nil {
			return nil, err
		}
		entries = []run.Entry{{}}
	}
	of, list := map[string]any{}, List{V: 1, Version: attnconv.Built(), Runs: []Listed{}}
	inline := map[string]any{"runs": &list, "of": of, "order": []string{},
		"samples": map[string]any{"images": builtIn()}}
	empty, err := page(inline, o.Report)
	if err != nil {
		return nil, err
	}
	room := math.MaxInt
	if o.Most > 0 {
		room = o.Most - len(empty)
	}
	if len(entries) > 1 {
		if list, err = s.List(); err != nil {
			return nil, err
		}
		if each, err := listing.CompareEach(entries); err == nil {
			inline["compared"] = each
		}
		room -= sizeOf(list) + sizeOf(inline["compared"])
	}
	var order []string
	for i, e := range entries {
		if o.Tell != nil {
			o.Tell(fmt.Sprintf("views of run %d of %d", i+1, len(entries)))
		}
		x := &export{ctx: ctx, s: s, room: &room, inline: map[string]any{}}
		if err := x.read(e); err != nil {
			return nil, err
		}
		d := x.d
		if _, twice := of[d.Run.ID]; !twice && x.all() {
			of[d.Run.ID], order = x.inline, append(order, d.Run.ID)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if s.o.Foreign != nil && len(order) == 0 {
		return nil, fault.Errorf(fault.Usage, "the attention on a picture is too large for a page in one file")
	}
	inline["order"] = order
	list.Runs = slices.DeleteFunc(list.Runs, func(l Listed) bool { return !slices.Contains(order, l.ID) })
	return page(inline, o.Report)
}

// thinned returns at most n of the epochs, evenly, and the last one in any case.
func thinned[T any](epochs []T, n int) []T {
	step, some := max(1, (len(epochs)+n-1)/n), []T{}
	for i := len(epochs) - 1; i >= 0; i -= step {
		some = append(some, epochs[i])
	}
	slices.Reverse(some)
	return some
}

// An export collects what a page in one file has of a run. What the server cannot answer is left out: the page does
// without it, as it does without an answer.
type export struct {
	ctx    context.Context
	s      *Server
	d      *Document
	sample *Sample
	room   *int // bytes that are left
	inline map[string]any
}

// read reads the run.
func (x *export) read(e run.Entry) (err error) {
	if f := x.s.o.Foreign; f != nil {
		x.d, x.sample = f.document(), f.sample()
		return nil
	}
	if x.d, err = x.s.Document(e); err != nil {
		return err
	}
	x.sample, err = x.s.Sample(e)
	return err
}

// all adds what there is of the run and fits, and reports whether its document did.
func (x *export) all() bool {
	d := x.d
	d.Kept = thinned(d.Kept, mostExported)
	if d.Run.Foreign {
		x.epochs("means")
		x.maps() // as many pictures as fit
		x.sample.Images = slices.DeleteFunc(x.sample.Images, func(im Image) bool {
			_, there := x.inline["attention"].(map[string]mixed)[strconv.Itoa(im.Index)+"|"+parts[0]]
			return !there
		})
		return len(x.sample.Images) > 0 && x.put("run", d) && x.put("images", x.sample)
	}
	for n := len(d.Heads); n > 1 && sizeOf(d) > *x.room/2; n /= 2 {
		d.Heads = thinned(d.Heads, n)
	}
	if !x.put("run", d) {
		return false
	}
	if !x.put("images", x.sample) {
		x.sample.Images = []Image{}
		x.put("images", x.sample)
	}
	var of Measured
	if answer, ok := x.ask("/analysis"); ok && json.Unmarshal(answer, &of) == nil && of.Analysis != nil {
		x.put("analysis", json.RawMessage(answer))
	}
	switch {
	case len(d.Heads) > 0:
		x.epochs("epochs")
		x.weights()
	case len(d.Run.Heads) > 0:
		x.epochs("means")
		x.maps()
	}
	return true
}

// put adds a value if it fits, and reports whether it does.
func (x *export) put(key string, value any) bool {
	size := sizeOf(value)
	if size > *x.room {
		return false
	}
	*x.room -= size
	x.inline[key] = value
	return true
}

// sizeOf is the number of bytes of a value as JSON.
func sizeOf(value any) int {
	b, _ := json.Marshal(value) // page tells of its error
	return len(b)
}

// ask returns the server's answer to a request of the page for the run.
func (x *export) ask(path string) (answer []byte, ok bool) {
	target := "http://localhost/api/v1/runs/" + url.PathEscape(x.d.Run.ID) + path
	w := httptest.NewRecorder()
	x.s.ServeHTTP(w, httptest.NewRequestWithContext(x.ctx, http.MethodGet, target, nil))
	return w.Body.Bytes(), w.Code == http.StatusOK
}

// epochs adds what the weights after epochs say, as epochs or as means, of as many epochs as fit, and untrained
// networks.
func (x *export) epochs(kind string) {
	answers := map[int]json.RawMessage{}
	for _, n := range append([]int{0}, x.d.Kept...) {
		if answer, ok := x.ask(fmt.Sprintf("/%s/%d", kind, n)); ok {
			answers[n] = answer
		}
	}
	for most := len(x.d.Kept); ; most /= 2 {
		x.d.Kept = thinned(x.d.Kept, max(1, most))
		some := map[int]json.RawMessage{}
		for _, n := range append([]int{0}, x.d.Kept...) {
			if answers[n] != nil {
				some[n] = answers[n]
			}
		}
		if x.put(kind, some) || most <= 1 {
			break
		}
	}
	if answer, ok := x.ask("/untrained"); ok {
		x.put("untrained", json.RawMessage(answer))
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
		x.put("weights", mixed{line, bytes})
	}
}

// maps adds the attention on the images of the page, by image and part: first the weights of all images, then the
// parts of their scores, as far as there is room.
func (x *export) maps() {
	images := []string{}
	for _, im := range x.sample.Images {
		images = append(images, strconv.Itoa(im.Index))
	}
	all, size, most := map[string]mixed{}, 0, mostMaps
	if x.d.Run.Foreign {
		most = mostForeign
	}
	most = min(most, *x.room/4*3-1000)
	defer func() { x.put("attention", all) }()
	for _, part := range parts {
		for _, image := range images {
			answer, ok := x.ask("/attention/" + image + "?part=" + part)
			line, values, _ := bytes.Cut(answer, []byte("\n"))
			var d Maps
			if !ok || len(values) == 0 || json.Unmarshal(line, &d) != nil {
				continue
			}
			small := compressed(values, gzip.BestCompression)
			if size += len(small) + len(line); size > most {
				return
			}
			if !d.ByImage {
				all["*|"+part] = mixed{line, small}
				break
			}
			all[image+"|"+part] = mixed{line, small}
		}
	}
}

// page puts script, style and data into the page. Its policy names them by their digests, and allows no request.
func page(inline map[string]any, report string) ([]byte, error) {
	data, err := json.Marshal(inline) // escapes <, > and &
	if err != nil {
		return nil, err
	}
	script, style := "\n"+bundle(), "\n"+styles()
	policy := fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; img-src data:; "+
		"base-uri 'none'; form-action 'none'", digest(script), digest(style))
	text := pageWith(`<meta http-equiv="Content-Security-Policy" content="` + html.EscapeString(policy) + `">` +
		"\n<style>" + style + "</style>")
	replaced := [][2]string{
		{"</body>", `<script type="application/json" id="data">` + string(data) + "</script>\n" +
			"<script>" + script + "</script>\n</body>"},
	}
	if report != "" {
		replaced = append(replaced, [2]string{` hidden></section>`, ">\n" + report + "</section>"})
	}
	for _, r := range replaced {
		text = strings.Replace(text, r[0], r[1], 1)
	}
	return []byte(text), nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
