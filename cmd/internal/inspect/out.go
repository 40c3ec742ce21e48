package inspect

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
	"github.com/attnconv/attnconv/viz"
)

// Inspection is the output of inspect --json.
type Inspection struct {
	V         int               `json:"v"`
	Source    string            `json:"source"`
	Model     string            `json:"model"`
	Encoding  string            `json:"encoding"`
	Params    int               `json:"params"`
	Trainable int               `json:"params_trainable"`
	MACs      int               `json:"macs"` // by definition
	MACsRun   int               `json:"macs_run"`
	MACsPaper int               `json:"macs_paper"`
	Layers    []layerRow        `json:"layers"`
	Heads     []report.Head     `json:"heads"`
	Reach     []*float64        `json:"reach"`      // of the heads of each layer; see reach
	Nulls     []report.HeadNull `json:"head_nulls"` // of trained Gaussian heads
	Memory    memoryBytes       `json:"memory"`

	Spec      model.Spec `json:"-"`
	untrained bool
	nulls     []study.HeadNull
}

type layerRow struct {
	Path      string `json:"path"`
	Block     string `json:"block"`
	Kind      string `json:"kind"`
	OutShape  []int  `json:"out_shape"`
	Params    int    `json:"params"`
	MACs      int    `json:"macs"`
	MACsRun   int    `json:"macs_run"`
	MACsPaper int    `json:"macs_paper"`
	Field     [2]int `json:"receptive_field"`
}

// memoryBytes is the memory of a network, in bytes.
type memoryBytes struct {
	Params     int `json:"params"`
	Checkpoint int `json:"checkpoint"` // with the solver's state
	Train      int `json:"train"`
	TrainBatch int `json:"train_batch"`
	Eval       int `json:"eval"`
	EvalBatch  int `json:"eval_batch"`
}

func Inspect(s Subject) (*Inspection, error) {
	spec := s.Net.Spec
	r := &Inspection{V: 1, Source: s.Name, Model: spec.Kind, Encoding: spec.EncodingName(), Layers: []layerRow{},
		Heads: []report.Head{}, Reach: []*float64{}, Spec: spec, untrained: s.Untrained}
	for _, p := range spec.Parts() {
		r.Params += p.Params
		r.MACs, r.MACsRun, r.MACsPaper = r.MACs+p.MACs.Definition, r.MACsRun+p.MACs.Run, r.MACsPaper+p.MACs.Paper
		r.Layers = append(r.Layers, layerRow{p.Path, p.Block, p.Kind, p.Out, p.Params, p.MACs.Definition, p.MACs.Run,
			p.MACs.Paper, p.Field})
	}
	r.Trainable = r.Params
	if err := r.addHeads(s); err != nil {
		return nil, err
	}
	var err error
	r.Memory, err = memoryOf(s)
	return r, err
}

// addHeads lists the Gaussian heads and, if they are trained, compares them with their null distribution.
func (r *Inspection) addHeads(s Subject) (err error) {
	layers, isotropic := s.Net.Heads()
	for l, heads := range layers {
		for h, head := range heads {
			row := output.NewHeadRow(l+1, h+1, viz.Head(head), isotropic)
			if s.Start != nil {
				first := output.NewHeadRow(l+1, h+1, viz.Head(s.Start[l][h]), isotropic)
				row.Start = &report.HeadStart{Center: first.Center, Alpha: first.Alpha, R50: first.R50, Axes: first.Axes}
			}
			r.Heads = append(r.Heads, row)
		}
		r.Reach = append(r.Reach, Reach(r.Heads[len(r.Heads)-len(heads):], r.Spec.Pool))
	}
	if !s.Untrained {
		r.nulls, err = study.HeadNulls(r.Spec, layers, s.Start)
	}
	r.Nulls = study.NullDocument(r.nulls)
	return err
}

// Reach returns the largest distance from the query, in pixels of the image, that 90 % of the weight of every head of a
// layer lies within: max_h ‖Δ_h‖ + r90_h. Degenerate heads do not count; it is nil if there are no others.
func Reach(heads []report.Head, pool int) *float64 {
	most := math.Inf(-1)
	for _, h := range heads {
		if long, _ := (viz.Head{Center: h.Center, Precision: h.Precision}).Axes(0.9); !h.Degenerate {
			most = max(most, float64(pool)*(math.Hypot(h.Center[0], h.Center[1])+long))
		}
	}
	return cli.Finite(most)
}

