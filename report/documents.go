package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Documents lists the documents, by command. A new one is a line here.
var Documents = []Document{
	{"bench", "", Bench{}},
	{"compare", "", Comparison{}},
	{"compare", "--dry-run", ComparisonPlan{}},
	{"config cat", "", PresetText{}},
	{"config cp", "", Files{}},
	{"config ls", "", Presets{}},
	{"config show", "", Settings{}},
	{"config validate", "", ConfigChecks{}},
	{"data get", "", DataImport{}},
	{"data import", "", DataImport{}},
	{"data ls", "", DataSets{}},
	{"data path", "", Path{}},
	{"data rm", "", Removal{}},
	{"data show", "", DataShown{}},
	{"data verify", "", DataChecks{}},
	{"demo", "", Demo{}},
	{"doctor", "", Doctor{}},
	{"eval", "", Evaluation{}},
	{"export", "", Export{}},
	{"import", "", Import{}},
	{"inspect", "", Inspection{}},
	{"plot-curves", "", CurveFigures{}},
	{"plot-heads", "", HeadFigures{}},
	{"plot-heads", "--animate", Animation{}},
	{"plot-maps", "", MapFigures{}},
	{"predict", "", Predictions{}},
	{"prove", "", Proof{}},
	{"prove", "--all", Ledger{}},
	{"prove", "--claims", Ledger{}},
	{"prove", "--exercise", Exercises{}},
	{"prove", "--from", NetworkProof{}},
	{"runs diff", "", RunsDiff{}},
	{"runs gc", "", Removal{}},
	{"runs ls", "", Runs{}},
	{"runs note", "", Labels{}},
	{"runs rm", "", Removal{}},
	{"runs show", "", RunDetails{}},
	{"runs tag", "", Labels{}},
	{"sweep collect", "", Sweep{}},
	{"sweep plan", "", SweepPlan{}},
	{"sweep run", "", Sweep{}},
	{"sweep run", "--task", Summary{}},
	{"train", "", Summary{}},
	{"train", "--dry-run", TrainPlan{}},
	{"train", "--seeds", Seeds{}},
	{"version", "", Version{}},
}

// Find returns the document that a command writes when it is called with args, or nil.
func Find(command string, args []string) *Document {
	var usual *Document
	for i, d := range Documents {
		switch {
		case d.Command != command:
		case d.If == "":
			usual = &Documents[i]
		case slices.ContainsFunc(args, func(arg string) bool { name, _, _ := strings.Cut(arg, "="); return name == d.If }):
			return &Documents[i]
		}
	}
	return usual
}

// Decode reads a document as strictly as it is written: with every key that its type has, and no other.
func (d Document) Decode(text []byte) (any, error) {
	v := reflect.New(reflect.TypeOf(d.Value))
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v.Interface()); err != nil {
		return nil, fmt.Errorf("report: the document of %s: %w", d.Command, err)
	}
	again, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal(again, &want)); err != nil {
		return nil, fmt.Errorf("report: the document of %s: %w", d.Command, err)
	}
	if !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("report: the document of %s lacks keys, or has others than its type:\n%s\n%s", d.Command, text, again)
	}
	return v.Elem().Interface(), nil
}
