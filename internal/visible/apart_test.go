package visible

import (
	"slices"
	"testing"
)

func TestApart(t *testing.T) {
	for _, tt := range []struct{ names, want []string }{
		{[]string{"cat", "dog"}, []string{"cat", "dog"}},
		{[]string{"Cat", "cat", "dog"}, []string{"Cat [0]", "cat [1]", "dog"}},
		{[]string{"cat", "cat ", "ca t"}, []string{"cat [0]", "cat [1]", "ca t"}},
		{[]string{"é", "e\u0301"}, []string{"é [0]", "e\u0301 [1]"}},
		{[]string{"a\x1bb", `a\u001bb`}, []string{`a\u001bb [0]`, `a\u001bb [1]`}},
		{[]string{"ﬁn", "fin", "two  words", "two words"}, []string{"ﬁn [0]", "fin [1]", "two  words [2]", "two words [3]"}},
		{nil, []string{}},
	} {
		if got := Apart(tt.names); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.names, got, tt.want)
		}
	}
}
