package cmd

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/attnconv/attnconv/model/ckpt"
)

// evil sets the window title, moves up a line, reverses the writing direction, and ends in invalid UTF-8.
const evil = "\x1b]0;evil\x07\x1b[1A\u009b2J\u202eabc\xff"

// hostile puts evil into every kind of file that others may have made, and returns the commands that show it.
func hostile(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	file := func(name string, b []byte) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), b, 0o666); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	yaml := strconv.QuoteToASCII(evil)
	checkpoint := func(name string, meta map[string]string, tensor string) string {
		w := ckpt.Tensor{Name: strings.ToValidUTF8(tensor, "?"), Shape: []int{1}, Data: []float32{1}}
		for k, v := range meta {
			meta[k] = strings.ToValidUTF8(v, "?")
		}
		if err := ckpt.Write(at(name), &ckpt.File{Meta: meta, Tensors: []ckpt.Tensor{w}}); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: evil + "/data_batch_1.bin", Typeflag: tar.TypeSymlink,
		Linkname: "x"}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	file("runs/20261120-000000-quadratic-shapes32-s0-k001/run.json", fmt.Appendf(nil, `{"format":1,"id":"k001",
		"state":"done","preset":%s,"name":%[1]s,"model":%[1]s,"note":%[1]s,"notes":%[1]s,"tags":[%[1]s],"host":%[1]s,"host_name":%[1]s,
		"warnings":[%[1]s],"failure":%[1]s,"error":%[1]s,"started":"2026-11-20T10:00:00Z"}`, quoted))
	file("runs/20261120-000000-quadratic-shapes32-s0-k001/config.yaml", []byte("data: {name: "+yaml+"}\n"))
	preset := "attnconv.config"
	runs := []string{"--runs", at("runs")}
	return map[string][]string{
		"file name":        {"eval", at(evil)},
		"archive":          {"data", "import", file("a.tar", archive.Bytes())},
		"config":           {"config", "validate", file("c.yaml", []byte("model: {kind: "+yaml+"}\n"))},
		"config key":       {"config", "validate", file("k.yaml", []byte("? "+yaml+"\n: 1\n"))},
		"config file name": {"config", "validate", at(evil + ".yaml")},
		"import kind": {"import", checkpoint("k.ckpt", map[string]string{preset: "model: {kind: " + yaml + "}"},
			"w")},
		"import tensor": {"import", checkpoint("t.ckpt",
			map[string]string{preset: "model: {kind: mhsa, layers: 1, dim: 4, heads: 1, ffn: 4}"}, "model."+evil),
			"-v"},
		"inspect": {"inspect", checkpoint("v.ckpt",
			map[string]string{"attnconv.format": "9", "attnconv.version": evil, preset: "x"}, "w")},
		"runs ls":            append([]string{"runs", "ls"}, runs...),
		"runs ls json":       append([]string{"runs", "ls", "--json"}, runs...),
		"runs ls csv":        append([]string{"runs", "ls", "--format", "csv"}, runs...),
		"runs show":          append([]string{"runs", "show", "k001"}, runs...),
		"runs show json":     append([]string{"runs", "show", "k001", "--json"}, runs...),
		"command":            {evil},
		"flag":               {"train", "--" + evil},
		"error in json":      {"eval", at(evil), "--json"},
		"status of a server": {"data", "get", "cifar10", "--url", badServer(t), "--data-dir", at("data")},
	}
}

// badServer starts a server that answers with evil in its status line, and returns its address.
func badServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			http.ReadRequest(bufio.NewReader(c))
			fmt.Fprintf(c, "HTTP/1.1 404 %s\r\nContent-Length: 0\r\n\r\n", evil)
			c.Close()
		}
	}()
	return "http://" + l.Addr().String() + "/a.tar.gz"
}

// Control characters in untrusted text are escaped, however the text comes in.
func TestUntrustedTextReachesTheTerminalAsEscapes(t *testing.T) {
	for name, args := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			for _, color := range []string{"never", "always"} {
				var out, log bytes.Buffer
				Main(context.Background(), append(args, "--color", color), nil, &out, &log)
				text := out.String() + log.String()
				for _, own := range []string{"\x1b[1;31m", "\x1b[1;33m", "\x1b[0m"} {
					text = strings.ReplaceAll(text, own, "")
				}
				control := func(r rune) bool {
					return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
				}
				if strings.ContainsFunc(text, control) || !utf8.ValidString(text) {
					t.Errorf("%q is not harmless", text)
				}
				if !strings.Contains(text, `\u001b[1A`) && !strings.Contains(text, `\x1b[1A`) {
					t.Errorf("want the escapes to be seen:\n%s", text)
				}
			}
		})
	}
}

// Untrusted text with a line break does not forge a line of output.
func TestUntrustedTextStaysOnItsLine(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "20261120-000000-quadratic-shapes32-s0-k001")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	forged := `"x\nerror: forged\ny"`
	status := fmt.Sprintf(`{"format":1,"id":"k001","state":"done","preset":%s,"label":%[1]s,"data":%[1]s,"tags":[%[1]s],"started":"2026-11-20T10:00:00Z"}`, forged)
	for name, text := range map[string]string{"run.json": status, "config.yaml": "data: {name: shapes32}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"runs", "ls"}, {"runs", "ls", "--format", "md"}, {"runs", "show", "k001"}} {
		var out, log bytes.Buffer
		Main(context.Background(), append(args, "--runs", root), nil, &out, &log)
		if text := out.String() + log.String(); strings.Contains(text, "\nerror: forged") ||
			!strings.Contains(text, "k001") {
			t.Errorf("%v:\n%s", args, text)
		}
	}
}
