package study

import (
	"slices"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
)

// An accuracy of some of the images says of how many, also in runs that recorded neither number.
func TestPartOf(t *testing.T) {
	settings := func(data, protocol string, limit, batch int) *configs.Run {
		c := configs.Default()
		c.Data.Name, c.Data.Protocol, c.Train.ValBatches, c.Train.EvalBatch = data, protocol, limit, batch
		return &c
	}
	recorded := run.Status{ValN: 1000, ValImages: 5000, TestN: 1000, TestImages: 10000}
	overfits := settings("cifar10", "holdout", 1, 8)
	overfits.Train.OverfitBatches = 1
	for _, c := range []struct {
		name      string
		s         run.Status
		c         *configs.Run
		val, test string
	}{
		{"recorded", recorded, settings("cifar10", "holdout", 10, 100), "1,000 of 5,000 validation images",
			"1,000 of 10,000 test images"},
		{"recorded, of own data", recorded, settings("mine", "holdout", 10, 100), "1,000 of 5,000 validation images",
			"1,000 of 10,000 test images"},
		{"all", run.Status{ValN: 7, ValImages: 7, TestN: 9, TestImages: 9}, settings("cifar10", "holdout", 10, 100),
			"", ""},
		{"earlier version", run.Status{}, settings("cifar10", "holdout", 10, 100), "1,000 of 5,000 validation images",
			"1,000 of 10,000 test images"},
		{"earlier version, paper", run.Status{}, settings("cifar10", "paper", 10, 100),
			"1,000 of 10,000 validation images", "1,000 of 10,000 test images"},
		{"earlier version, all", run.Status{}, settings("cifar10", "holdout", 100, 100), "", ""},
		{"earlier version, own data", run.Status{}, settings("mine", "holdout", 2, 100),
			"at most 200 of the validation images", "at most 200 of the test images"},
		{"no limit", run.Status{}, settings("mine", "holdout", 0, 100), "", ""},
		{"overfits", run.Status{}, overfits, "", ""},
		{"unknown settings", run.Status{}, nil, "", ""},
	} {
		if got := PartOf("val", c.s, c.c).On("val"); got != c.val {
			t.Errorf("%s: of %q, want %q", c.name, got, c.val)
		}
		if got := PartOf("test", c.s, c.c).On("test"); got != c.test {
			t.Errorf("%s: of %q, want %q", c.name, got, c.test)
		}
	}
	notes := PartNotes("test", Part{}, Part{1000, 10000}, Part{1000, 10000}, Part{200, 0})
	if want := []string{"~ of 1,000 of 10,000 test images (--limit-val-batches)",
		"~ of at most 200 of the test images (--limit-val-batches)"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q", notes)
	}
	if least := (Part{}).Least(Part{5, 9}).Least(Part{}).Least(Part{3, 9}).Least(Part{4, 9}); least != (Part{3, 9}) {
		t.Errorf("the least part is %v", least)
	}
}
