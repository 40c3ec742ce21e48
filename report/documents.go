package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Documents lists the documents, by command. A new one is a line here.
var Documents = []Document{
	{"analyse", "", Analysis{}, Analyses{}},
	{"analyse", "--over epochs", AnalysedEpochs{}, AnalysesOver{}},
	{"bench", "", Bench{}, nil},
	{"bench", "--report time-to-accuracy", TimeToAccuracy{}, nil},
	{"compare", "", Comparison{}, nil},
	{"compare", "--dry-run", ComparisonPlan{}, nil},
	{"config cat", "", PresetText{}, nil},
	{"config cp", "", Files{}, nil},
	{"config ls", "", Presets{}, nil},
	{"config show", "", Settings{}, nil},
	{"config validate", "", ConfigChecks{}, nil},
	{"data get", "", DataImport{}, nil},
	{"data import", "", DataImport{}, nil},
	{"data ls", "", DataSets{}, nil},
	{"data path", "", Path{}, nil},
	{"data rm", "", Removal{}, nil},
	{"data show", "", DataShown{}, nil},
	{"data verify", "", DataChecks{}, nil},
	{"demo", "", Demo{}, nil},
	{"doctor", "", Doctor{}, nil},
	{"eval", "", Evaluation{}, nil},
	{"export", "", Export{}, nil},
	{"import", "", Import{}, nil},
	{"inspect", "", Inspection{}, nil},
	{"plot-curves", "", CurveFigures{}, nil},
	{"plot-heads", "", HeadFigures{}, MapFigures{}},
	{"plot-heads", "--animate", Animation{}, nil},
	{"plot-maps", "", MapFigures{}, nil},
	{"predict", "", Predictions{}, nil},
	{"prove", "", Proof{}, nil},
	{"prove", "--all", Ledger{}, nil},
	{"prove", "--claims", Ledger{}, nil},
	{"prove", "--exercise", Exercises{}, nil},
	{"prove", "--from", NetworkProof{}, nil},
	{"runs diff", "", RunsDiff{}, nil},
	{"runs gc", "", Removal{}, nil},
	{"runs ls", "", Runs{}, nil},
	{"runs note", "", Labels{}, nil},
	{"runs rm", "", Removal{}, nil},
	{"runs show", "", RunDetails{}, nil},
	{"runs tag", "", Labels{}, nil},
	{"sweep collect", "", Sweep{}, nil},
	{"sweep plan", "", SweepPlan{}, nil},
	{"sweep retry", "", SweepSubmission{}, nil},
	{"sweep run", "", Sweep{}, nil},
	{"sweep run", "--task", Summary{}, nil},
	{"sweep status", "", SweepStatus{}, nil},
	{"sweep submit", "", SweepSubmission{}, nil},
	{"train", "", Summary{}, nil},
	{"train", "--dry-run", TrainPlan{}, nil},
	{"train", "--seeds", Seeds{}, nil},
	{"version", "", Version{}, nil},
}

// Find returns the document that a command writes when it is called with args, or nil.
func Find(command string, args []string) *Document {
	var usual *Document
	for i, d := range Documents {
		switch {
		case d.Command != command:
		case d.If == "":
			usual = &Documents[i]
		case given(args, d.If):
			return &Documents[i]
		}
	}
	return usual
}

// given reports whether args have a flag or, if that is a flag and its value, the flag with that value.
func given(args []string, flag string) bool {
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
// value of the type of d.Value or d.Or.
func (d Document) Decode(text []byte) (any, error) {
	if d.Value == nil {
		return nil, errors.New("report: a document without a type: want one of Documents or Find")
	}
	v, err := decode(text, d.Value)
	if err != nil && d.Or != nil {
		if other, err := decode(text, d.Or); err == nil {
			return other, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("report: the document of %s: %w", d.Command, err)
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
