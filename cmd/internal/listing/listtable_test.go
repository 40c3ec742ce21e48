package listing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/study"
)

// A list has a column for any setting, by key or flag; an unreadable run has its name and its state.
func TestListTable(t *testing.T) {
	config, when := configs.Default(), time.Date(2019, 11, 20, 10, 0, 0, 0, time.UTC)
	config.Train.LR = 0.05
	list := []ListRow{
		{Record: Record{ID: "k3f9", Name: "one", State: "done", Model: "mhsa", Encoding: "quadratic",
			Data: "/photos/pets", Started: when,
			Params: 12345, Epoch: 2, Epochs: 3, ValAcc: 0.794, TestAcc: null.Unknown, Tags: []string{"a", "b"},
			Note: "first line\nsecond"},
			Config: &config, Differing: []configs.Value{{Key: "train.lr", Text: "0.05"},
				{Key: "model.terms", Text: "[qk]"}}},
		{Record: Record{Name: "two", State: Unreadable, Error: "cut short"}},
	}
	columns := []string{"id", "state", "model", "data", "params", "epochs", "val_acc", "test_acc", "when", "tags",
		"note", "differs", "lr", "--dim"}
	if err := CheckColumns("columns", columns); err != nil {
		t.Fatal(err)
	}
	got := Table(list, columns)
	want := `id,state,model,data,params,epochs,val_acc,test_acc,when,tags,note,differs,train.lr,model.dim
k3f9,done,mhsa quadratic,/photos/pets,12345,2,0.794,,2019-11-20T10:00:00Z,a b,"first line
second","lr 0.05, model.terms [qk]",0.05,400
two,unreadable,,,,,,,,,,,,
`
	if diff := cmp.Diff(want, got.CSV()); diff != "" {
		t.Error(diff)
	}
	var row []string
	for _, cell := range got.Rows[0] {
		row = append(row, cell.Text)
	}
	for i, text := range []string{"k3f9", "done", "quadratic", "pets", "12,345", "2/3", "79.40 %", "-", "20 Nov 2019",
		"a b",
		"first line …", "lr 0.05, model.terms [qk]", "0.05", "400"} {
		if row[i] != text {
			t.Errorf("%s is shown as %q, want %q", columns[i], row[i], text)
		}
	}
	if got.Rows[1][0].Text != "two" || got.Columns[6].Head != "val acc" || got.Columns[13].Head != "dim" {
		t.Errorf("%+v", got)
	}
	var wrong *option.Error
	if err := CheckColumns("columns", []string{"id", "lrr"}); !errors.As(err, &wrong) ||
		!strings.HasSuffix(err.Error(), `did you mean "lr"?`) {
		t.Errorf("a column lrr: %v", err)
	}
}

// Tags are a usual column where a run has some.
func TestUsualColumns(t *testing.T) {
	tagged := []ListRow{{}, {Record: Record{Tags: []string{"wide"}}}}
	if slices.Contains(UsualColumns(tagged[:1]), "tags") || !slices.Contains(UsualColumns(tagged), "tags") {
		t.Errorf("%v and, with tags, %v", UsualColumns(tagged[:1]), UsualColumns(tagged))
	}
	if err := CheckColumns("columns", UsualColumns(tagged)); err != nil {
		t.Error(err)
	}
}

// A run's label is a usual column where a run has one; a test accuracy that is not of all test images is marked.
func TestLabelsAndParts(t *testing.T) {
	list := []ListRow{{Record: Record{ID: "a", TestAcc: 0.5}, Label: "live"},
		{Record: Record{ID: "b", TestAcc: 0.5}, Test: study.Part{N: 1000, Of: 10000}}}
	if slices.Contains(UsualColumns(list[1:]), "label") || UsualColumns(list)[1] != "label" {
		t.Errorf("the columns are %v and, with labels, %v", UsualColumns(list[1:]), UsualColumns(list))
	}
	got := Table(list, []string{"label", "test_acc"})
	if got.Rows[0][0].Text != "live" || got.Rows[0][1].Text != "50.00 %" || got.Rows[1][1].Text != "~50.00 %" ||
		!slices.Equal(got.Notes, []string{"~ of 1,000 of 10,000 test images (--limit-val-batches)"}) {
		t.Errorf("%+v, %q", got.Rows, got.Notes)
	}
}

// What all runs share says nothing about any of them.
func TestUnshared(t *testing.T) {
	listed := func(settings ...string) ListRow {
		l := ListRow{Config: new(configs.Run)}
		l.Differs = map[string]string{}
		for i := 0; i < len(settings); i += 2 {
			l.Differing = append(l.Differing, configs.Value{Key: settings[i], Text: settings[i+1]})
			l.Differs[settings[i]] = settings[i+1]
		}
		return l
	}
	all := DropShared([]ListRow{listed("train.epochs", "2", "train.lr", "0.1", "model.dim", "9"),
		listed("train.epochs", "2", "train.lr", "0.2")})
	if got := all[0].Differences() + "; " + all[1].Differences(); got != "lr 0.1, dim 9; lr 0.2" {
		t.Errorf("got %s", got)
	}
	if got := DropShared([]ListRow{listed("train.epochs", "2")})[0].Differences(); got != "epochs 2" {
		t.Errorf("a single run: %s", got)
	}
}

// BenchmarkListRuns lists a thousand runs with their settings; up to 300 ms feels immediate.
func BenchmarkListRuns(b *testing.B) {
	config, err := configs.Preset("tiny")
	if err != nil {
		b.Fatal(err)
	}
	config.Train.LR = 0.5
	text, root := config.YAML(), b.TempDir()
	for i := range 1000 {
		dir := filepath.Join(root, fmt.Sprintf("20261120-%06d-quadratic-shapes32-s0-k%03d", i, i))
		status := fmt.Sprintf(`{"format":1,"id":"k%03d","state":"done","preset":"tiny","started":"2026-11-20T10:00:00Z"}`, i)
		for _, err := range []error{
			os.Mkdir(dir, 0o777),
			os.WriteFile(filepath.Join(dir, "config.yaml"), text, 0o666),
			os.WriteFile(filepath.Join(dir, "run.json"), []byte(status), 0o666),
		} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		rows, err := List(root, Query{Sort: "val_acc"})
		if err != nil || len(rows) != 1000 || rows[0].Differences() != "lr 0.5" {
			b.Fatalf("%d runs, %v: %+v", len(rows), err, rows[0])
		}
	}
}
