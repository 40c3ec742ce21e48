package study

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/study/runs"
)

// Names of models and columns are taken as users say them; one that is none is an error for the key.
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		read       func(key string, list []string) ([]string, error)
		list, want []string
	}{
		{ModelNames, []string{"resnet18", "quadratic"}, []string{"resnet18", "quadratic"}},
		{ModelNames, []string{"quadratic", "resnet"}, nil},
		{ColumnNames, []string{"model", "val_acc", "params"}, []string{"model", "acc", "params"}},
		{ColumnNames, []string{"all"}, []string{"all"}},
		{ColumnNames, []string{"model", "all"}, nil},
	} {
		got, err := tt.read("--here", tt.list)
		wrong := (*option.Error)(nil)
		if !slices.Equal(got, tt.want) || errors.As(err, &wrong) != (tt.want == nil) || wrong != nil &&
			wrong.Key != "--here" {
			t.Errorf("%v: %v, %v; want %v", tt.list, got, err, tt.want)
		}
	}
}

// A plan's document has each run, the one that a run resumes, and the time of all.
func TestPlanDocument(t *testing.T) {
	d := PlanDocument([]PlannedTraining{{Name: "a", Seconds: 2}, {Name: "b", Seconds: 3,
		Resume: &runs.Candidate{Study: runs.Run{ID: "k3f9"}}}})
	if d.V != 1 || d.ETA != 5 || len(d.Plan) != 2 || d.Plan[0].Resume != "" || d.Plan[1].Resume != "k3f9" ||
		d.Plan[1].Model != "b" {
		t.Errorf("got %+v", d)
	}
	if d := PlanDocument(nil); d.Plan == nil {
		t.Error("an empty plan is null")
	}
}

// Without heads or nulls a table is empty, and a file of another format is an error that lists those there are.
func TestNothingToShow(t *testing.T) {
	if text := HeadTable(&Inspection{}, model.Spec{}, true).Text(0) +
		runs.NullTable(nil).Text(0); strings.TrimSpace(text) != "" {
		t.Errorf("without heads: %q", text)
	}
	c := &Comparison{Rows: []Row{{}}}
	if _, err := c.Encode("table.doc", Output{}); err == nil ||
		!strings.Contains(err.Error(), "table.doc: want a file name that ends in one of .json") {
		t.Error(err)
	}
}
