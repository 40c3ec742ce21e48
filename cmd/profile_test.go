package cmd

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestLoopbackAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"localhost:6060": "127.0.0.1:6060", "127.0.0.1:0": "127.0.0.1:0", "127.9.9.9:80": "127.9.9.9:80", "[::1]:6060": "[::1]:6060",
		":6060": "", "0.0.0.0:6060": "", "[::]:6060": "", "192.168.0.1:6060": "", "example.org:80": "", "localhost": "", "6060": "",
		"localhost:70000": "", "localhost:no-port": "", "": "",
	} {
		var got string
		err := loopback{&got}.Set(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
}

func TestProfilesAreServedWhileTheCommandRuns(t *testing.T) {
	var said bytes.Buffer
	c := newConsole(strings.NewReader(""), io.Discard, &said, nil)
	var url string
	get := func() (string, error) {
		answer, err := http.Get(url)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		return string(b), err
	}
	err := profiles{Live: "127.0.0.1:0"}.around(c, func() error {
		url = regexp.MustCompile(`http://127\.0\.0\.1:\d+/debug/pprof/`).FindString(said.String())
		page, err := get()
		if !strings.Contains(page, "goroutine") {
			t.Errorf("%s answers %q; said %q", url, page, said.String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := get(); err == nil {
		t.Errorf("%s answers after the command's end", url)
	}
}
