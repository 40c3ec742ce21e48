package study

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/option"
)

// Names of models and columns are taken as users say them; one that is none is an error for the key.
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		read       func(key string, list []string) ([]string, error)
		list, want []string
	}{
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

// A file of another format is an error that lists those there are.
func TestNothingToShow(t *testing.T) {
	c := &Comparison{Rows: []Row{{}}}
	if _, err := c.Encode("table.doc", Output{}); err == nil ||
		!strings.Contains(err.Error(), "table.doc: want a file name that ends in one of .json") {
		t.Error(err)
	}
}
