package visible

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain, 9 × 9 · é 漢 👍":           "plain, 9 × 9 · é 漢 👍",
		"a\tb\nc":                        "a\tb\nc",
		"\x1b[31mred\x1b[0m":             `\u001b[31mred\u001b[0m`,
		"\x1b]0;title\x07":               `\u001b]0;title\u0007`,
		"over\rwritten\b\x00\x7f":        `over\u000dwritten\u0008\u0000\u007f`,
		"C1 \u009b31m \u0085":            `C1 \u009b31m \u0085`,
		"bare C1 \x9b31m":                `bare C1 \x9b31m`,
		"cut \xe2\x82":                   `cut \xe2\x82`,
		"a\u202ecba\u2066x\u2069\u200f":  `a\u202ecba\u2066x\u2069\u200f`,
		"lines\u2028and\u2029paragraphs": `lines\u2028and\u2029paragraphs`,
		"hidden\u200b\ufeff\u00ad":       `hidden\u200b\ufeff\u00ad`,
		"tag \U000e0041":                 `tag \udb40\udc41`,
		"joined می\u200cخواهم":           "joined می\u200cخواهم",
		"\ufffd stays":                   "\ufffd stays",
		"":                               "",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got, want := Word("a\tb\nerror: c"), `a\u0009b\u000aerror: c`; got != want {
		t.Errorf("a word: got %q, want %q", got, want)
	}
}

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	in := "é 漢 👍 \x1b[2J\xff end\n"
	for _, b := range []byte(in) { // byte by byte: every character is cut
		if n, err := w.Write([]byte{b}); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if got, want := out.String(), "é 漢 👍 \\u001b[2J\\xff end\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	io.WriteString(w, "\xe2\x82")
	Control(w, "\x1b[K")
	io.WriteString(w, "x")
	Underlying(w).Write([]byte{0xff, 0x1b})
	if got, want := out.String(), "\\xe2\\x82\x1b[Kx\xff\x1b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	Control(&out, "\x1b[K")
	if out.String() != "\x1b[K" || Underlying(&out) != io.Writer(&out) {
		t.Errorf("got %q of another writer", out.String())
	}
	if _, err := NewWriter(failing{}).Write([]byte("x")); err == nil {
		t.Error("an error of the writer below is lost")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, iotest.ErrTimeout }

// A Writer changes the bytes of encoded JSON, but not what they decode to.
func TestJSONStaysTheSame(t *testing.T) {
	const in = "a\x1b\u009b\u202e\U000e0041\x7f\n\"\\"
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	NewWriter(&out).Write(b)
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != in {
		t.Errorf("%s came back as %q, %v: want %q", out.Bytes(), back, err, in)
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31m", "x\u009b")
	f.Add("\xf0\x9f", "\x91\x8d")
	f.Fuzz(func(t *testing.T, a, b string) {
		var out bytes.Buffer
		w := NewWriter(&out)
		io.WriteString(w, a)
		io.WriteString(w, b)
		Control(w, "")
		got := out.String()
		if want := Text(a + b); got != want {
			t.Errorf("in two writes %q, in one %q", got, want)
		}
		if !utf8.ValidString(got) || Text(got) != got {
			t.Errorf("%q is not harmless", got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' &&
				r != '\t'
		}); i >= 0 {
			t.Errorf("%q has a control character at %d", got, i)
		}
	})
}
