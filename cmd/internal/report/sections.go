package report

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
)

// write writes all sections.
func (r *report) write(ctx context.Context, shown []run.Entry, o Options) error {
	var models []*trained.Model
	for _, e := range shown[:min(len(r.groups), mostModels, len(shown))] {
		if m, err := trained.Open(e.Path); err == nil { // other runs have no weights
			models = append(models, m)
		}
	}
	r.head(ctx, models, o.Tell)
	r.results()
	if err := r.heads(ctx, models, o); err != nil {
		return err
	}
	if err := r.figures(); err != nil {
		return err
	}
	r.runs()
	r.settings()
	r.commands()
	r.environment()
	r.element(`p class="note"`, "Written by attnconv "+attnconv.Built()+". The other tabs of this page compute what they "+
		"show from up to "+strconv.Itoa(mostViews)+" of the runs, as far as they fit into the file. Nothing on it asks "+
		"another machine for anything.")
	return nil
}

// head says what was found: accuracies, the difference from the baseline, and what the layers of these models became.
func (r *report) head(ctx context.Context, models []*trained.Model, tell func(stage string)) {
	best := r.comparison.Rows[0]
	for _, row := range r.comparison.Rows {
		if row.Mean > best.Mean {
			best = row
		}
	}
	data := filepath.Base(cmp.Or(best.Runs[0].Value("data.name"), "?"))
	images := cmp.Or(best.On, "the "+study.Part{}.Images(strings.TrimSuffix(r.comparison.Metric, "_acc")))
	r.WriteString(`<div class="lede">` + "\n")
	switch {
	case !best.Mean.Known():
		r.element("h1", fmt.Sprintf("%s on %s: no epoch is finished yet.", best.Name, data))
	case len(r.groups) == 1:
		r.element("h1", fmt.Sprintf("%s gets %s of %s of %s right.", best.Name, table.Percent(best.Mean), images, data))
	default:
		r.element("h1", fmt.Sprintf("Of %s, %s gets the most of %s of %s right: %s.",
			table.Count(len(r.groups), "model"), best.Name, images, data, table.Percent(best.Mean)))
	}
	words := table.Count(len(r.all), "run")
	if n := best.N; n > 1 {
		words += fmt.Sprintf("; the accuracy is a mean over %d seeds", n)
	}
	if best.CI.Known() {
		words += fmt.Sprintf(", with a 95 %% interval from %.1f to %.1f %%", 100*best.CI.Lo, 100*best.CI.Hi)
		if !slices.Contains(best.CICovers, "seeds") {
			words += " that covers other test images, but not other seeds"
		}
	}
	r.element("p", words+".")
	if r.comparison.Baseline != nil {
		r.element("p", r.comparison.Sentence())
	}
	for i, m := range models {
		tell(fmt.Sprintf("layers of run %d of %d", i+1, len(models)))
		if layers, heads, err := m.Summarize(ctx); err == nil && layers != "" {
			r.element("p", m.ID()+". "+layers+" "+heads)
		}
	}
	r.WriteString("</div>\n")
}

// results writes the comparison of the models.
func (r *report) results() {
	r.element("h2", "Results")
	var names []string
	for _, c := range r.comparison.TableFor("markdown", nil).Columns {
		if names = append(names, c.Word); c.Word == "acc" {
			names = append(names, "interval")
		}
	}
	t := r.comparison.Table(distinct(names))
	r.element(`p class="note"`, "All models: "+t.Title+".")
	r.table(t)
}

