// Package listing reads the runs of a folder into rows, and writes them: what runs ls, runs show, report and the page
// of serve have in common.
package listing

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// A Query says which runs of a folder to list.
type Query struct {
	Sort  string         // of Orders; "": the newest first
	State string         // only runs in this state; "": any
	Tags  []string       // only runs with all of these
	Where []configs.Flag // only runs with all of these settings, whose networks use them
	Last  int            // at most so many; 0: all
}

// A ListRow is a run, as a line of a list.
type ListRow struct {
	Record
	Val, Test study.Part      // of the images that ValAcc and TestAcc are of
	Label     string          // the name that the user gave the run; "": none
	Config    *configs.Run    // nil: it cannot be read
	Differing []configs.Value // settings that differ from the preset, in the order of the file
}

// An Order is one way to sort a list of runs.
type Order struct {
	Name    string
	compare func(a, b ListRow) int
}

// Entry implements option.Named.
func (o Order) Entry() (name, help string) { return o.Name, "" }

// Orders lists the orders; the first is the default. The newest, best or longest run comes first, one without a value
// last.
var Orders = option.List[Order]{
	{"when", func(a, b ListRow) int { return b.Started.Compare(a.Started) }},
	{"val_acc", func(a, b ListRow) int { return descending(a.ValAcc, b.ValAcc) }},
	{"test_acc", func(a, b ListRow) int { return descending(a.TestAcc, b.TestAcc) }},
	{"time", func(a, b ListRow) int { return descending(a.WallS, b.WallS) }},
	{"epoch", func(a, b ListRow) int { return cmp.Compare(b.Epoch, a.Epoch) }},
	{"state", func(a, b ListRow) int { return strings.Compare(a.State, b.State) }},
	{"model", func(a, b ListRow) int { return strings.Compare(a.Network(), b.Network()) }},
	{"data", func(a, b ListRow) int { return strings.Compare(a.Data, b.Data) }},
}

// descending has unknown values last.
func descending(a, b null.Float) int { return cmp.Compare(b, a) }

// Network names kind and encoding of the run's network.
func (l ListRow) Network() string { return strings.TrimSpace(l.Model + " " + l.Encoding) }

// List lists the runs in the folder root. A run that cannot be read has the state unreadable, and its error. The error
// is an *option.Error for an unknown order.
func List(root string, o Query) ([]ListRow, error) {
	if o.Sort = cmp.Or(o.Sort, Orders.Default()); !Orders.Has(o.Sort) {
		return nil, Orders.Check("sort", o.Sort)
	}
	list, err := run.List(root)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, o.skips)
	slices.Reverse(list)
	all := slices.DeleteFunc(ReadAll(list), func(l ListRow) bool {
		return slices.ContainsFunc(o.Where, func(f configs.Flag) bool { return !l.has(f) })
	})
	slices.SortStableFunc(all, Orders.Find(o.Sort).compare)
	if o.Last > 0 && len(all) > o.Last {
		all = all[:o.Last]
	}
	return all, nil
}

// DropShared returns the list without the differences from the preset that all of several runs share.
func DropShared(list []ListRow) []ListRow {
	if len(list) < 2 {
		return list
	}
	list = slices.Clone(list)
	for i, l := range list {
		list[i].Differing = slices.DeleteFunc(slices.Clone(l.Differing), func(v configs.Value) bool {
			return !slices.ContainsFunc(list, func(other ListRow) bool {
				text, differs := other.Differs[v.Key]
				return other.Config != nil && (!differs || text != v.Text)
			})
		})
	}
	return list
}

// Conditions says what a run has that is in the list.
func (o Query) Conditions() string {
	var all []string
	if o.State != "" {
		all = append(all, "the state "+o.State)
	}
	for _, tag := range o.Tags {
		all = append(all, "the tag "+tag)
	}
	for _, f := range o.Where {
		all = append(all, configs.ShortKey(f.Key)+" "+f.Text)
	}
	return strings.Join(all, " and ")
}

// skips reports whether run.json excludes a run from the list.
func (o Query) skips(e run.Entry) bool {
	return o.State != "" && e.State != o.State ||
		slices.ContainsFunc(o.Tags, func(tag string) bool { return !slices.Contains(e.Status.Tags, tag) })
}

// has reports whether a run has a setting, and its network uses it.
func (l ListRow) has(f configs.Flag) bool {
	if l.Config == nil || !l.Config.Uses(f.Key) {
		return false
	}
	differ, err := configs.Sources{Flags: []configs.Flag{f}}.Differences(*l.Config)
	return err == nil && len(differ) == 0
}

