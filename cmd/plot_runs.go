package cmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// A curveRun is a run as curves show it.
type curveRun struct {
	dir    string
	status run.Status
	config configs.Run
	epochs []run.Epoch
}

// A curveGroup is runs that are the same but for their seeds.
type curveGroup struct {
	name string
	runs []curveRun
}

// readCurves reads the runs that o names and groups them, in the order in which they are named.
func readCurves(c *console, o curvesOptions) (groups []curveGroup, err error) {
	refs := o.Refs
	if len(refs) == 0 {
		refs = []string{""}
	}
	found, err := c.findRuns(refs, curvesNeed, true)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		r, err := readCurve(f.Entry)
		if err != nil {
			return nil, err
		}
		if len(r.epochs) == 0 {
			c.warn(fmt.Sprintf("%s: no epoch is closed yet, so there is nothing to draw", r.dir))
			continue
		}
		same := func(g curveGroup) bool { return !o.Separate && study.Alike(g.runs[0].study(), r.study()) }
		if i := slices.IndexFunc(groups, same); i >= 0 {
			groups[i].add(c, r)
		} else {
			groups = append(groups, curveGroup{runs: []curveRun{r}})
		}
	}
	if len(groups) == 0 {
		return nil, usagef("", "nothing to draw: no epoch is closed yet")
	}
	nameGroups(groups)
	return groups, nil
}

// add adds a run to the group. Of two with one seed the newer counts: they are no two seeds.
func (g *curveGroup) add(c *console, r curveRun) {
	i := slices.IndexFunc(g.runs, func(x curveRun) bool { return x.config.Seed == r.config.Seed })
	if i < 0 {
		g.runs = append(g.runs, r)
		return
	}
	older := r
	if r.status.Started.After(g.runs[i].status.Started) {
		older, g.runs[i] = g.runs[i], r
	}
	c.warn(fmt.Sprintf("run %s is left out: run %s has its settings and its seed, and is newer\n  --separate draws both",
		older.status.ID, g.runs[i].status.ID))
}

func readCurve(e run.Entry) (r curveRun, err error) {
	dir, err := e.Open()
	if err != nil {
		return r, err
	}
	defer dir.Close()
	r.dir, r.status = e.Path, e.Status
	if r.config, err = runConfig(dir); err != nil {
		return r, err
	}
	records, err := dir.Records()
	for _, record := range records {
		if e, ok := record.Event.(run.Epoch); ok {
			r.epochs = append(r.epochs, e)
		}
	}
	return r, err
}

func (r curveRun) study() study.Run { return studyOf(r.status, r.config) }

// nameGroups gives every group the shortest name that tells it from the others: its encoding or model, then its preset,
// then what else is set differently.
func nameGroups(groups []curveGroup) {
	values := make([]map[string]string, len(groups))
	for i, g := range groups {
		values[i] = settingTexts(g.runs[0].config)
		values[i]["from"] = g.runs[0].status.From
	}
	var apart []string // keys on which groups differ
	for _, key := range configs.Keys() {
		if slices.ContainsFunc(values, func(v map[string]string) bool { return v[key] != values[0][key] }) {
			apart = append(apart, key)
		}
	}
	slices.Sort(apart)
	for i := range groups {
		groups[i].name = modelName(groups[i].runs[0].config.Model)
	}
	for _, key := range slices.Concat([]string{"preset", "data.name", "seed", "from"}, apart) {
		first := map[string]string{} // value of the first group with a name
		split := map[string]bool{}   // names that the value tells apart
		for i, g := range groups {
			if v, ok := first[g.name]; ok && v != values[i][key] {
				split[g.name] = true
			} else if !ok {
				first[g.name] = values[i][key]
			}
		}
		for i, g := range groups {
			if split[g.name] && values[i][key] != "" {
				groups[i].name += ", " + word(key, values[i][key])
			}
		}
	}
}

// word is a setting in a curve's name.
func word(key, value string) string {
	if key == "preset" || key == "data.name" {
		return value
	}
	return key[strings.LastIndexByte(key, '.')+1:] + " " + value
}

// settingTexts are the settings of a run, by key.
func settingTexts(r configs.Run) map[string]string {
	texts := map[string]string{}
	for _, v := range r.Values() {
		texts[v.Key] = v.Text
	}
	return texts
}

// legend is what the legend says behind a curve's name.
func (g curveGroup) legend() string {
	r := g.row()
	note := ""
	if len(g.runs) > 1 {
		note = fmt.Sprintf("%d seeds, ", len(g.runs))
	}
	if r.Best == nil {
		return strings.TrimSuffix(note, ", ")
	}
	return fmt.Sprintf("%sbest %.1f %%", note, 100**r.Best)
}

// row is the group in numbers.
func (g curveGroup) row() curveRow {
	row := curveRow{Name: g.name}
	var best, at, loss float64
	for _, r := range g.runs {
		row.Runs = append(row.Runs, r.status.ID)
		row.Epochs = max(row.Epochs, r.epochs[len(r.epochs)-1].Epoch)
		most, when := math.NaN(), 0
		for _, e := range r.epochs {
			if !(e.ValAcc <= most) && !math.IsNaN(e.ValAcc) {
				most, when = e.ValAcc, e.Epoch
			}
		}
		best, at, loss = best+most, at+float64(when), loss+r.epochs[len(r.epochs)-1].ValLoss
	}
	n := float64(len(g.runs))
	row.Best, row.At, row.Loss = finite(best/n), at/n, finite(loss/n)
	return row
}
