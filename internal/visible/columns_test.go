package visible

import "testing"

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "größe": 5, "日本": 4, "ﾊﾞﾗ": 3, "Ａ1": 3, "한글": 4, "e\u0301": 1, "🌸": 2, "–·±": 3, "a\u200db": 2,
	} {
		if got := Columns(s); got != want {
			t.Errorf("%q takes %d columns, not %d", s, want, got)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s    string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"日本語", 5, "日本"}, {"日本語", 6, "日本語"}, {"e\u0301x", 1, "e\u0301"},
		{"日", 1, ""}} {
		if got := Clip(c.s, c.most); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.s, c.most, got, c.want)
		}
	}
}
