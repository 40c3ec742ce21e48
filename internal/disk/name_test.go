package disk

import (
	"strings"
	"testing"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{"a", "000-lr-0.1-s0", "my run", "Größe", "a.b", "a-b_c", strings.Repeat("a", 200)} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", ".", "..", ".hidden", "-rf", "a/b", `a\b`, "/a", "a\nb", "a\rb", "a\tb", "a\x1bb",
		"a\x00", "a\xff",
		"a\u202eb", "a\u200bb", "a\u2028b", "a\u00a0b", strings.Repeat("a", 201)} {
		err := CheckName(name)
		if err == nil || strings.ContainsAny(err.Error(), "\n\r\x1b\u202e") {
			t.Errorf("%q: got %v, want an error on one line", name, err)
		}
	}
}