// ReadAll reads runs for a list, in parallel: parsing settings takes most of the time.
func ReadAll(list []run.Entry) []ListRow {
	all := make([]ListRow, len(list))
	workers := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			presets := map[string]configs.Run{}
			for i := worker; i < len(list); i += workers {
				all[i] = read(list[i], presets)
			}
		})
	}
	group.Wait()
	return all
}

// Read reads one run for a list.
func Read(e run.Entry) ListRow { return read(e, map[string]configs.Run{}) }

// read reads a run for a list. presets caches resolved presets.
func read(e run.Entry, presets map[string]configs.Run) ListRow {
	s := e.Status
	if e.Err != nil {
		return ListRow{Record: Record{Name: e.Name, Path: e.Path, State: Unreadable, Tags: []string{},
			Error:  e.Err.Error(),
			ValAcc: null.Unknown, TestAcc: null.Unknown, WallS: null.Unknown}}
	}
	l := ListRow{Record: Record{
		ID: s.ID, Name: e.Name, Path: e.Path, State: e.State, Why: e.Why, Started: s.Started, Preset: s.Preset,
		Model: s.Model, Encoding: s.Encoding, Data: s.Data, Seed: s.Seed, Params: s.Params, Epoch: s.Epoch,
		Epochs: s.Epochs,
		Step:   s.Step, Steps: s.Steps, Best: s.BestEpoch, ValAcc: null.Float(s.ValAcc), TestAcc: null.Float(s.TestAcc),
		WallS: null.Float(s.WallS), Tags: append([]string{}, s.Tags...), Note: s.Note,
	}, Label: e.Label()}
	config, err := configs.OfEntry(e)
	if err != nil {
		return l
	}
	l.Config, l.Differs = &config, map[string]string{}
	l.Val, l.Test = study.PartOf("val", s, &config), study.PartOf("test", s, &config)
	l.ValOn, l.TestOn = l.Val.On("val"), l.Test.On("test")
	base, ok := presets[s.Preset]
	if !ok {
		base = configs.Run{Preset: s.Preset}.Base()
		presets[s.Preset] = base
	}
	// in columns of their own
	shown := []string{"preset", "model.encoding", "model.kind", "data.name", "model.classes", "model.image"}
	for _, v := range config.Unlike(base) {
		if !slices.Contains(shown, v.Key) && config.Uses(v.Key) {
			l.Differing = append(l.Differing, v)
			l.Differs[v.Key] = v.Text
		}
	}
	return l
}

// results lists the results of runs; as text, they are those of Columns.
func results(list []ListRow) (all []ResultDiff) {
	for _, r := range []struct {
		name, column string
		of           func(l ListRow) null.Float
	}{
		{"val_acc", "val_acc", func(l ListRow) null.Float { return l.ValAcc }},
		{"test_acc", "test_acc", func(l ListRow) null.Float { return l.TestAcc }},
		{"best_epoch", "best_epoch", func(l ListRow) null.Float { return null.Float(l.Best) }},
		{"epoch", "epochs", func(l ListRow) null.Float { return null.Float(l.Epoch) }},
		{"params", "params", func(l ListRow) null.Float { return null.Float(l.Params) }},
		{"wall_s", "time", func(l ListRow) null.Float { return l.WallS }},
	} {
		d := ResultDiff{Name: r.name, Head: strings.ReplaceAll(r.column, "_", " ")}
		for _, l := range list {
			d.Values = append(d.Values, r.of(l))
			d.Texts = append(d.Texts, Columns.Find(r.column).cell(l).Text)
		}
		all = append(all, d)
	}
	return all
}

// Unreadable is the state of a listed run whose run.json cannot be read.
const Unreadable = "unreadable"

// Diff describes the settings in which runs differ, and their results.
func Diff(runs []run.Entry) (d SettingsDiff, err error) {
	d = SettingsDiff{V: 1, Settings: []SettingDiff{}, Results: results(ReadAll(runs))}
	for i, e := range runs {
		config, err := configs.OfEntry(e)
		if err != nil {
			return d, err
		}
		d.Runs = append(d.Runs, e.Status.ID)
		for j, v := range config.Values() {
			if i == 0 {
				d.Settings = append(d.Settings, SettingDiff{Key: v.Key})
			}
			d.Settings[j].Values = append(d.Settings[j].Values, v.Text)
		}
	}
	d.Settings = slices.DeleteFunc(d.Settings, func(s SettingDiff) bool {
		return !slices.ContainsFunc(s.Values, func(v string) bool { return v != s.Values[0] })
	})
	return d, nil
}
