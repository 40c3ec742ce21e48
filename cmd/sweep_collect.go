package cmd

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/sweep"
)

func newSweepCollect(c *console) *cobra.Command {
	var out, format string
	var force bool
	cmd := &cobra.Command{
		Use:   "collect [SWEEP] [flags]",
		Short: "Sum up a sweep: mean and deviation over seeds, best first",
		Long: "Sum up a sweep, the newest unless one is named: a line for each combination of\n" +
			"settings, the best first, with mean and standard deviation over its seeds. The\n" +
			"best is that of the highest held-out accuracy, for each model; of it alone, and\n" +
			"once all runs are finished, the test accuracy is shown. -o writes one line for\n" +
			"each run as CSV.",
		Example:           "attnconv sweep collect\nattnconv sweep collect sweeps/mine -o mine.csv",
		Args:              arguments(1),
		ValidArgsFunction: completeSweeps,
		RunE: func(_ *cobra.Command, args []string) error {
			format, err := formatNamed(format)
			if err != nil {
				return err
			}
			p, err := c.openSweep(args)
			if err != nil {
				return err
			}
			if out != "" {
				text, err := trialsCSV(p)
				if err != nil {
					return err
				}
				if err := c.writeNew(out, text, force); err != nil || out == "-" {
					return err
				}
			}
			return c.collect(p, format, out)
		},
	}
	f := flags{cmd.Flags(), "Output"}
	f.StringVarP(&out, "output", "o", "", "one line a run, as CSV; - is the standard output")
	f.describe("output", "FILE", nil)
	f.text(&format, "format", "text", "NAME", "of the table on standard output", table.Formats.Completions())
	f.boolean(&force, "force", "", "overwrite FILE")
	return cmd
}

// A point is one combination of settings, with the runs that differ in nothing but the seed.
type point struct {
	Settings map[string]string `json:"settings"`
	Runs     []string          `json:"runs"` // folders of the finished ones
	Planned  int               `json:"planned"`
	Diverged int               `json:"diverged"`
	ValAcc   *spread           `json:"val_acc"`  // null: no run is finished
	TestAcc  *spread           `json:"test_acc"` // null unless it was chosen
	Chosen   bool              `json:"chosen"`   // of its model the best by held-out accuracy, once all runs are finished
	WallS    *spread           `json:"wall_s"`

	order []string // values, in the order of the axes
}

// A spread is mean and standard deviation (n-1) of some numbers.
type spread struct {
	N    int      `json:"n"`
	Mean float64  `json:"mean"`
	Std  *float64 `json:"std"` // null: one number has none
}

func newSpread(x []float64) *spread {
	x = slices.DeleteFunc(x, math.IsNaN)
	if len(x) == 0 {
		return nil
	}
	s := &spread{N: len(x)}
	for _, v := range x {
		s.Mean += v / float64(len(x))
	}
	if len(x) > 1 {
		sum := 0.0
		for _, v := range x {
			sum += (v - s.Mean) * (v - s.Mean)
		}
		s.Std = finite(math.Sqrt(sum / float64(len(x)-1)))
	}
	return s
}

func (s *spread) percent() string {
	switch {
	case s == nil:
		return "-"
	case s.Std == nil:
		return fmt.Sprintf("%.2f %%", 100*s.Mean)
	}
	return fmt.Sprintf("%.2f ± %.2f %%", 100*s.Mean, 100**s.Std)
}

// points sums up the trials, the best by held-out accuracy first. Test accuracies are those of the points that were
// chosen alone: who looks at the others chooses by them.
func points(p *sweep.Plan) (all []*point, states map[string]int, err error) {
	byName, states := map[string]*point{}, map[string]int{}
	accs := map[*point][3][]float64{}
	for i, t := range p.Trials {
		name, q := "", &point{Settings: map[string]string{}, Runs: []string{}}
		for j, a := range p.Axes {
			if a.Key != sweep.Seed {
				name += t.Values[j] + "\n"
				q.Settings[a.Key] = t.Values[j]
				q.order = append(q.order, t.Values[j])
			}
		}
		if byName[name] == nil {
			byName[name] = q
			all = append(all, q)
		}
		q = byName[name]
		q.Planned++
		state, status := p.State(i)
		states[state]++
		switch state {
		case run.Diverged:
			q.Diverged++
		case run.Done:
			q.Runs = append(q.Runs, p.Dir(i))
			x := accs[q]
			accs[q] = [3][]float64{append(x[0], status.ValAcc), append(x[1], status.TestAcc), append(x[2], status.WallS)}
		}
	}
	for _, q := range all {
		q.ValAcc, q.TestAcc, q.WallS = newSpread(accs[q][0]), newSpread(accs[q][1]), newSpread(accs[q][2])
	}
	onTest, err := validatesOnTest(p)
	if err == nil && !onTest {
		slices.SortStableFunc(all, func(a, b *point) int { return descending(a.mean(), b.mean()) })
	}
	markBest(all, !onTest && states[run.Done]+states[run.Diverged] == len(p.Trials))
	return all, states, err
}

// validatesOnTest reports whether the validation accuracy of a trial is that of the test set.
func validatesOnTest(p *sweep.Plan) (bool, error) {
	for i := range p.Trials {
		text, err := run.ReadFile(p.Config(i))
		if err != nil {
			return false, err
		}
		config, err := configs.Parse(p.Config(i), text)
		if err != nil || config.Data.OnTest() {
			return err == nil, err
		}
	}
	return false, nil
}

