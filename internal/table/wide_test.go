package table

import "testing"

// Columns behind a wide character stand where a terminal puts them: 日本 is two characters and four columns.
func TestWideCharacters(t *testing.T) {
	w := Table{Columns: []Column{{Head: "name"}, {Head: "acc", Right: true}, {Head: "what"}}}
	w.Add(Words("日本の花"), Words("9"), Words("a"))
	w.Add(Words("größe"), Words("12"), Words("b"))
	want := "name      acc  what\n日本の花    9  a\ngröße      12  b\n"
	if got := w.Text(0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var r Right
	r.Add("class", "n")
	r.Add("バラ", "3")
	r.Add("さくら", "12")
	if got, want := r.String(), "   class   n\n    バラ   3\n  さくら  12\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := Cut("日本の花", 6), "日本…"; got != want {
		t.Errorf("cut to 6 columns: %q, want %q", got, want)
	}
}
