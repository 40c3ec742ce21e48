package runs

import (
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/null"
)

// At 80 columns a list keeps the model, the label, and the settings in which the runs differ, whatever else is long.
// What all runs share goes first.
func TestListKeepsModelAndDifferences(t *testing.T) {
	listed := func(id, lr, state string, acc float64) listing.ListRow {
		l := listing.ListRow{Label: "live " + id,
			Differing: []configs.Value{{Key: "model.heads", Text: "[9, 9, 4]"}, {Key: "train.lr", Text: lr}},
			Record: listing.Record{ID: id, Model: "mhsa", Encoding: "quadratic-general",
				Data:  "/home/somebody/Bilder mit Ä, Ö und Ü " + id,
				State: state, Tags: []string{"as", "in", "the", "talk"}, Epoch: 60, Epochs: 60,
				Preset: "paper/quadratic-general", ValAcc: null.Float(acc), TestAcc: null.Float(acc)},
			Config: new(configs.Run)}
		l.Differs = map[string]string{"model.heads": "[9, 9, 4]", "train.lr": lr}
		return l
	}
	var said strings.Builder
	c := &term.Console{Out: &said, OutWidth: func() int { return 80 }}
	list := []listing.ListRow{listed("k3f9", "0.1", "done", 0.5), listed("p8d2", "0.025", "stopped", 0.25)}
	if err := (listOptions{Format: "text"}).print(c, list); err != nil {
		t.Fatal(err)
	}
	head, rows, _ := strings.Cut(said.String(), "\n")
	for _, column := range []string{"id", "label", "val acc", "model", "differs"} {
		if !strings.Contains("  "+head+"  ", "  "+column+"  ") {
			t.Errorf("no column %s in %q", column, head)
		}
	}
	for _, want := range []string{"live k3f9 ", " quadratic-general ", " lr 0.1\n", " lr 0.025\n"} {
		if !strings.Contains(rows, want) {
			t.Errorf("no %q in\n%s", want, said.String())
		}
	}
	for _, not := range []string{"…", "heads"} {
		if strings.Contains(rows, not) {
			t.Errorf("%q is in\n%s", not, said.String())
		}
	}
}
