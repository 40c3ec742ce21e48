package manual

import "testing"

func TestRoffKeepsTextAsItIs(t *testing.T) {
	for text, want := range map[string]string{
		"a-b":              `a\-b`,
		`\fB`:              `\efB`,
		".TH x\n'y\nz .TH": "\\&.TH x\n\\&'y\nz .TH",
	} {
		if got := roffLines(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
