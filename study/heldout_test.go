package study

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

func TestReadTargets(t *testing.T) {
	for _, tt := range []struct {
		list string
		want []float64
	}{
		{DefaultTargets, []float64{0.7, 0.8, 0.85, 0.9}},
		{"80, 70%,80", []float64{0.7, 0.8}},
		// 70.1/100 is less, and a run with 701 of 1000 images would have reached it otherwise, too
		{"70.1", []float64{0.701}},
		{"91.01,100", []float64{0.9101, 1}},
		{"", nil}, {"0.7", nil}, {"70,", nil}, {"100.5", nil}, {"NaN", nil}, {"inf", nil}, {"-70", nil},
		{"70..90", nil},
		{"1" + strings.Repeat(",2.5", 30), []float64{0.01, 0.025}},
		{"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21", nil},
	} {
		got, err := Targets("--targets", tt.list)
		wrong := (*option.Error)(nil)
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) || err != nil &&
			(!errors.As(err, &wrong) || wrong.Key != "--targets") {
			t.Errorf("%q: %v, %v; want %v", tt.list, got, err, tt.want)
		}
	}
}

func TestHeldOut(t *testing.T) {
	for why, change := range map[string]func(*configs.Run){
		"":                   func(*configs.Run) {},
		"--protocol paper":   func(c *configs.Run) { c.Data.Protocol = "paper" },
		"--overfit-batches ": func(c *configs.Run) { c.Train.OverfitBatches = 2 },
	} {
		c := configs.Default()
		change(&c)
		err := HeldOut("k3f9", c)
		if (err != nil) != (why != "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// Accuracies on smaller images do not count for the time to an accuracy: the network is to be used on whole ones.
func TestReachOnWholeImages(t *testing.T) {
	path := t.TempDir()
	var lines string
	for i, side := range []int{16, 24, 0, 0} {
		e := event.Epoch{Epoch: i + 1, Step: 10 * (i + 1), Side: side, WallS: 2}
		e.ValAcc = []float64{0.9, 0.8, 0.5, 0.7}[i]
		b, err := event.Record{Event: e}.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		lines += string(b) + "\n"
	}
	if err := os.WriteFile(filepath.Join(path, "metrics.jsonl"), []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	r := Run{Settings: []Setting{{"train.batch", "8"}}}
	if err := r.Read(run.Entry{Path: path}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		acc  float64
		want Point
		ok   bool
	}{
		{0.5, Point{3, 0.5, 6, 240}, true}, {0.6, Point{4, 0.7, 8, 320}, true}, {0.75, Point{}, false},
	} {
		if p, ok := r.Reach(tt.acc); p != tt.want || ok != tt.ok {
			t.Errorf("%g is reached at %+v, %v; want %+v, %v", tt.acc, p, ok, tt.want, tt.ok)
		}
	}
}
