package cmd

import (
	"reflect"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/bench"
	"github.com/attnconv/attnconv/cmd/internal/claims"
	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/plot"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/run"
)

// Decode refuses keys that a type does not have, keys that are lacking, and values of another type.
func TestDecodeIsStrict(t *testing.T) {
	d := clitest.Find(documents, "runs diff", nil)
	for text, want := range map[string]string{
		`{"v":1,"runs":["a"],"settings":[],"results":[]}`:               "",
		`{"v":1,"runs":["a"],"settings":[],"results":[],"more":1}`:      "unknown field",
		`{"v":1,"runs":["a"]}`:                                          "lacks keys",
		`{"v":1,"runs":"a","settings":[],"results":[]}`:                 "cannot unmarshal",
		`{"v":1,"runs":["a"],"settings":[{"key":"seed"}],"results":[]}`: "lacks keys",
	} {
		_, err := clitest.Decode(d, []byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// The document depends on the flags: of train, a plan with --dry-run.
func TestFind(t *testing.T) {
	for _, tt := range []struct {
		command, args string
		want          any
	}{
		{"train", "--json", run.Summary{}}, {"train", "--dry-run --json", train.TrainPlan{}},
		{"train", "--seeds=0..2", term.Several{}},
		{"prove", "--claims a,b", claims.LedgerReport{}}, {"bake", "", nil},
		{"bench", "--report speed", bench.Bench{}}, {"bench", "--report time-to-accuracy",
			bench.TimeToAccuracy{}},
		{"bench", "a --report=time-to-accuracy", bench.TimeToAccuracy{}},
		{"bench", "--json --report", bench.Bench{}},
	} {
		d := clitest.Find(documents, tt.command, strings.Fields(tt.args))
		if (d == nil) != (tt.want == nil) || d != nil && d.Value == nil {
			t.Fatalf("%s %s: %v", tt.command, tt.args, d)
		}
		if d != nil && reflect.TypeOf(d.Value) != reflect.TypeOf(tt.want) {
			t.Errorf("%s %s: %T, want %T", tt.command, tt.args, d.Value, tt.want)
		}
	}
}

// A document of a command that has two types is decoded into the one that it is.
func TestDecodeOr(t *testing.T) {
	d := clitest.Find(documents, "plot-heads", nil)
	v, err := clitest.Decode(d, []byte(`{"v":1,"files":[],"heads":[{"query":[0,0],"layer":1,"head":1,"mean":[0,0],"peak":1,"at":[0,0],"tokens":1}]}`))
	if _, ok := v.(plot.MapFigures); !ok || err != nil {
		t.Errorf("%T, %v", v, err)
	}
}
