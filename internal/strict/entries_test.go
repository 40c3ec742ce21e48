package strict

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/option"
)

type course struct {
	Salt  float64 `yaml:"salt"`
	Sizes Ints    `yaml:"sizes"`
}

type menu struct{}

func (menu) Form() Form {
	return Form{Key: "meal.courses", Items: "courses", Most: 9, Kinds: []string{"soup", "cake"},
		Options: FieldsOf(reflect.TypeFor[course]())}
}

type meal = Entries[menu]

// A list comes back from YAML as it was written, options in the order of their fields, and the short form stays short.
func TestEntriesInYAML(t *testing.T) {
	for text, want := range map[string]meal{
		"6":                             {{Repeat: 6}},
		"[]":                            {},
		"[{kind: soup, repeat: 2}, {}]": {{Kind: "soup", Repeat: 2}, {Repeat: 1}},
		"[{salt: 0.5, sizes: [1, 2]}, {sizes: 3}]": {{Repeat: 1, Own: map[string]any{"salt": 0.5, "sizes": Ints{1, 2}}},
			{Repeat: 1, Own: map[string]any{"sizes": Ints{3}}}},
	} {
		var got meal
		if err := yaml.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v; want %+v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
}

func TestEntriesRefused(t *testing.T) {
	for text, want := range map[string]string{
		"six":                                 `"six": want a whole number or a list of courses`,
		"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]":     "a list of 10: want at most 9 courses",
		"[soup]":                              `meal.courses[0] "soup": want keys and values`,
		"[{}, {slat: 1}]":                     `did you mean "meal.courses[1].salt"?`,
		"[{repeat: 10}]":                      "meal.courses[0].repeat 10: want 1 to 9",
		"[{kind: soup, sizes: many}]":         `meal.courses[0].sizes "many": want a whole number or a list`,
		"[{kind: soup, salt: 1, kind: cake}]": "meal.courses[0].kind is given twice",
	} {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		var got meal
		if err := got.UnmarshalYAML(n.Content[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for key, list := range map[string]meal{
		"meal.courses":           {{Repeat: 0}},
		"meal.courses[0].repeat": {{Repeat: -1, Kind: "soup"}},
		"meal.courses[1].kind":   {{}, {Kind: "stew"}},
		"meal.courses[1].salt":   {{}, {Own: map[string]any{"salt": "much"}}},
	} {
		var bad *option.Error
		if err := list.Check(); !errors.As(err, &bad) || bad.Key != key {
			t.Errorf("Check() of %s = %v, want an error on %s", list, err, key)
		}
	}
}

type wordy struct{ menu }

func (w wordy) Form() Form {
	f := w.menu.Form()
	f.Words = []Word{{"soup", Entry{Kind: "soup"}}, {"salty", Entry{Own: map[string]any{"salt": 2.0}}}}
	return f
}

// Words are short for entries, and are written as the list that they stand for.
func TestEntriesInWords(t *testing.T) {
	for text, want := range map[string]string{
		"soup":             "[{kind: soup}]",
		"soup,soup, salty": "[{kind: soup, repeat: 2}, {salt: 2}]",
		"salty*3,soup":     "[{repeat: 3, salt: 2}, {kind: soup}]",
	} {
		var got Entries[wordy]
		if err := yaml.Unmarshal([]byte(text), &got); err != nil || got.String() != want {
			t.Errorf("%s is read as %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"cake":       "want a whole number or a list of courses",
		"soup,salt":  "the names are soup, salty\n  did you mean \"salty\"?",
		"soup*10":    `"soup*10": behind soup* want a number from 1 to 9`,
		"soup,soup*": "behind soup* want a number from 1 to 9",
	} {
		var got Entries[wordy]
		err := got.UnmarshalYAML(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Equal neighbors become one entry that is repeated, and an option that is taken out leaves the list that it was in.
func TestEntriesChange(t *testing.T) {
	var list meal
	for _, salt := range []any{1.0, 1.0, 2.0} {
		list = list.Plus(Entry{Repeat: 1, Own: map[string]any{"salt": salt}})
	}
	if got, want := list.String(), "[{repeat: 2, salt: 1}, {salt: 2}]"; got != want || list.Count() != 3 {
		t.Errorf("%s of %d items, want %s of 3", got, list.Count(), want)
	}
	if got, want := list.Without("salt").String(), "[{repeat: 2}, {}]"; got != want || len(list[0].Own) != 1 {
		t.Errorf("%s without salt, want %s; %s before", got, want, list)
	}
}
