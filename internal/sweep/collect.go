package sweep

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/study/stats"
)

// A Collection summarizes the runs of a sweep at one moment.
type Collection struct {
	V    int    `json:"v"`    // 1
	Path string `json:"path"` // of its folder
	// number of runs in each state: those of a run, waiting, broken, paused and pruned
	States map[string]int `json:"states"`
	Points []*Point       `json:"points"` // the highest validation accuracy first
	// the validation accuracy of some trial is that of the test set, so that no point is chosen
	OnTest bool `json:"-"`

	Plan   *Plan `json:"-"`
	trials []trialResult
	points []*point // in the order of Points
}

// A trialResult is the state of a trial and what its run reached.
type trialResult struct {
	state  string
	status run.Status
	point  *point
}

// A point is a Point in the making.
type point struct {
	Point
	values                    []string   // of the axes except the seed
	val, test                 study.Part // of the images that the accuracies are of: the smallest of its runs
	valAccs, testAccs, wallSs []float64
}

// Collect reads the trials of a sweep and sorts its points, the best by validation accuracy first. Only chosen points
// keep their test accuracy: the others must not be selected by it.
func Collect(p *Plan) (*Collection, error) {
	if p == nil {
		return nil, errNoPlan
	}
	onTest, limited, err := evaluationOf(p)
	if err != nil {
		return nil, err
	}
	c := &Collection{V: 1, Path: p.Path, Plan: p, States: map[string]int{}, OnTest: onTest}
	points := map[string]*point{}
	read := make([]trialResult, len(p.Trials))
	s := p.standing(nil)
	for i := range read {
		read[i].state, read[i].status = s.state(i), s.all[i].status
	}
	for i, t := range p.Trials {
		q := newPoint(p.Axes, t.Values)
		key := strings.Join(q.values, "\n")
		if points[key] == nil {
			points[key] = q
			c.points = append(c.points, q)
		}
		r := read[i]
		r.point = points[key]
		r.point.add(r, p.Dir(i))
		r.point.val = r.point.val.Least(study.PartOf("val", r.status, limited[i]))
		r.point.test = r.point.test.Least(study.PartOf("test", r.status, limited[i]))
		c.trials = append(c.trials, r)
		c.States[r.state]++
	}
	for _, q := range c.points {
		q.ValAcc, q.TestAcc, q.WallS = spread(q.valAccs), spread(q.testAccs), spread(q.wallSs)
		q.ValOn, q.TestOn = q.val.On("val"), q.test.On("test")
	}
	if !onTest {
		slices.SortStableFunc(c.points, func(a, b *point) int { return descending(a.ValAcc, b.ValAcc) })
	}
	for _, q := range c.points {
		c.Points = append(c.Points, &q.Point)
	}
	markBest(c.Points, !onTest && c.Left() == 0)
	return c, nil
}

// Left counts the trials that have neither finished nor diverged, nor been pruned.
func (c *Collection) Left() int {
	return len(c.trials) - c.States[event.Done] - c.States[event.Diverged] - c.States[Pruned]
}

// spread ignores NaN, and returns nil without values.
func spread(x []float64) *Spread {
	if x = slices.DeleteFunc(x, math.IsNaN); len(x) == 0 {
		return nil
	}
	s := stats.Summarize(stats.Accuracies{Runs: x})
	return &Spread{N: s.N, Mean: s.Mean, Std: null.Float(s.Std)}
}

// descending orders spreads by their means, the highest first, unknown ones last.
func descending(a, b *Spread) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(b.Mean, a.Mean)
}

func newPoint(axes []Axis, values []string) *point {
	q := &point{Point: Point{Settings: map[string]string{}, Runs: []string{}}}
	for i, a := range axes {
		if a.Key != Seed {
			q.Settings[a.Key] = values[i]
			q.values = append(q.values, values[i])
		}
	}
	return q
}

func (q *point) add(r trialResult, dir string) {
	q.Planned++
	switch r.state {
	case event.Diverged:
		q.Diverged++
	case Pruned:
		q.Pruned++
	case event.Done:
		q.Runs = append(q.Runs, dir)
		q.valAccs = append(q.valAccs, r.status.ValAcc)
		q.testAccs = append(q.testAccs, r.status.TestAcc)
		q.wallSs = append(q.wallSs, r.status.WallS)
	}
}

// evaluationOf reports whether any trial validates on the test set, by the protocol paper, and returns the settings of
// the trials that evaluate a part of the images; nil for the others. Settings without the words are not parsed.
func evaluationOf(p *Plan) (onTest bool, limited []*configs.Run, err error) {
	var any atomic.Bool
	limited, errs := make([]*configs.Run, len(p.Trials)), make([]error, len(p.Trials))
	p.each(len(errs), func(i int) {
		text, err := run.ReadFile(p.Config(i))
		if err == nil && (bytes.Contains(text, []byte("paper")) ||
			!bytes.Contains(text, []byte("limit_val_batches: 0\n"))) {
			var config configs.Run
			if config, err = configs.Parse(p.Config(i), text); err == nil {
				if config.Train.ValBatches > 0 {
					limited[i] = &config
				}
				if config.Data.OnTest() {
					any.Store(true)
				}
			}
		}
		errs[i] = err
	})
	return any.Load(), limited, cmp.Or(errs...)
}

