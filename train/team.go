package train

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
)

const shardsKey = "train.shards"

// checkShards returns the rule that Shards break, whatever the ranks.
func (o Options) checkShards() error {
	switch {
	case o.Shards < 0:
		return option.Errorf(shardsKey, "%d: want 0 or more", o.Shards)
	case o.Shards > 1 && o.Batch%o.Shards != 0:
		return option.Errorf(shardsKey, "%d: want a divisor of the batch, which has %d images", o.Shards, o.Batch)
	case o.Shards > 1 && o.Device != nil:
		return option.Errorf(shardsKey, "%d: a GPU takes whole batches; want 0, or the CPU", o.Shards)
	}
	return nil
}

// A team is the ranks that train one network together. The zero value is a single rank.
type team struct {
	group     Group // nil: a single rank
	asks, all []float32
}

func newTeam(g Group) team {
	if g == nil || g.Size() == 1 {
		return team{}
	}
	return team{group: g, asks: make([]float32, 2), all: make([]float32, 2*g.Size())}
}

func (t *team) rank() int {
	if t.group == nil {
		return 0
	}
	return t.group.Rank()
}

func (t *team) size() int {
	if t.group == nil {
		return 1
	}
	return t.group.Size()
}

// check returns the rule that o breaks with so many ranks.
func (t *team) check(o Options) error {
	ranks, shards := t.size(), t.shards(o)
	switch {
	case ranks == 1:
		return nil
	case o.Device != nil:
		return fmt.Errorf("%d ranks on a GPU: ranks train on the CPU only", ranks)
	case shards%ranks != 0:
		return option.Errorf(shardsKey, "%d: %d ranks cannot share them; want a multiple of %d", shards, ranks, ranks)
	case o.Batch%shards != 0:
		return option.Errorf("train.batch", "%d: %d ranks cannot share it; want a multiple of %d", o.Batch, ranks,
			ranks)
	}
	return nil
}

// shards is how many shards a batch is cut into; 0: it is not.
func (t *team) shards(o Options) int {
	if o.Shards == 0 && t.group != nil {
		return t.size()
	}
	return o.Shards
}

// span is the shards of this rank.
func (t *team) span(shards int) span { return rankSpan(shards, t.rank(), t.size()) }

// part returns what this rank trains on: its shards of each batch of b.
func (t *team) part(b Batches, o Options) Batches {
	if t.group == nil {
		return b
	}
	mine, each := t.span(t.shards(o)), o.Batch/t.shards(o)
	lo, hi := mine.lo*each, mine.hi*each
	if l, ok := b.(*data.Loader); ok {
		return l.Part(lo, hi)
	}
	return partOf{b, lo, hi}
}

// any says whether any rank asks to stop, and to save.
func (t *team) any(stop, save bool) (anyStop, anySave bool, err error) {
	if t.group == nil {
		return stop, save, nil
	}
	t.asks[0], t.asks[1] = oneIf(stop), oneIf(save)
	if err := t.group.Gather(t.all, t.asks); err != nil {
		return false, false, err
	}
	for i := 0; i < len(t.all); i += 2 {
		anyStop, anySave = anyStop || t.all[i] > 0, anySave || t.all[i+1] > 0
	}
	return anyStop, anySave, nil
}

func oneIf(yes bool) float32 {
	if yes {
		return 1
	}
	return 0
}

// first returns the first text that is not empty, in the order of the ranks.
func (t *team) first(text string) (string, error) {
	if t.group == nil {
		return text, nil
	}
	all, err := Texts(t.group, text)
	return cmp.Or(all...), err
}

// share makes sure that all ranks are to compute the same, and gives them the weights, the state and the cursor of rank
// 0.
func (t *Trainer) share() error {
	g := t.team.group
	if g == nil {
		return nil
	}
	var names strings.Builder
	for _, p := range t.Params {
		fmt.Fprintln(&names, p.Name, p.Shape)
	}
	solver, _ := t.step.learner()
	order := ""
	if l, ok := t.Train.(*data.Loader); ok {
		o := l.Options()
		o.Workers = 0 // they change nothing
		order = fmt.Sprintf("%+v", o)
	}
	for _, same := range []struct{ what, text string }{
		{"the options", fmt.Sprintf("%+v", t.Options)}, {"the network's parameters", names.String()},
		{"the kernel set (ATTNCONV_KERNELS)", KernelsOf(nil)},
		{"the batches", fmt.Sprint(t.Train.Shape(), t.Train.Batches(), t.Train.Len())},
		{"the order and augmentation of the images", order},
	} {
		if err := agree(g, same.what, same.text); err != nil {
			return err
		}
	}
	for _, p := range t.Params {
		if err := broadcast(g, p.Data); err != nil {
			return err
		}
	}
	for _, state := range t.State() {
		if err := broadcast(g, state.Data); err != nil {
			return err
		}
	}
	cursors, err := Texts(g, t.CursorText())
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(cursors[0]), &t.Cursor); err != nil {
		return fmt.Errorf("the cursor of rank 0: %w", err)
	}
	solver.SetSteps(t.Cursor.Step - t.Cursor.Skipped)
	return nil
}

// outputs is e's Outputs of val: each rank computes some of the batches, consecutive ones, and gets all. stop says that
// ctx is done, on any rank.
func (t *team) outputs(ctx context.Context, e *Evaluator, val Batches, limit int) (o Outputs, stop bool, err error) {
	if t.group == nil {
		o, err = e.Outputs(ctx, val, limit)
		return o, ctx.Err() != nil, err
	}
	batches, ranks, o := val.Batches(), t.size(), Outputs{Classes: e.classes}
	if limit > 0 {
		batches = min(batches, limit)
	}
	if from, to := batches*t.rank()/ranks, batches*(t.rank()+1)/ranks; from < to {
		o, err = e.outputs(ctx, val, from, to)
	}
	if stop = ctx.Err() != nil; err != nil && !stop {
		return o, false, err
	}
	if stop, _, err = t.any(stop, false); stop || err != nil {
		return o, stop, err
	}
	// A row for each image: label, logits. Rows that are not there have label -1.
	width, rows := 1+o.Classes, (batches+ranks-1)/ranks*e.shape[0]
	own, all := make([]float32, rows*width), make([]float32, ranks*rows*width)
	for i := range rows {
		row := own[i*width : (i+1)*width]
		if row[0] = -1; i < o.Len() {
			row[0] = float32(o.Labels[i])
			copy(row[1:], o.Row(i))
		}
	}
	if err := t.group.Gather(all, own); err != nil {
		return o, false, err
	}
	o.Logits, o.Labels = nil, nil
	for rank := range ranks {
		block := all[rank*len(own):][:len(own)]
		for i := range rows {
			if row := block[i*width : (i+1)*width]; row[0] >= 0 {
				o.Labels, o.Logits = append(o.Labels, int32(row[0])), append(o.Logits, row[1:]...)
			}
		}
	}
	return o, false, nil
}
