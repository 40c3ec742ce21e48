package cmd

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/sweep"
)

func newSweepCollect(c *cli.Console) *cobra.Command {
	var out, format string
	var force bool
	cmd := &cobra.Command{
		Use:   "collect [SWEEP] [flags]",
		Short: "Summarise a sweep: mean and deviation over seeds, best first",
		Long: "Summarise a sweep, by default the newest: a line for each combination of\n" +
			"settings, with mean and standard deviation over seeds, the best held-out\n" +
			"accuracy first. Once all runs are finished, the test accuracy is shown for the\n" +
			"best combination of each model only. -o writes a line for each run as CSV.",
		Example:           "attnconv sweep collect\nattnconv sweep collect sweeps/mine -o mine.csv",
		Args:              cli.Arguments(1),
		ValidArgsFunction: completeSweeps,
		RunE: func(_ *cobra.Command, args []string) error {
			format, err := formatNamed(format)
			if err != nil {
				return err
			}
			p, err := openSweep(c, args)
			if err != nil {
				return err
			}
			s, err := readCollection(p)
			if err != nil {
				return err
			}
			if out != "" {
				text, err := s.csv()
				if err != nil {
					return err
				}
				if err := writeNew(c, out, text, force); err != nil || out == "-" {
					return err
				}
			}
			return s.show(c, format, out)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.StringVarP(&out, "output", "o", "", "write one line for each run, as CSV; - is standard output")
	f.Describe("output", "FILE", nil)
	f.Text(&format, "format", "text", "NAME", "of the table on standard output", table.Formats.Completions())
	f.Boolean(&force, "force", "", "overwrite FILE")
	return cmd
}

// A collection is the state of a sweep at one moment.
type collection struct {
	plan   *sweep.Plan
	trials []trialResult
	points []*point
	states map[string]int
	onTest bool // the validation accuracy of some trial is that of the test set
}

type trialResult struct {
	state  string
	status run.Status
	point  *point
}

// A point is one combination of settings, with the runs that differ only in the seed.
type point struct {
	Settings map[string]string `json:"settings"`
	Runs     []string          `json:"runs"` // folders of the finished ones
	Planned  int               `json:"planned"`
	Diverged int               `json:"diverged"`
	ValAcc   *spread           `json:"val_acc"`  // null: no run is finished
	TestAcc  *spread           `json:"test_acc"` // null unless chosen
	Chosen   bool              `json:"chosen"`   // the best of its model by held-out accuracy, once all runs are finished
	WallS    *spread           `json:"wall_s"`

	values                    []string // of the axes except the seed
	valAccs, testAccs, wallSs []float64
}

// A spread is mean and standard deviation (n-1).
type spread struct {
	N    int      `json:"n"`
	Mean float64  `json:"mean"`
	Std  *float64 `json:"std"` // null if n is 1
}

// newSpread ignores NaN, and returns nil without values.
func newSpread(x []float64) *spread {
	if x = slices.DeleteFunc(x, math.IsNaN); len(x) == 0 {
		return nil
	}
	s := study.Summarise(study.Measured{Runs: x})
	return &spread{s.N, s.Mean, cli.Finite(s.Std)}
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

// readCollection reads the trials of a sweep and sorts its points, the best by held-out accuracy first. Only chosen
// points keep their test accuracy: the others must not be selected by it.
func readCollection(p *sweep.Plan) (*collection, error) {
	onTest, err := validatesOnTest(p)
	if err != nil {
		return nil, err
	}
	s := &collection{plan: p, states: map[string]int{}, onTest: onTest}
	points := map[string]*point{}
	for i, t := range p.Trials {
		q := newPoint(p.Axes, t.Values)
		key := strings.Join(q.values, "\n")
		if points[key] == nil {
			points[key] = q
			s.points = append(s.points, q)
		}
		r := trialResult{point: points[key]}
		r.state, r.status = p.State(i)
		r.point.add(r, p.Dir(i))
		s.trials = append(s.trials, r)
		s.states[r.state]++
	}
	for _, q := range s.points {
		q.ValAcc, q.TestAcc, q.WallS = newSpread(q.valAccs), newSpread(q.testAccs), newSpread(q.wallSs)
	}
	if !onTest {
		slices.SortStableFunc(s.points, func(a, b *point) int { return descending(a.ValAcc.mean(), b.ValAcc.mean()) })
	}
	markBest(s.points, !onTest && s.left() == 0)
	return s, nil
}

// left counts the trials that have neither finished nor diverged.
func (s *collection) left() int { return len(s.trials) - s.states[run.Done] - s.states[run.Diverged] }

func newPoint(axes []sweep.Axis, values []string) *point {
	q := &point{Settings: map[string]string{}, Runs: []string{}}
	for i, a := range axes {
		if a.Key != sweep.Seed {
			q.Settings[a.Key] = values[i]
			q.values = append(q.values, values[i])
		}
	}
	return q
}

func (q *point) add(r trialResult, dir string) {
	q.Planned++
	switch r.state {
	case run.Diverged:
		q.Diverged++
	case run.Done:
		q.Runs = append(q.Runs, dir)
		q.valAccs = append(q.valAccs, r.status.ValAcc)
		q.testAccs = append(q.testAccs, r.status.TestAcc)
		q.wallSs = append(q.wallSs, r.status.WallS)
	}
}

// validatesOnTest reports whether any trial uses the protocol paper.
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

// markBest marks the first point of each model as chosen, if allowed, and removes the test accuracy of all others.
func markBest(all []*point, allowed bool) {
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

// show prints a collection; wrote is the CSV file of its runs, or "".
func (s *collection) show(c *cli.Console, format, wrote string) error {
	if c.JSON {
		return c.Result(struct {
			V      int            `json:"v"`
			Path   string         `json:"path"`
			States map[string]int `json:"states"`
			Points []*point       `json:"points"`
		}{1, s.plan.Path, s.states, s.points})
	}
	t := s.table()
	text := t.Text(c.OutWidth())
	if format != "text" {
		text = table.Named(format).Text(t)
	}
	if _, err := io.WriteString(c.Out, text); err != nil {
		return err
	}
	if s.onTest {
		c.Note("nothing is chosen: with protocol paper, the validation accuracy is that of the test set")
	}
	if left := s.left(); left > 0 {
		c.Note("%d of %d runs are not finished: %s sweep run %s", left, len(s.trials), cli.Program(), s.plan.Path)
	}
	if wrote != "" {
		c.Note("wrote %s", wrote)
	}
	return nil
}

// table has a row for each combination of settings. Mean and deviation share a cell in text, and have their own in CSV.
func (s *collection) table() *table.Table {
	t := &table.Table{}
	for _, a := range s.plan.Axes {
		if a.Key != sweep.Seed {
			t.Columns = append(t.Columns, table.Column{Head: cli.ShortKey(a.Key), Key: a.Key, Name: true})
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
	for _, m := range spreads {
		t.Columns = append(t.Columns, table.Column{Head: m.head, Right: true}, table.Column{Key: m.key + "_mean"},
			table.Column{Key: m.key + "_std"})
	}
	for _, q := range s.points {
		var cells []table.Cell
		for _, value := range q.values {
			cells = append(cells, table.Words(value))
		}
		n := fmt.Sprintf("%d/%d", len(q.Runs), q.Planned)
		if q.Diverged > 0 {
			n += fmt.Sprintf(", %d diverged", q.Diverged)
		}
		cells = append(cells, table.Cell{Text: n}, table.Cell{Value: len(q.Runs)}, table.Cell{Value: q.Planned},
			table.Cell{Value: q.Diverged})
		for _, m := range spreads {
			x := m.of(q)
			text, mean, std := x.percent(), table.Cell{}, table.Cell{}
			if x != nil {
				mean.Value, std.Value = x.Mean, maybe(x.Std)
			}
			if m.key == "wall_s" {
				text = duration(x.mean())
			}
			cells = append(cells, table.Cell{Text: text}, mean, std)
		}
		t.Add(cells...)
	}
	return t
}

func (s *spread) mean() *float64 {
	if s == nil {
		return nil
	}
	return &s.Mean
}

// csv has a line for each trial. Unknown values are empty.
func (s *collection) csv() ([]byte, error) {
	head := []string{"trial"}
	for _, a := range s.plan.Axes {
		head = append(head, a.Key)
	}
	rows := [][]string{append(head, "state", "epochs", "best_epoch", "val_acc", "test_acc", "train_loss", "wall_s", "run")}
	for i, r := range s.trials {
		row := append([]string{strconv.Itoa(i)}, s.plan.Trials[i].Values...)
		if !resumable(r.state) {
			rows = append(rows, append(row, r.state, "", "", "", "", "", "", ""))
			continue
		}
		testAcc := math.NaN()
		if r.point.Chosen && r.state == run.Done {
			testAcc = r.status.TestAcc
		}
		rows = append(rows, append(row, r.state, strconv.Itoa(r.status.Epoch), strconv.Itoa(r.status.BestEpoch),
			cell(r.status.ValAcc), cell(testAcc), cell(r.status.TrainLoss), cell(r.status.WallS), s.plan.Dir(i)))
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
