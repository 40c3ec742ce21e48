package sets

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The reference of commands names every key of set.json, in the paragraph on that file.
func TestFormatOfASetIsDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "\n  set.json ")
	text, _, found := strings.Cut(text, "\n  train.bin ")
	if !found {
		t.Fatal("docs/commands.md has no paragraph on set.json")
	}
	for typ, i := reflect.TypeFor[packedSet](), 0; i < typ.NumField(); i++ {
		key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if !regexp.MustCompile(`\b` + key + `\b`).MatchString(text) {
			t.Errorf("no word on %s in %s", key, text)
		}
	}
}
