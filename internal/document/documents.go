package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/bench"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/study/runs"
	"github.com/attnconv/attnconv/theorem"
)

// Documents lists the documents, by command. A new one is a line here.
var Documents = []Document{
	{"analyse", "", network.Analysis{}, []any{network.Analyses{}}},
	{"analyse", "--over epochs", network.Epochs{}, []any{network.EpochsOfRuns{}}},
	{"bench", "", bench.Bench{}, nil},
	{"bench", "--report time-to-accuracy", study.TimeToAccuracy{}, nil},
	{"compare", "", study.Comparison{}, nil},
	{"compare", "--dry-run", study.PlanReport{}, nil},
	{"config cat", "", PresetText{}, nil},
	{"config cp", "", Files{}, nil},
	{"config ls", "", Presets{}, nil},
	{"config show", "", configs.SettingsReport{}, nil},
	{"config validate", "", ConfigChecks{}, nil},
	{"convert", "", Conversion{}, nil},
	{"data get", "", data.ImportReport{}, nil},
	{"data import", "", data.ImportReport{}, nil},
	{"data ls", "", data.Catalog{}, nil},
	{"data path", "", Path{}, nil},
	{"data rm", "", Removal{}, nil},
	{"data show", "", DataFigures{}, nil},
	{"data verify", "", DataChecks{}, nil},
	{"demo", "", Demo{}, nil},
	{"doctor", "", Doctor{}, nil},
	{"eval", "", trained.Scores{}, []any{Several{}}},
	{"export", "", Export{}, []any{Several{}}},
	{"import", "", Import{}, nil},
	{"inspect", "", study.Inspection{}, nil},
	{"plot-curves", "", CurveFigures{}, nil},
	{"plot-heads", "", HeadFigures{}, []any{MapFigures{}, Several{}}},
	{"plot-heads", "--animate", Animation{}, []any{Several{}}},
	{"plot-maps", "", MapFigures{}, nil},
	{"predict", "", Predictions{}, nil},
	{"prove", "", theorem.ProofReport{}, []any{theorem.LedgerReport{}}},
	{"prove", "--all", theorem.LedgerReport{}, nil},
	{"prove", "--claims", theorem.LedgerReport{}, nil},
	{"prove", "--exercise", theorem.ExerciseReport{}, nil},
	{"prove", "--from", theorem.NetworkProof{}, nil},
	{"report", "", Files{}, nil},
	{"runs diff", "", runs.SettingsDiff{}, nil},
	{"runs examples", "", runs.ListReport{}, nil},
	{"runs gc", "", Removal{}, nil},
	{"runs ls", "", runs.ListReport{}, nil},
	{"runs note", "", Labels{}, nil},
	{"runs rename", "", Labels{}, nil},
	{"runs rm", "", Removal{}, nil},
	{"runs show", "", runs.RunDetails{}, nil},
	{"runs tag", "", Labels{}, nil},
	{"sweep collect", "", sweep.Collection{}, nil},
	{"sweep plan", "", sweep.PlanSummary{}, nil},
	{"sweep retry", "", sweep.SubmissionReport{}, nil},
	{"sweep run", "", sweep.Collection{}, nil},
	{"sweep run", "--task", run.Summary{}, nil},
	{"sweep status", "", sweep.Status{}, nil},
	{"sweep submit", "", sweep.SubmissionReport{}, nil},
	{"train", "", run.Summary{}, nil},
	{"train", "--dry-run", session.TrainPlan{}, nil},
	{"train", "--seeds", Several{}, nil},
	{"version", "", attnconv.Build{}, nil},
}

// Find returns the document that a command writes when it is called with args, or nil.
func Find(command string, args []string) *Document {
	var usual *Document
	for i, d := range Documents {
		switch {
		case d.Command != command:
		case d.If == "":
			usual = &Documents[i]
		case hasFlag(args, d.If):
			return &Documents[i]
		}
	}
	return usual
}

// hasFlag reports whether args have a flag or, if that is a flag and its value, the flag with that value.
func hasFlag(args []string, flag string) bool {
	flag, want, valued := strings.Cut(flag, " ")
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if name == flag && (!valued || value == want) {
			return true
		}
	}
	return false
}

// Decode reads a document as strictly as it is written: with every key that its type has, and no other. It returns a
// value of the type of d.Value or of one of d.Or.
func (d Document) Decode(text []byte) (any, error) {
	if d.Value == nil {
		return nil, errors.New("a document without a type: want one of Documents or Find")
	}
	v, err := decode(text, d.Value)
	for i := 0; err != nil && i < len(d.Or); i++ {
		if other, err := decode(text, d.Or[i]); err == nil {
			return other, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the document of %s: %w", d.Command, err)
	}
	return v, nil
}

// decode returns a value of the type of like.
func decode(text []byte, like any) (any, error) {
	v := reflect.New(reflect.TypeOf(like))
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v.Interface()); err != nil {
		return nil, err
	}
	again, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal(again, &want)); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("it lacks keys:\n%s\nwhere its type has\n%s", text, again)
	}
	return v.Elem().Interface(), nil
}