// markBest marks the first point of each model, where one may be chosen, and takes the test accuracy from all others.
func markBest(all []*point, may bool) {
	seen := map[string]bool{}
	for _, q := range all {
		model := q.Settings["model.kind"] + " " + q.Settings["model.encoding"]
		q.Chosen = may && q.ValAcc != nil && !seen[model]
		seen[model] = true
		if !q.Chosen {
			q.TestAcc = nil
		}
	}
}

func (q *point) mean() *float64 {
	return maybeMean(q.ValAcc)
}

// collect prints what a sweep has found; wrote is the file that has its runs one by one, or "".
func (c *console) collect(p *sweep.Plan, format, wrote string) error {
	all, states, err := points(p)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.result(struct {
			V      int            `json:"v"`
			Path   string         `json:"path"`
			States map[string]int `json:"states"`
			Points []*point       `json:"points"`
		}{1, p.Path, states, all})
	}
	t := pointTable(p, all)
	text := t.Text(c.outWidth())
	if format != "text" {
		text = table.Named(format).Text(t)
	}
	if _, err := io.WriteString(c.Out, text); err != nil {
		return err
	}
	if onTest, err := validatesOnTest(p); err == nil && onTest {
		c.note("nothing is chosen: with the protocol paper, the validation accuracy is that of the test set")
	}
	if left := len(p.Trials) - states[run.Done] - states[run.Diverged]; left > 0 {
		c.note("%d of %d runs are not finished: %s sweep run %s", left, len(p.Trials), program(), p.Path)
	}
	if wrote != "" {
		c.note("wrote %s", wrote)
	}
	return nil
}

// pointTable has a line for each combination of settings. A mean and its deviation are one cell for people, and two for
// programs.
func pointTable(p *sweep.Plan, all []*point) *table.Table {
	t := &table.Table{}
	for _, a := range p.Axes {
		if a.Key != sweep.Seed {
			t.Columns = append(t.Columns, table.Column{Head: shortKey(a.Key), Key: a.Key, Name: true})
		}
	}
	t.Columns = append(t.Columns, table.Column{Head: "n", Right: true}, table.Column{Key: "finished"},
		table.Column{Key: "planned"}, table.Column{Key: "diverged"})
	spreads := []struct {
		head, key string
		of        func(q *point) *spread
	}{{"val acc", "val_acc", func(q *point) *spread { return q.ValAcc }},
		{"test acc", "test_acc", func(q *point) *spread { return q.TestAcc }},
		{"time a run", "wall_s", func(q *point) *spread { return q.WallS }}}
	for _, s := range spreads {
		t.Columns = append(t.Columns, table.Column{Head: s.head, Right: true}, table.Column{Key: s.key + "_mean"},
			table.Column{Key: s.key + "_std"})
	}
	for _, q := range all {
		var cells []table.Cell
		for _, value := range q.order {
			cells = append(cells, table.Words(value))
		}
		n := fmt.Sprintf("%d/%d", len(q.Runs), q.Planned)
		if q.Diverged > 0 {
			n += fmt.Sprintf(", %d diverged", q.Diverged)
		}
		cells = append(cells, table.Cell{Text: n}, table.Cell{Value: len(q.Runs)}, table.Cell{Value: q.Planned},
			table.Cell{Value: q.Diverged})
		for _, s := range spreads {
			x := s.of(q)
			text, mean, std := x.percent(), table.Cell{}, table.Cell{}
			if x != nil {
				mean.Value, std.Value = x.Mean, maybe(x.Std)
			}
			if s.key == "wall_s" {
				text = duration(maybeMean(x))
			}
			cells = append(cells, table.Cell{Text: text}, mean, std)
		}
		t.Add(cells...)
	}
	return t
}

// maybeMean is the mean of a spread, if there is one.
func maybeMean(s *spread) *float64 {
	if s == nil {
		return nil
	}
	return &s.Mean
}

// trialsCSV has a line for each trial; what is not known stays empty.
func trialsCSV(p *sweep.Plan) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := []string{"trial"}
	for _, a := range p.Axes {
		head = append(head, a.Key)
	}
	rows := [][]string{append(head, "state", "epochs", "best_epoch", "val_acc", "test_acc", "train_loss", "wall_s", "run")}
	all, _, err := points(p)
	if err != nil {
		return nil, err
	}
	for i, t := range p.Trials {
		state, s := p.State(i)
		if !slices.ContainsFunc(all, func(q *point) bool { return q.Chosen && slices.Contains(q.Runs, p.Dir(i)) }) {
			s.TestAcc = math.NaN()
		}
		row := append([]string{strconv.Itoa(i)}, t.Values...)
		if resumable(state) {
			row = append(row, state, strconv.Itoa(s.Epoch), strconv.Itoa(s.BestEpoch), cell(s.ValAcc), cell(s.TestAcc),
				cell(s.TrainLoss), cell(s.WallS), p.Dir(i))
		} else {
			row = append(row, state, "", "", "", "", "", "", "")
		}
		rows = append(rows, row)
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// cell is a number in a CSV file; one that is not known is empty.
func cell(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 8, 64)
}
