package explorer

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// Whatever a client asks for, it gets an answer, never an internal error.
func FuzzRequest(f *testing.F) {
	get(f, "/api/v1/runs/content") // runs and images are there before an input is timed
	for _, name := range []string{"quadratic", "content", "running", "half-weights", "no-config", "hostile"} {
		for _, target := range endpoints(name) {
			path, query, _ := strings.Cut(target, "?")
			f.Add("GET", path, query, "localhost:8910", "")
		}
	}
	for _, path := range []string{"/", "/page.js", "/../go.mod", "//", "/api/v1/runs//", "/api/v1/samples",
		"/api/v1/runs/\x00", "/%zz", "*"} {
		f.Add("HEAD", path, "epoch=1e9&part=\xff", "[::1]", "http://localhost")
	}
	f.Fuzz(func(t *testing.T, method, path, query, host, origin string) {
		if strings.HasSuffix(path, "/events") {
			return // a stream does not end
		}
		r := newRequest(http.MethodGet, nil)
		r.Method, r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.Host = method, path, "", query, host
		r.Header.Set("Origin", origin)
		if w := serve(r); w.Code >= 500 {
			t.Errorf("status %d, %s", w.Code, w.Body)
		}
	})
}

// Bytes that are sent as an image are an image, or are refused.
func FuzzUpload(f *testing.F) {
	get(f, "/api/v1/runs/quadratic")
	whole := picture(f, 9, 5)
	f.Add(whole)
	f.Add(whole[:40])
	f.Add(claiming(f, 1<<14, 1<<14))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	f.Add([]byte("BM"))
	f.Add([]byte("II*\x00\x08\x00\x00\x00"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8 "))
	f.Add([]byte("\xff\xd8\xff\xe0"))
	f.Fuzz(func(t *testing.T, body []byte) {
		switch status, reason, u := send("quadratic", bytes.NewReader(body)); {
		case status == http.StatusOK && len(u.Classes) == 0:
			t.Error("an image without classes")
		case status != http.StatusOK && (status >= 500 || reason == ""):
			t.Errorf("status %d, %q", status, reason)
		}
	})
}

// A stream begins at any offset, and its records are whole lines of JSON.
func FuzzFollow(f *testing.F) {
	server()
	f.Add([]byte(line(1)+line(2)), int64(0))
	f.Add([]byte(line(1)+"{\"a\":"), int64(3))
	f.Add([]byte("\n\n\x00{}\r\n\u2028"), int64(1<<40))
	f.Fuzz(func(t *testing.T, text []byte, at int64) {
		if at < 0 {
			return
		}
		dir := t.TempDir()
		put(dir, "metrics.jsonl", string(text))
		var out bytes.Buffer
		state := ""
		if _, err := server().follow(&out, entry(dir), &at, &state); err != nil {
			t.Fatal(err)
		}
		for event := range strings.SplitSeq(out.String(), "\n\n") {
			if lines := strings.Split(event, "\n"); event != "" && (len(lines) != 3 || strings.ContainsAny(event,
				"\r")) {
				t.Errorf("event %q", event)
			}
		}
		if at > int64(len(text)) {
			t.Errorf("at %d of %d", at, len(text))
		}
	})
}
