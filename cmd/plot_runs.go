package cmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// A curveRun is a run with its epochs.
type curveRun struct {
	dir    string
	status run.Status
	config configs.Run
	epochs []run.Epoch
}

// A curveGroup is one curve: runs that differ only in the seed.
type curveGroup struct {
	name string
	runs []curveRun
}

// readCurves reads the runs that o names, and groups them in that order.
func readCurves(c *cli.Console, o curvesOptions) (groups []curveGroup, err error) {
	refs := o.Refs
	if len(refs) == 0 {
		refs = []string{""}
	}
	found, err := c.FindRuns(refs, cli.NeedCurves, study.SeedsOf)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		r, err := readCurve(f.Entry)
		if err != nil {
			return nil, err
		}
		if len(r.epochs) == 0 {
			c.Warn(fmt.Sprintf("%s: no epoch is finished yet, so there is nothing to draw", r.dir))
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
		return nil, cli.Usagef("", "nothing to draw: no epoch is finished yet")
	}
	nameGroups(groups)
	return groups, nil
}

// add adds a run to the group. Of two runs with the same seed, the newer counts.
func (g *curveGroup) add(c *cli.Console, r curveRun) {
	i := slices.IndexFunc(g.runs, func(x curveRun) bool { return x.config.Seed == r.config.Seed })
	if i < 0 {
		g.runs = append(g.runs, r)
		return
	}
	older := r
	if r.status.Started.After(g.runs[i].status.Started) {
		older, g.runs[i] = g.runs[i], r
	}
	c.Warn(fmt.Sprintf("run %s is left out: run %s has the same settings and seed, and is newer\n  --separate draws both",
		older.status.ID, g.runs[i].status.ID))
}

func readCurve(e run.Entry) (r curveRun, err error) {
	dir, err := e.Open()
	if err != nil {
		return r, err
	}
	defer dir.Close()
	r.dir, r.status = e.Path, e.Status
	if r.config, err = configs.Of(dir); err != nil {
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

func (r curveRun) study() study.Run { return study.Configured(r.status, r.config) }

// nameGroups gives every group the shortest name that distinguishes it: encoding or model, then preset, then other
// settings that differ.
func nameGroups(groups []curveGroup) {
	values := make([]map[string]string, len(groups))
	for i, g := range groups {
		values[i] = settingTexts(g.runs[0].config)
		values[i]["from"] = g.runs[0].status.From
	}
	var differing []string // keys in which groups differ
	for _, key := range configs.Keys() {
		if slices.ContainsFunc(values, func(v map[string]string) bool { return v[key] != values[0][key] }) {
			differing = append(differing, key)
		}
	}
	slices.Sort(differing)
	for i := range groups {
		groups[i].name = groups[i].runs[0].config.Model.ShortName()
	}
	for _, key := range slices.Concat([]string{"preset", "data.name", "seed", "from"}, differing) {
		first := map[string]string{} // value of the first group with a name
		split := map[string]bool{}   // names that the value distinguishes
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

// word formats a setting for the name of a curve.
func word(key, value string) string {
	if key == "preset" || key == "data.name" {
		return value
	}
	return key[strings.LastIndexByte(key, '.')+1:] + " " + value
}

// settingTexts maps keys to the settings of a run.
func settingTexts(r configs.Run) map[string]string {
	texts := map[string]string{}
	for _, v := range r.Values() {
		texts[v.Key] = v.Text
	}
	return texts
}

// legend returns the text after a curve's name.
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
	row.Best, row.At, row.Loss = cli.Finite(best/n), at/n, cli.Finite(loss/n)
	return row
}
