package option

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"quadratic", "quadratic-general", "learned", "content", "lr"}
	for got, want := range map[string]string{
		"quad": "quadratic", "qaudratic": "quadratic", "Learned": "learned", "quadratic-genral": "quadratic-general",
		"rl": "lr", "zebra": "", "": "", "x": "",
	} {
		if near := Nearest(got, known); near != want {
			t.Errorf("Nearest(%q) = %q, want %q", got, near, want)
		}
	}
}

func TestError(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{Errorf("train.lr", "%v: want less", 3), "train.lr 3: want less"},
		{Choice("model.kind", "mhs", []string{"mhsa", "resnet18"}),
			"model.kind \"mhs\": not one of mhsa, resnet18\n  did you mean \"mhsa\"?"},
		{Choice("model.kind", "tree", []string{"mhsa"}), `model.kind "tree": not one of mhsa`},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
