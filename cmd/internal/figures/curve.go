package figures

import (
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
)

// A CurveRun is a run with its settings and finished epochs.
type CurveRun struct {
	Path   string
	Status run.Status
	Config configs.Run
	Epochs []event.Epoch

	Classes []string // names of the classes, where they are known

	Machines []study.Machine // that trained it; one, unless it was resumed under other conditions
}

// ReadRun reads a run for a curve. It has no epochs if none is finished yet.
func ReadRun(dir *run.Dir) (r CurveRun, err error) {
	r.Path, r.Status = dir.Path, dir.Status()
	if r.Config, err = configs.Of(dir); err != nil {
		return r, err
	}
	records, err := dir.Records(event.Kind(event.Start{}), event.Kind(event.Epoch{}))
	for _, record := range records {
		if e, ok := record.Event.(event.Epoch); ok {
			r.Epochs = append(r.Epochs, e)
		}
	}
	if err != nil {
		return r, err
	}
	environment, err := dir.Environment()
	r.Machines = study.MachinesOf(environment, r.Status, records)
	return r, err
}

// A Curve is one line with a band: runs that differ only in the seed.
type Curve struct {
	Name string
	Runs []CurveRun // each with a finished epoch
}

// Each returns a curve for every run that has finished an epoch.
func Each(runs ...CurveRun) (curves []Curve) {
	for _, r := range runs {
		if len(r.Epochs) > 0 {
			curves = append(curves, Curve{Runs: []CurveRun{r}})
		}
	}
	name(curves)
	return curves
}

// Together returns one curve for the runs that differ only in the seed, in the order of the runs. Runs without a
// finished epoch have no part in it. Of two with the same seed, the newer counts; leftOut are the others, each with the
// run that counts.
func Together(all ...CurveRun) (curves []Curve, leftOut [][2]CurveRun) {
	for _, r := range all {
		if len(r.Epochs) == 0 {
			continue
		}
		settings := study.FromSettings(r.Status, r.Config)
		i := slices.IndexFunc(curves, func(c Curve) bool {
			return study.Alike(study.FromSettings(c.Runs[0].Status, c.Runs[0].Config), settings)
		})
		if i < 0 {
			curves = append(curves, Curve{Runs: []CurveRun{r}})
			continue
		}
		if older, newer, twice := curves[i].add(r); twice {
			leftOut = append(leftOut, [2]CurveRun{older, newer})
		}
	}
	name(curves)
	return curves, leftOut
}

// add adds a run to the curve, or chooses between it and the one with the same seed.
func (c *Curve) add(r CurveRun) (older, newer CurveRun, twice bool) {
	i := slices.IndexFunc(c.Runs, func(x CurveRun) bool { return x.Config.Seed == r.Config.Seed })
	if i < 0 {
		c.Runs = append(c.Runs, r)
		return older, newer, false
	}
	older = r
	if r.Status.Started.After(c.Runs[i].Status.Started) {
		older, c.Runs[i] = c.Runs[i], r
	}
	return older, c.Runs[i], true
}

// Best returns the best validation accuracy on whole images and its epoch, both as means over the runs. The accuracy is
// NaN if a run has none.
func (c Curve) Best() (acc, epoch float64) {
	for _, r := range c.Runs {
		most, when := r.best()
		acc, epoch = acc+most, epoch+float64(when)
	}
	return acc / float64(len(c.Runs)), epoch / float64(len(c.Runs))
}

// best returns the best validation accuracy on whole images, and its epoch; NaN and 0 if there is none.
func (r CurveRun) best() (acc float64, epoch int) {
	acc = math.NaN()
	for _, e := range r.Epochs {
		if e.Side == 0 && !(e.ValAcc <= acc) && !math.IsNaN(e.ValAcc) {
			acc, epoch = e.ValAcc, e.Epoch
		}
	}
	return acc, epoch
}

// Last returns the last epoch of the longest run, and the validation loss after the last epoch as a mean over the runs.
func (c Curve) Last() (epoch int, loss float64) {
	for _, r := range c.Runs {
		last := event.Epoch{ValLoss: math.NaN()}
		if n := len(r.Epochs); n > 0 {
			last = r.Epochs[n-1]
		}
		epoch, loss = max(epoch, last.Epoch), loss+last.ValLoss
	}
	return epoch, loss / float64(len(c.Runs))
}

// name gives every curve the shortest name that distinguishes it: encoding or model, then preset, then other settings
// that differ.
func name(curves []Curve) {
	values := make([]map[string]string, len(curves))
	for i, c := range curves {
		values[i] = c.Runs[0].Config.Texts()
		values[i]["from"] = c.Runs[0].Status.From
		curves[i].Name = c.Runs[0].Config.Model.ShortName()
	}
	var differing []string // keys in which curves differ
	for _, key := range configs.Keys() {
		if slices.ContainsFunc(values, func(v map[string]string) bool { return v[key] != values[0][key] }) {
			differing = append(differing, key)
		}
	}
	slices.Sort(differing)
	for _, key := range slices.Concat([]string{"preset", "data.name", "seed", "from"}, differing) {
		first := map[string]string{} // value of the first curve with a name
		split := map[string]bool{}   // names that the value distinguishes
		for i, c := range curves {
			if v, ok := first[c.Name]; ok && v != values[i][key] {
				split[c.Name] = true
			} else if !ok {
				first[c.Name] = values[i][key]
			}
		}
		for i, c := range curves {
			if split[c.Name] && values[i][key] != "" {
				curves[i].Name += ", " + word(key, values[i][key])
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
