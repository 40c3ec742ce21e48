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
		"https://host/a.tar.gz":           "https://host/a.tar.gz",
		"https://host/@a?b=c@d":           "https://host/@a?b=c@d",
		"https://user:secret@host:80/a":   "https://host:80/a",
		"https://secret@host/a":           "https://host/a",
		"https://user:p%40secret@host/a":  "https://host/a",
		"https://user:secret/no@host/a":   "https://…@host/a",
		"https://user:secret@host:port/a": "https://…@host:port/a",
		"https://us er:secret@@host/a":    "https://…@host/a",
		"no address":                      "no address",
		"https://user:secret@host/%zz":    "https://…@host/%zz",
	} {
		if got := Shown(in); got != want || strings.Contains(got, "secret") {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// The password of an address, or of a proxy, is in no message, state or error. The server gets it.
func TestPasswordsAreNotShown(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, asked, _ = r.BasicAuth()
		http.Error(w, "no", http.StatusNotFound)
	}))
	defer server.Close()
	with := func(address string) string { return strings.Replace(address, "://", "://user:secret@", 1) }
	closed := httptest.NewServer(nil)
	closed.Close()
	badProxy := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
		return nil, errors.New(`invalid proxy address "ht!tp://user:secret@host:1/"`) // as http.ProxyFromEnvironment words it
	}}}
	for name, tt := range map[string]struct {
		address string
		client  *http.Client
	}{
		"refused":       {with(server.URL) + "/a", nil},
		"not there":     {with(closed.URL) + "/a", nil},
		"no such host":  {"http://user:secret@host.invalid/a", nil},
		"no address":    {"http://user:secret@host:x/a", nil},
		"another proxy": {"http://host.invalid/a", badProxy},
	} {
		var all []string
		f := File{URLs: []string{tt.address}, Path: filepath.Join(t.TempDir(), "a"), Size: 3, SHA256: strings.Repeat("0", 64)}
		err := Get(context.Background(), f, Options{Client: tt.client, Pause: time.Millisecond, Rounds: 1,
			Say:     func(text string) { all = append(all, text) },
			Observe: func(s State) { all = append(all, s.URL) }})
		if err == nil {
			t.Fatalf("%s: it worked", name)
		}
		if text := strings.Join(append(all, err.Error()), "\n"); strings.Contains(text, "secret") || strings.Contains(text, "user") {
			t.Errorf("%s: a password is shown:\n%s", name, text)
		}
	}
	if asked != "secret" {
		t.Errorf("the server was given the password %q", asked)
	}
}
