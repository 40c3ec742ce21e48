package own

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/option"
)

type window struct {
	Side  int       `yaml:"side" help:"of the window"`
	Edge  string    `yaml:"edge" choice:"hard,soft"`
	Sizes []int     `yaml:"sizes"`
	Box   [2]uint64 `yaml:"box"`
}

func (w *window) Validate() error {
	switch {
	case w.Side == 13:
		return errors.New("thirteen")
	case w.Side < 1:
		return option.Errorf("side", "%d: want 1 or more", w.Side)
	}
	return nil
}

func group(options any) Group { return Group{What: "encoding", Name: "my-window", Options: options} }

func TestCheckRefuses(t *testing.T) {
	good := func() *window { return &window{Side: 3, Edge: "hard"} }
	if err := group(good()).Check([]string{"other"}, []string{"my_window", "side"}); err != nil {
		t.Fatal(err)
	}
	if err := (Group{What: "loss", Name: "a2"}).Check(nil, nil); err != nil {
		t.Errorf("a kind without options: %v", err)
	}
	var none *window
	for want, g := range map[string]Group{
		"want a name of up to 32 small letters": {What: "loss", Name: "My_Loss"},
		`encoding "": want a name`:              {What: "encoding"},
		"want a name of up to 32":               {What: "loss", Name: strings.Repeat("a", 33)},
		"the name is taken; there are taken":    {What: "loss", Name: "taken"},
		"got own.window":                        group(*good()),
		"got *own.window":                       group(none),
		"got *int":                              group(new(int)),
		"option edge: want exported fields": group(&struct {
			edge int `yaml:"edge"`
		}{}),
		"option window: want exported fields":         group(&struct{ window }{}),
		`option Edge: want a tag such as yaml:"side"`: group(&struct{ Edge int }{}),
		`got "Edge"`: group(&struct {
			Edge int `yaml:"Edge"`
		}{}),
		"option Edge: float32: want a string, bool": group(&struct {
			Edge float32 `yaml:"edge"`
		}{}),
		"option Edge: [][]int: want": group(&struct {
			Edge [][]int `yaml:"edge"`
		}{}),
		"option Edge: int: a choice is a string": group(&struct {
			Edge int `yaml:"edge" choice:"1,2"`
		}{}),
		`its default "" is not one of hard,soft`: group(&window{Side: 3}),
		"the key my_window_edge is taken": group(&struct {
			Side int `yaml:"edge"`
			Edge int `yaml:"edge"`
		}{}),
		"the key my_window_depth is taken": group(&struct {
			Depth int `yaml:"depth"`
		}{}),
		"its default options are refused: side 0: want 1 or more": group(&window{Edge: "hard"}),
	} {
		if err := g.Check([]string{"taken"}, []string{"my_window_depth"}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("Check: %v, want %q", err, want)
		}
	}
}

func TestReadTakesValuesOverDefaults(t *testing.T) {
	defaults := &window{Side: 3, Edge: "hard", Sizes: []int{1}}
	g := group(defaults)
	got := g.Read(map[string]any{"my_window_side": 5, "my_window_box": [2]uint64{1, 2}, "other": 7}).(*window)
	if want := (&window{Side: 5, Edge: "hard", Sizes: []int{1}, Box: [2]uint64{1, 2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("Read: %+v, want %+v", got, want)
	}
	if got == defaults || defaults.Side != 3 {
		t.Error("Read changes the defaults")
	}
	if (Group{Name: "bare"}).Read(nil) != nil {
		t.Error("a kind without options has some")
	}
}

func TestValidateNamesTheOption(t *testing.T) {
	g := group(&window{Side: 3, Edge: "hard"})
	key := func(k string) string { return "model." + k }
	for _, tt := range []struct {
		values map[string]any
		want   string
	}{
		{nil, ""},
		{map[string]any{"my_window_side": 0}, "model.my_window_side 0: want 1 or more"},
		{map[string]any{"my_window_side": 13}, "model.encoding my-window: thirteen"},
		{map[string]any{"my_window_edge": "hrad"},
			"model.my_window_edge \"hrad\": not one of hard, soft\n  did you mean \"hard\"?"},
	} {
		err := g.Validate(tt.values, key, "model.encoding")
		if tt.want == "" && err == nil {
			continue
		}
		if bad := (*option.Error)(nil); !errors.As(err, &bad) || err.Error() != tt.want {
			t.Errorf("Validate(%v): %v, want %s", tt.values, err, tt.want)
		}
	}
}