// distinct returns the words, each once.
func distinct(words []string) (all []string) {
	for _, w := range words {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// runs writes a table of the runs, with the settings in which they differ.
func (r *report) runs() {
	r.element("h2", "Runs")
	columns := []string{"id", "label", "model", "data", "seed", "state", "epochs", "best_epoch", "val_acc", "test_acc",
		"time"}
	r.table(listing.Table(r.list, columns))
	for _, l := range r.list {
		if l.Note != "" || len(l.Tags) > 0 {
			words := append(slices.Clone(l.Tags), l.Note)
			r.element(`p class="note"`, l.ID+": "+strings.TrimSpace(strings.Join(words, " ")))
		}
	}
	if len(r.all) == 1 {
		r.folded("Epochs", func() { r.table(epochTable(r.curves[0].Epochs)) })
	}
}

// epochTable lists epochs.
func epochTable(epochs []event.Epoch) *table.Table {
	number := func(head string, text func(e event.Epoch) string) table.Field[event.Epoch] {
		return table.For(table.Column{Head: head, Right: true}, func(e event.Epoch) table.Cell {
			return table.Words(text(e))
		})
	}
	known := func(format string, x float64) string {
		if x != x {
			return "–"
		}
		return fmt.Sprintf(format, x)
	}
	return table.Fill(&table.Table{}, []table.Field[event.Epoch]{
		number("epoch", func(e event.Epoch) string { return fmt.Sprint(e.Epoch) }),
		number("train loss", func(e event.Epoch) string { return known("%.4f", e.TrainLoss) }),
		number("train acc", func(e event.Epoch) string { return table.Percent(e.TrainAcc) }),
		number("val loss", func(e event.Epoch) string { return known("%.4f", e.ValLoss) }),
		number("val acc", func(e event.Epoch) string { return table.Percent(e.ValAcc) }),
		number("lr", func(e event.Epoch) string { return known("%.3g", e.LR) }),
		number("time", func(e event.Epoch) string { return table.Period(e.WallS) }),
	}, epochs)
}

// settings writes the settings in which the runs differ, and those that they share.
func (r *report) settings() {
	r.element("h2", "Settings")
	var keys []string
	for _, v := range r.curves[0].Config.Values() {
		keys = append(keys, v.Key)
	}
	texts := make([]map[string]string, len(r.curves))
	for i, c := range r.curves {
		texts[i] = c.Config.Texts()
		for key := range texts[i] {
			if ofModel, is := strings.CutPrefix(key, "model."); is && !c.Config.Model.Uses(ofModel) {
				texts[i][key] = "–"
			}
		}
	}
	differ := func(key string) bool {
		return slices.ContainsFunc(texts, func(t map[string]string) bool { return t[key] != texts[0][key] })
	}
	shared := &table.Table{Columns: []table.Column{{Head: "setting", Name: true}, {Head: "value"}}}
	var differing []string
	for _, key := range keys {
		switch {
		case differ(key):
			differing = append(differing, key)
		case texts[0][key] != "–":
			shared.Add(table.Words(key), table.Words(texts[0][key]))
		}
	}
	switch {
	case len(r.curves) == 1:
		r.element("p", "Other than in its preset: "+cmp.Or(r.list[0].Differences(), "nothing")+".")
	case differing == nil:
		r.element("p", "The runs have the same settings.")
	default:
		r.element("p", "The runs differ in:")
		for first := 0; first < len(texts); first += mostColumns {
			r.differing(differing, texts, first)
		}
	}
	summary := table.Count(len(shared.Rows), "setting")
	if len(r.curves) > 1 {
		summary += " that all runs share"
	}
	r.folded(summary, func() { r.table(shared) })
}

// differing writes settings of some runs, a row each.
func (r *report) differing(keys []string, texts []map[string]string, first int) {
	t := &table.Table{Columns: []table.Column{{Head: "setting", Name: true}}}
	last := min(first+mostColumns, len(texts))
	for _, c := range r.curves[first:last] {
		t.Columns = append(t.Columns, table.Column{Head: c.Status.ID})
	}
	for _, key := range keys {
		row := []table.Cell{table.Words(key)}
		for _, of := range texts[first:last] {
			row = append(row, table.Words(of[key]))
		}
		t.Add(row...)
	}
	r.table(t)
}

// commands writes how the runs were made.
func (r *report) commands() {
	r.element("h2", "Commands")
	r.element("p", "These commands made the runs:")
	r.WriteString("<dl class=\"commands\">\n")
	for i, x := range r.all {
		r.element("dt", x.ID)
		args := x.Environment.Args
		if len(args) == 0 {
			r.element("dd", "unknown")
			continue
		}
		r.WriteString("<dd>")
		r.element("code", shell.Command(append([]string{"attnconv"}, args[1:]...)...))
		if from := r.curves[i].Status.From; from != "" {
			r.element(`span class="note"`, " from the weights of "+from)
		}
		r.WriteString("</dd>\n")
	}
	r.WriteString("</dl>\n")
}

// facts lists what is said of program, machine and data of a run.
var facts = []struct {
	name string
	of   func(x study.Run) string
}{
	{"program", func(x study.Run) string { return x.Environment.Version }},
	{"its commit", func(x study.Run) string { return commit(x.Environment.Commit, x.Environment.Dirty) }},
	{"commit of the folder", func(x study.Run) string {
		if f := x.Environment.Folder; f != nil {
			return commit(&f.Commit, f.Dirty)
		}
		return "none"
	}},
	{"Go", func(x study.Run) string { return x.Environment.Go }},
	{"system", func(x study.Run) string { return x.Environment.OS + "/" + x.Environment.Arch }},
	{"machine", func(x study.Run) string {
		var all []string
		for _, m := range x.Machines {
			all = append(all, m.String())
		}
		return strings.Join(all, "; ")
	}},
	{"cores", func(x study.Run) string { return strconv.Itoa(x.Environment.Cores) }},
	{"memory", func(x study.Run) string { return table.Size(x.Environment.Memory) }},
	{"SHA-256 of the training images", func(x study.Run) string { return x.Environment.DataDigest }},
	{"started", func(x study.Run) string { return x.Environment.Time.UTC().Format("2006-01-02 15:04 UTC") }},
}

// commit names the source of a program.
func commit(hash *string, dirty *bool) string {
	switch {
	case hash == nil:
		return ""
	case dirty != nil && *dirty:
		return *hash + ", with changes"
	}
	return *hash
}

// environment writes programs, machines and data: the value that all runs share, or each value with its runs.
func (r *report) environment() {
	r.element("h2", "Environment")
	t := &table.Table{Columns: []table.Column{{Head: "what", Name: true}, {Head: "value"}}}
	for _, f := range facts {
		var kinds []string
		with := map[string][]string{} // ids
		for _, x := range r.all {
			kind := cmp.Or(f.of(x), "unknown")
			kinds, with[kind] = append(kinds, kind), append(with[kind], x.ID)
		}
		for _, kind := range distinct(kinds) {
			if len(with) == 1 {
				t.Add(table.Words(f.name), table.Words(kind))
			} else {
				t.Add(table.Words(f.name), table.Words(kind+" ("+strings.Join(with[kind], ", ")+")"))
			}
		}
	}
	r.table(t)
}
