package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"https://host/a.tar.gz":            "https://host/a.tar.gz",
		"https://host/@a?b=c@d":            "https://host/@a?…",
		"https://host/a?token=secret":      "https://host/a?…",
		"https://a:secret@host/a?b=secret": "https://host/a?…",
		"https://host/%zz?secret":          "https://host/%zz?…",
		"https://user:secret@host:80/a":    "https://host:80/a",
		"https://secret@host/a":            "https://host/a",
		"https://user:p%40secret@host/a":   "https://host/a",
		"https://user:secret/no@host/a":    "https://…@host/a",
		"https://user:secret@host:port/a":  "https://…@host:port/a",
		"https://us er:secret@@host/a":     "https://…@host/a",
		"no address":                       "no address",
		"https://user:secret@host/%zz":     "https://…@host/%zz",
	} {
		if got := HideSecrets(in); got != want || strings.Contains(got, "secret") {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// The password or token of an address, or of a proxy, is in no message, state or error. The server gets it.
func TestPasswordsAreNotShown(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, asked, _ = r.BasicAuth()
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "http://host.invalid/a?signature=secret", http.StatusFound)
			return
		}
		http.Error(w, "no", http.StatusNotFound)
	}))
	defer server.Close()
	with := func(address string) string { return strings.Replace(address, "://", "://user:secret@", 1) }
	closed := httptest.NewServer(nil)
	closed.Close()
	badProxy := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
		// as http.ProxyFromEnvironment words it
		return nil, errors.New(`invalid proxy address "ht!tp://user:secret@host:1/"`)
	}}}
	for name, tt := range map[string]struct {
		address string
		client  *http.Client
	}{
		"refused":       {with(server.URL) + "/a", nil},
		"not there":     {with(closed.URL) + "/a", nil},
		"no such host":  {"http://user:secret@host.invalid/a", nil},
		"no address":    {"http://user:secret@host:x/a", nil},
		"token":         {with(server.URL) + "/a?token=secret", nil},
		"token, closed": {closed.URL + "/a?token=secret", nil},
		"moved":         {with(server.URL) + "/moved?token=secret", nil},
		"another proxy": {"http://host.invalid/a", badProxy},
	} {
		var all []string
		f := File{URLs: []string{tt.address}, Path: filepath.Join(t.TempDir(), "a"), Size: 3,
			SHA256: strings.Repeat("0", 64)}
		err := Get(context.Background(), f, Options{Client: tt.client, Pause: time.Millisecond, Rounds: 1,
			Say:     func(text string) { all = append(all, text) },
			Observe: func(s State) { all = append(all, s.URL) }})
		if err == nil {
			t.Fatalf("%s: it worked", name)
		}
		if text := strings.Join(append(all, err.Error()), "\n"); strings.Contains(text, "secret") ||
			strings.Contains(text, "user") {
			t.Errorf("%s: a password is shown:\n%s", name, text)
		}
	}
	if asked != "secret" {
		t.Errorf("the server was given the password %q", asked)
	}
}

// A proxy variable that cannot be parsed is an error: without the proxy, the connection may be one that nobody has
// asked for.
func TestProxyThatCannotBeParsed(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = true }))
	defer server.Close()
	f := File{URLs: []string{server.URL}, Path: filepath.Join(t.TempDir(), "a"), Size: 3,
		SHA256: strings.Repeat("0", 64)}
	for proxy, wrong := range map[string]bool{
		"ht!tp://user:secret@host:1/": true, "http://host:port": true, "http://": true, ":8080": true,
		"host:8080": false, "http://user:p%40ss@host": false, "socks5://[::1]:1080": false, "": false,
	} {
		t.Setenv("HTTP_PROXY", proxy)
		err := checkProxies(f.URLs)
		if (err != nil) != wrong || err != nil && (!strings.Contains(err.Error(), "HTTP_PROXY: ") ||
			strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v, want an error: %v", proxy, err, wrong)
		}
	}
	t.Setenv("HTTP_PROXY", "http://host:port")
	var unreachable *UnreachableError
	if err := Get(t.Context(), f, Options{}); !errors.As(err, &unreachable) || asked {
		t.Errorf("%v, and the server was asked: %v", err, asked)
	}
}
