package sweep

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
)

// drawnPlan plans n runs of small settings with what flags say; a flag is KEY=TEXT.
func drawnPlan(t *testing.T, o Options, flags ...string) (*Draft, error) {
	t.Helper()
	for _, f := range append([]string{"preset=smoke", "data.name=shapes32", "train.epochs=9", "train.limit_train_batches=1",
		"train.limit_val_batches=1", "model.dim=16", "model.layers=2"}, flags...) {
		key, text, _ := strings.Cut(f, "=")
		o.Sources.Flags = append(o.Sources.Flags, configs.Flag{Name: "--" + key, Key: key, Text: text})
	}
	o.DataDir = t.TempDir()
	return New(context.Background(), o)
}

// The same seed draws the same, more draws begin with fewer, and another axis does not change the values of the first.
// Values are in their range; a logarithmic one has half of its values below the geometric mean.
func TestDraws(t *testing.T) {
	axes := []configs.Axis{{Key: "train.lr", Values: []string{"log:0.001..0.1"},
		Range: &configs.Range{Lo: 0.001, Hi: 0.1, Log: true}}, {Key: "model.dim", Values: []string{"16..19"},
		Range: &configs.Range{Lo: 16, Hi: 19, Whole: true}}}
	few, err := Options{Random: 20}.draw(axes)
	many, err2 := Options{Random: 200}.draw(axes)
	if err != nil || err2 != nil || len(few) != 20 || len(many) != 200 {
		t.Fatal(len(few), len(many), err, err2)
	}
	for i := range few {
		if !slices.Equal(few[i], many[i]) {
			t.Errorf("draw %d of 20 is %v, and of 200 %v", i, few[i], many[i])
		}
	}
	other, err := Options{Random: 20, RandomSeed: 1}.draw(axes)
	if err != nil || slices.Equal(other[0], few[0]) {
		t.Errorf("another seed draws %v, too: %v", few[0], err)
	}
	clip := configs.Axis{Key: "train.clip", Values: []string{"0", "1"}}
	one, err := Options{Random: 20}.draw(append(axes[:1:1], clip))
	if err != nil || one[7][0] != few[7][0] {
		t.Errorf("with another axis the rate is %v, not %v: %v", one[7], few[7], err)
	}
	below, dims := 0, map[string]int{}
	for _, values := range many {
		lr, err := strconv.ParseFloat(values[0], 64)
		if err != nil || lr < 0.001 || lr > 0.1 {
			t.Errorf("a rate of %s", values[0])
		}
		if lr < 0.01 {
			below++
		}
		dims[values[1]]++
	}
	if below < 75 || below > 125 { // 50 ± 25: more than three standard deviations
		t.Errorf("%d of 200 rates are below the geometric mean", below)
	}
	for _, dim := range []string{"16", "17", "18", "19"} {
		if dims[dim] < 25 || len(dims) != 4 {
			t.Errorf("dims are drawn %v", dims)
		}
	}
}

// Plans that cannot be are refused, with what would do.
func TestBadSearches(t *testing.T) {
	for _, tt := range []struct {
		o     Options
		flags []string
		want  string
	}{
		{Options{}, []string{"train.lr=0.001..0.1"}, "0.001..0.1 is a range"},
		{Options{Random: 3}, nil, "nothing to draw from"},
		{Options{Random: 3}, []string{"train.clip=0,1"}, "only 2 different combinations"},
		{Options{Keep: 3}, []string{"train.clip=0,1"}, "want rungs before the end"},
		{Options{Keep: 2}, []string{"train.epochs=9,10"}, "have different ones"},
		{Options{Keep: 2}, []string{"train.clip=0,1", "data.protocol=paper"}, "choose by the test images"},
		{Options{Keep: 2}, []string{"train.clip=0,1", "train.eval_every=2"}, "accuracy of every epoch"},
		{Options{Rungs: []int{2}}, []string{"train.clip=0,1"}, "--rungs needs --halving"},
	} {
		_, err := drawnPlan(t, tt.o, tt.flags...)
		if bad := (*GridError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v; want %q", tt.flags, err, tt.want)
		}
	}
	d, err := drawnPlan(t, Options{Random: 9, Keep: 3, Seeds: []uint64{0, 5}}, "train.lr=log:0.001..0.1")
	if err != nil || len(d.Trials) != 18 || !slices.Equal(d.Halving.Rungs, []int{3, 6}) || len(d.Axes[0].Values) != 9 ||
		d.Axes[0].Range != "log:0.001..0.1" || d.Drawn != 9 {
		t.Errorf("%+v, %v", d, err)
	}
}
