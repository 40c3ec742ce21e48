package train

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/term"
)

func TestLoopbackAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"localhost:6060": "127.0.0.1:6060", "127.0.0.1:0": "127.0.0.1:0", "127.9.9.9:80": "127.9.9.9:80",
		"[::1]:6060": "[::1]:6060",
		":6060":      "", "0.0.0.0:6060": "", "[::]:6060": "", "192.168.0.1:6060": "", "example.org:80": "",
		"localhost":       "",
		"6060":            "",
		"localhost:70000": "", "localhost:no-port": "", "": "",
	} {
		got, err := loopback(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
}

// statusAs requests a page with the given Host header.
func statusAs(t *testing.T, address, host string) int {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /debug/pprof/cmdline HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// A connection that never sends a whole request is closed, so that many of them do not use up the files of the
// training.
func TestSilentConnectionsAreClosed(t *testing.T) {
	defer func(usual time.Duration) { headerTime = usual }(headerTime)
	headerTime = 100 * time.Millisecond
	var said bytes.Buffer
	err := profiles{Live: "127.0.0.1:0"}.around(term.NewConsole(strings.NewReader(""), io.Discard, &said, nil),
		func() error {
			c, err := net.Dial("tcp", regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(said.String()))
			if err != nil {
				return err
			}
			defer c.Close()
			fmt.Fprint(c, "GET / HTTP/1.1\r\n")
			c.SetReadDeadline(time.Now().Add(time.Minute))
			_, err = io.ReadAll(c)
			return err
		})
	if err != nil {
		t.Errorf("the connection is still open: %v", err)
	}
}

func TestProfilesAreServedWhileTheCommandRuns(t *testing.T) {
	var said bytes.Buffer
	c := term.NewConsole(strings.NewReader(""), io.Discard, &said, nil)
	var page string
	get := func() (string, error) {
		answer, err := http.Get(page)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		return string(b), err
	}
	err := profiles{Live: "127.0.0.1:0"}.around(c, func() error {
		page = regexp.MustCompile(`http://127\.0\.0\.1:\d+/debug/pprof/`).FindString(said.String())
		for host, want := range map[string]int{"evil.example": 403, "evil.example:80": 403, "192.168.0.1": 403, "": 403,
			"localhost.evil.example": 403, "localhost": 200, "LOCALHOST:6060": 200, "127.0.0.1:6060": 200, "[::1]": 200,
			"[::1]:80": 200} {
			if got := statusAs(t, page, host); got != want {
				t.Errorf("asked as %q: status %d, want %d", host, got, want)
			}
		}
		body, err := get()
		if !strings.Contains(body, "goroutine") {
			t.Errorf("%s answers %q; said %q", page, body, said.String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := get(); err == nil {
		t.Errorf("%s answers after the command's end", page)
	}
}
