package study

import (
	"errors"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/option"
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
		if !slices.Equal(got, tt.want) || errors.As(err, &wrong) != (tt.want == nil) || wrong != nil && wrong.Key != "--here" {
			t.Errorf("%v: %v, %v; want %v", tt.list, got, err, tt.want)
		}
	}
}

// A plan's document has each run, the one that a run resumes, and the time of all.
func TestPlanDocument(t *testing.T) {
	d := PlanDocument([]Planned{{Name: "a", Seconds: 2}, {Name: "b", Seconds: 3, Resume: &Candidate{Study: Run{ID: "k3f9"}}}})
	if d.V != 1 || d.ETA != 5 || len(d.Plan) != 2 || d.Plan[0].Resume != "" || d.Plan[1].Resume != "k3f9" || d.Plan[1].Model != "b" {
		t.Errorf("got %+v", d)
	}
	if d := PlanDocument(nil); d.Plan == nil {
		t.Error("an empty plan is null")
	}
}
