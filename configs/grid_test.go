package configs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGridTakesOutWhatHasSeveralValues(t *testing.T) {
	flag := func(name, key, text string) Flag { return Flag{"--" + name, key, text} }
	s := Sources{
		Files: []string{"my.yaml"},
		Flags: []Flag{flag("encoding", "model.encoding", "quadratic, learned"), flag("batch", "train.batch", "32"),
			flag("heads", "model.heads", "9,9,4"), flag("augment", "data.augment", "none")},
		Set: []string{"train.betas=[0.9,0.98],[0.9,0.999]", "train.lr = 0.1,0.2", "train.clip=1", "nonsense"},
	}
	fixed, axes, err := s.Grid()
	if err != nil {
		t.Fatal(err)
	}
	want := []Axis{{"model.encoding", "--encoding", []string{"quadratic", "learned"}, nil},
		{"train.betas", "", []string{"[0.9,0.98]", "[0.9,0.999]"}, nil}, {"train.lr", "", []string{"0.1", "0.2"}, nil}}
	if diff := cmp.Diff(want, axes); diff != "" {
		t.Error(diff)
	}
	rest := Sources{Files: s.Files, Flags: s.Flags[1:], Set: s.Set[2:]}
	if diff := cmp.Diff(rest, fixed); diff != "" {
		t.Error(diff)
	}
	one := Over(fixed, axes, []string{"learned", "[0.9,0.98]", "0.2"})
	wantFlags := append(slices.Clone(fixed.Flags), Flag{"--encoding", "model.encoding", "learned"})
	wantSet := append(slices.Clone(fixed.Set), "train.betas=[0.9,0.98]", "train.lr=0.2")
	if diff := cmp.Diff(Sources{Files: s.Files, Flags: wantFlags, Set: wantSet}, one); diff != "" {
		t.Error(diff)
	}
}

func TestGridRefuses(t *testing.T) {
	for _, tt := range []struct {
		s    Sources
		want string
	}{
		{Sources{Set: []string{"train.lr=0.1,,0.2"}},
			`--set train.lr "0.1,,0.2": want values with commas between them`},
		{Sources{Set: []string{"model.heads=[9],16"}}, `--set model.heads "[9],16": want lists in brackets`},
		{Sources{Flags: []Flag{{"--lr", "train.lr", "1,2"}}, Set: []string{"train.lr=3,4"}},
			`--set train.lr: has several values already`},
	} {
		if _, _, err := tt.s.Grid(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.s, err, tt.want)
		}
	}
}