// memoryOf compiles the graphs of training and evaluation, without running them.
func memoryOf(s Subject) (memoryBytes, error) {
	o, image := s.Config.Train, s.Net.Spec.Image
	m := memoryBytes{TrainBatch: o.Batch, EvalBatch: o.EvalBatch}
	for _, p := range s.Net.Params {
		m.Params += 4 * len(p.Data)
	}
	step, err := train.NewStep(s.Net, train.Shape{o.Batch, image[0], image[1], image[2]}, o)
	if err != nil {
		return m, err
	}
	defer step.Close()
	m.Train, m.Checkpoint = step.Memory(), (1+len(step.Solver.Slots()))*m.Params
	e, err := train.NewEvaluator(s.Net, train.Shape{o.EvalBatch, image[0], image[1], image[2]}, nil)
	if err != nil {
		return m, err
	}
	defer e.Close()
	m.Eval = e.Memory() + m.Params
	return m, nil
}

func (r *Inspection) print(c *cli.Console) error {
	text := r.LayerTable(c.Verbose > 0).Text(c.OutWidth())
	switch {
	case len(r.Heads) > 0 && r.untrained && c.Verbose == 0:
		c.Note("heads     -v lists the heads before training")
	case len(r.Heads) > 0:
		text += "\n" + r.HeadTable().Text(c.OutWidth())
	}
	if len(r.nulls) > 0 {
		text += "\n" + study.NullTable(r.nulls).Text(c.OutWidth())
	}
	_, err := fmt.Fprint(c.Out, text)
	return err
}

// LayerTable lists the layers. Equal blocks share their rows, unless all is set.
func (r *Inspection) LayerTable(all bool) *table.Table {
	image := r.Spec.Image
	t := &table.Table{
		Title: fmt.Sprintf("%s   %s, %d × %d pixels of %d channels to %d classes", r.Source, r.Spec.ShortName(), image[0],
			image[1], image[2], r.Spec.Classes),
		Columns: []table.Column{{Head: "layer", Name: true}, {Head: "part", Name: true}, {Head: "output", Right: true},
			{Head: "params", Right: true}, {Head: "MAC", Right: true}, {Head: "computed", Right: true},
			{Head: "paper", Right: true}, {Head: "sees", Right: true}},
	}
	add := func(label string, l layerRow) {
		t.Add(table.Words(label), table.Words(l.Kind), table.Words(extent(l.OutShape)), amount(l.Params), amount(l.MACs),
			amount(l.MACsRun), amount(l.MACsPaper), table.Words(extent(l.Field[:])))
	}
	several := false
	for i := 0; i < len(r.Layers); {
		n, times := r.block(i), 1
		for !all && r.Layers[i].Block != "" && r.alike(i, i+times*n, n) {
			times++
		}
		label := r.Layers[i].Block
		if times > 1 {
			label, several = label+"–"+r.Layers[i+(times-1)*n].Block, true
		}
		for _, l := range r.Layers[i : i+n] {
			add(label, l)
		}
		i += n * times
	}
	t.Add(table.Words("total"), table.Words(""), table.Words(""), amount(r.Params), amount(r.MACs), amount(r.MACsRun),
		amount(r.MACsPaper), table.Words(""))
	t.Notes = r.notes(several)
	return t
}

// block counts the rows from i on that belong to one block.
func (r *Inspection) block(i int) int {
	n := 1
	for i+n < len(r.Layers) && r.Layers[i].Block != "" && r.Layers[i+n].Block == r.Layers[i].Block {
		n++
	}
	return n
}

// alike reports whether the n rows from j on are a block equal to that from i on.
func (r *Inspection) alike(i, j, n int) bool {
	if j+n > len(r.Layers) || r.block(j) != n || r.Layers[j].Block == "" {
		return false
	}
	return slices.EqualFunc(r.Layers[i:i+n], r.Layers[j:j+n], func(a, b layerRow) bool {
		return a.Kind == b.Kind && slices.Equal(a.OutShape, b.OutShape) && a.Params == b.Params && a.MACs == b.MACs &&
			a.MACsRun == b.MACsRun && a.Field == b.Field
	})
}