// markBest marks the first point of each model as chosen, if allowed, and removes the test accuracy of all others.
func markBest(all []*Point, allowed bool) {
	seen := map[string]bool{}
	for _, q := range all {
		model := q.Settings["model.kind"] + " " + q.Settings["model.encoding"]
		q.Chosen = allowed && q.ValAcc != nil && !seen[model]
		seen[model] = true
		if !q.Chosen {
			q.TestAcc = nil
		}
	}
}

// Table has a row for each combination of settings. Mean and deviation share a cell in text, and have their own in CSV.
func (c *Collection) Table() *table.Table {
	t := &table.Table{}
	for _, a := range c.Plan.Axes {
		if a.Key != Seed {
			t.Columns = append(t.Columns, table.Column{Head: configs.ShortKey(a.Key), Key: a.Key, Name: true})
		}
	}
	t.Columns = append(t.Columns, table.Column{Head: "n", Right: true}, table.Column{Key: "finished"},
		table.Column{Key: "planned"}, table.Column{Key: "diverged"})
	spreads := []struct {
		head, key string
		of        func(q *point) (*Spread, study.Part)
		text      func(s *Spread) string
	}{{"val acc", "val_acc", func(q *point) (*Spread, study.Part) { return q.ValAcc, q.val }, percent},
		{"test acc", "test_acc", func(q *point) (*Spread, study.Part) { return q.TestAcc, q.test }, percent},
		{"time a run", "wall_s", func(q *point) (*Spread, study.Part) { return q.WallS, study.Part{} }, period}}
	for _, m := range spreads {
		t.Columns = append(t.Columns, table.Column{Head: m.head, Right: true}, table.Column{Key: m.key + "_mean"},
			table.Column{Key: m.key + "_std"})
	}
	for _, q := range c.points {
		var cells []table.Cell
		for _, value := range q.values {
			cells = append(cells, table.Words(value))
		}
		n := fmt.Sprintf("%d/%d", len(q.Runs), q.Planned)
		if q.Diverged > 0 {
			n += fmt.Sprintf(", %d diverged", q.Diverged)
		}
		if q.Pruned > 0 {
			n += fmt.Sprintf(", %d pruned", q.Pruned)
		}
		cells = append(cells, table.Cell{Text: n}, table.Cell{Value: len(q.Runs)}, table.Cell{Value: q.Planned},
			table.Cell{Value: q.Diverged})
		for _, m := range spreads {
			mean, std := table.Cell{}, table.Cell{}
			x, part := m.of(q)
			text := m.text(x)
			if x != nil {
				mean.Value, text = x.Mean, part.Mark()+text
			}
			if x != nil && x.Std.Known() {
				std.Value = float64(x.Std)
			}
			cells = append(cells, table.Cell{Text: text}, mean, std)
		}
		t.Add(cells...)
	}
	var val, test []study.Part
	for _, q := range c.points {
		if q.ValAcc != nil {
			val = append(val, q.val)
		}
		if q.TestAcc != nil {
			test = append(test, q.test)
		}
	}
	t.Notes = append(study.PartNotes("val", val...), study.PartNotes("test", test...)...)
	return t
}

// Unshown counts the points with finished runs whose test accuracy is not shown, because they are not chosen.
func (c *Collection) Unshown() (n int) {
	for _, q := range c.points {
		if q.TestAcc == nil && len(q.Runs) > 0 {
			n++
		}
	}
	return n
}

func percent(s *Spread) string {
	switch {
	case s == nil:
		return "-"
	case !s.Std.Known():
		return fmt.Sprintf("%.2f %%", 100*s.Mean)
	}
	return fmt.Sprintf("%.2f ± %.2f %%", 100*s.Mean, 100*s.Std)
}

func period(s *Spread) string {
	if s == nil {
		return "-"
	}
	return table.Seconds(s.Mean)
}

// CSV returns a line for each trial, below the names of the columns. Unknown values are empty.
func (c *Collection) CSV() ([]byte, error) {
	if c.Plan == nil {
		return nil, errNoPlan
	}
	head := []string{"trial"}
	for _, a := range c.Plan.Axes {
		head = append(head, a.Key)
	}
	rows := [][]string{append(head, "state", "epochs", "best_epoch", "val_acc", "test_acc", "train_loss", "wall_s",
		"run")}
	for i, r := range c.trials {
		row := append([]string{strconv.Itoa(i)}, c.Plan.Trials[i].Values...)
		if !Resumable(r.state) {
			rows = append(rows, append(row, r.state, "", "", "", "", "", "", ""))
			continue
		}
		testAcc := math.NaN()
		if r.point.Chosen && r.state == event.Done {
			testAcc = r.status.TestAcc
		}
		rows = append(rows, append(row, r.state, strconv.Itoa(r.status.Epoch), strconv.Itoa(r.status.BestEpoch),
			cell(r.status.ValAcc), cell(testAcc), cell(r.status.TrainLoss), cell(r.status.WallS), c.Plan.Dir(i)))
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// cell formats a value for CSV; one that is not finite is empty.
func cell(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 8, 64)
}
