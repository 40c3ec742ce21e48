package topics

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/eval"
	"github.com/attnconv/attnconv/cmd/internal/term"
	training "github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/mpi"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/train"
)

// help formats names every key in the files of a run.
func TestFormatsNamesEveryKey(t *testing.T) {
	var want []string
	for _, e := range []event.Event{event.Start{}, event.Step{}, event.Epoch{}, event.Heads{}, event.Eval{},
		event.Warn{},
		event.End{}} {
		want = append(append(want, event.Kind(e)), jsonKeys(reflect.TypeOf(e))...)
	}
	want = append(want, jsonKeys(reflect.TypeFor[run.Summary]())...)
	want = append(want, jsonKeys(reflect.TypeFor[event.HeadLayer]())...)
	for _, line := range []any{session.Setup{}, training.Forecast{}, training.SavedFiles{}, training.StopPoint{},
		training.NextCommands{}, term.FailureLine{}, term.Failure{}} {
		want = append(want, jsonKeys(reflect.TypeOf(line))...)
	}
	want = append(want, jsonKeys(reflect.TypeFor[eval.Scores]())...)
	want = append(want, jsonKeys(reflect.TypeFor[eval.CalibrationResult]())...)
	want = append(want, jsonKeys(reflect.TypeFor[train.Calibration]())...)
	meta := ckpt.Meta{Kind: "k", Config: "c", RNG: "r", Cursor: "c", DataDigest: "d", Images: "i", Kernels: "k",
		Version: "v", Metrics: map[string]float64{"loss": 1}}
	for key := range meta.Strings() {
		want = append(want, strings.TrimPrefix(key, "attnconv"))
	}
	text := formats()
	for _, key := range want {
		if !strings.Contains(text, key) {
			t.Errorf("no word on %s", key)
		}
	}
}

// help environment names the variables as the packages that read them.
func TestEnvironmentNamesVariables(t *testing.T) {
	for _, name := range []string{kernel.Variable, accelerator.Variable, accelerator.Folders, mpi.Variable} {
		if !strings.Contains(environment(), "\n  "+name+" ") {
			t.Errorf("no line on %s", name)
		}
	}
}

// help formats lists the keys of a network with their defaults, with which a checkpoint without them is read.
func TestFormatsListsTheModelsKeys(t *testing.T) {
	_, text, _ := strings.Cut(formats(), "The keys of model:")
	for _, key := range model.Keys() {
		if !regexp.MustCompile(`(?m)^  ` + key + ` +\S`).MatchString(text) {
			t.Errorf("no line on %s", key)
		}
	}
	for _, want := range []string{"  dim                400\n", "  kind               mhsa\n", "resnet56, convnet\n",
		"  image              [32, 32, 3]\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func jsonKeys(typ reflect.Type) (keys []string) {
	for i := range typ.NumField() {
		if key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}