func (r *Inspection) notes(several bool) []string {
	m := r.Memory
	notes := []string{
		"MAC       multiply-adds of a forward pass of one image, by definition: attention weighs all pairs of tokens",
		"computed  multiply-adds that this program executes in evaluation",
		fmt.Sprintf("paper     those of linear maps and convolutions only, as in the paper's table: %.2f GFLOP, two per MAC",
			2e-9*float64(r.MACsPaper)),
		fmt.Sprintf("memory    %s of parameters, %s a checkpoint; training %s (batch %d), evaluation %s (batch %d)",
			cli.Size(int64(m.Params)), cli.Size(int64(m.Checkpoint)), cli.Size(int64(m.Train)), m.TrainBatch, cli.Size(int64(m.Eval)),
			m.EvalBatch),
	}
	if several {
		notes = append(notes, "–         equal layers share their rows; the values are those of one layer")
	}
	return notes
}

// extent formats a shape: 16×16×400.
func extent(shape []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "×"), "[]")
}

// amount formats a count, 0 as a dash.
func amount(n int) table.Cell {
	if n == 0 {
		return table.Cell{Text: "–", Value: n}
	}
	return table.Cell{Text: study.Short(float64(n)), Value: n}
}

func (r *Inspection) HeadTable() *table.Table {
	pool := r.Spec.Pool
	t := &table.Table{Title: fmt.Sprintf("heads: center relative to the query, and radii that hold 50 %% and 90 %% of the weight, in "+
		"tokens of %d × %d pixels", pool, pool)}
	if r.untrained {
		t.Title += ", before training"
	}
	measures := []string{"row", "column", "alpha", "r50", "r90"}
	if r.Heads[0].Alpha == nil {
		measures = []string{"row", "column", "long axis", "short axis", "angle"}
	}
	t.Columns = []table.Column{{Head: "layer", Right: true, Name: true}, {Head: "head", Right: true, Name: true}}
	for _, n := range measures {
		t.Columns = append(t.Columns, table.Column{Head: n, Right: true})
	}
	if r.Heads[0].Start != nil {
		t.Columns = append(t.Columns, table.Column{Head: measures[3] + " before", Right: true})
	}
	blind := slices.ContainsFunc(r.Heads, func(h report.Head) bool { return h.Degenerate })
	if blind {
		t.Columns = append(t.Columns, table.Column{Head: "note"})
	}
	for _, h := range r.Heads {
		cells := []table.Cell{amount(h.Layer), amount(h.Head)}
		values := []*float64{&h.Center[0], &h.Center[1], h.Alpha, h.R50, h.R90}
		if h.Alpha == nil {
			values = []*float64{&h.Center[0], &h.Center[1], h.Axes[0], h.Axes[1], &h.Angle}
		}
		if h.Start != nil {
			values = append(values, h.Start.Axes[1]) // r50, or the short axis
		}
		for _, v := range values {
			cells = append(cells, digits3(v))
		}
		if blind {
			cells = append(cells, table.Words(map[bool]string{true: "uniform (degenerate)"}[h.Degenerate]))
		}
		t.Add(cells...)
	}
	var words []string
	for _, v := range r.Reach {
		if v != nil {
			tokens := *v / float64(pool)
			v = &tokens
		}
		words = append(words, digits3(v).Text)
	}
	t.Notes = []string{"reach  distance from the query, in tokens, that holds 90 % of the weight of each head, layer by layer: " +
		strings.Join(words, ", ")}
	if blind {
		t.Notes = append(t.Notes, "note   a uniform head gives all tokens of an image nearly the same weight")
	}
	return t
}

// digits3 formats a value with three significant digits, without an exponent: 0.00123, -1.68, 13000.
func digits3(x *float64) table.Cell {
	if x == nil {
		return table.Cell{Text: "–"}
	}
	text := strconv.FormatFloat(*x, 'g', 3, 64)
	rounded, err := strconv.ParseFloat(text, 64)
	switch size := math.Abs(rounded); {
	case err != nil:
	case rounded == 0:
		text = "0"
	case size >= 1e-4 && size < 1e7:
		text = strconv.FormatFloat(rounded, 'f', max(0, 2-int(math.Floor(math.Log10(size)))), 64)
	}
	return table.Cell{Text: text, Value: *x}
}
