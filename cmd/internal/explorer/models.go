package explorer

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
)

// latest stands for the best checkpoint of a run where an epoch is expected.
const latest = -1

// mostModels is the largest number of networks that are kept in memory.
const mostModels = 8

// models reads networks, and keeps the last ones.
type models struct {
	mu   sync.Mutex
	list []*loaded // the last used comes last
}

// A loaded network is the one of a run after an epoch.
type loaded struct {
	path string
	when time.Time // of the file
	*trained.Model

	mu     sync.Mutex // of what follows
	reader *heads.Reader
}

// of returns the network of a run after an epoch, or of its best checkpoint. Epoch 0 is rebuilt from settings and seed.
// An epoch without a snapshot may be that of the best checkpoint.
func (m *models) of(dir *run.Dir, epoch int) (*loaded, error) {
	if epoch == 0 {
		return m.start(dir)
	}
	path, err := dir.Snapshot(epoch), error(nil)
	if epoch == latest {
		if path, err = run.Checkpoint(dir.Path); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(path)
	if epoch != latest && errors.Is(err, fs.ErrNotExist) {
		if best, err := m.of(dir, latest); err == nil && best.Meta.Epoch == epoch {
			return best, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return m.load(path, info.ModTime(), func() (*trained.Model, error) { return trained.Open(path) })
}

// model returns the network of the run that a request names, after an epoch.
func (s *Server) model(r *http.Request, epoch int) (*loaded, error) {
	e, err := s.find(r)
	if err != nil {
		return nil, err
	}
	dir, err := e.Open()
	if err != nil {
		return nil, err
	}
	return s.models.of(dir, epoch)
}

// start returns the network before the first step.
func (m *models) start(dir *run.Dir) (*loaded, error) {
	last, err := m.of(dir, latest)
	if err != nil {
		return nil, err
	}
	return m.load(dir.Path+"#0", time.Time{}, func() (*trained.Model, error) {
		net, err := last.Untrained()
		return &trained.Model{Path: last.Path, Net: net, Config: last.Config, Meta: last.Meta}, err
	})
}

// load returns a network that is in memory, or reads it.
func (m *models) load(path string, when time.Time, open func() (*trained.Model, error)) (*loaded, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, l := range m.list {
		if l.path == path && l.when.Equal(when) {
			m.list = append(append(m.list[:i:i], m.list[i+1:]...), l)
			return l, nil
		}
	}
	opened, err := open()
	if err != nil {
		return nil, err
	}
	l := &loaded{path: path, when: when, Model: opened}
	if m.list = append(m.list, l); len(m.list) > mostModels {
		m.list[0].close()
		m.list = m.list[1:]
	}
	return l, nil
}

func (l *loaded) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reader != nil {
		l.reader.Close()
		l.reader = nil
	}
}

// read calls f with a reader of the network's attention.
func (l *loaded) read(f func(*heads.Reader) error) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reader == nil {
		if l.reader, err = heads.NewReader(l.Net); err != nil {
			return &refusal{http.StatusNotFound, err.Error()}
		}
	}
	return f(l.reader)
}

func (l *loaded) layers() int { return len(l.heads()) }

// heads is the number of heads in each block.
func (l *loaded) heads() (n []int) {
	n = []int{}
	l.read(func(r *heads.Reader) error { n = r.Heads; return nil })
	return n
}

func (l *loaded) grid() (g [2]int) {
	l.read(func(r *heads.Reader) error { g = [2]int{r.Grid.Rows, r.Grid.Cols}; return nil })
	return g
}

// gaussian reports whether all heads of a network are Gaussians around centers, which the page computes by itself.
func gaussian(s model.Spec) bool {
	blocks := slices.DeleteFunc(s.Blocks(), func(b model.BlockSpec) bool { return !b.Attends() })
	return len(blocks) > 0 && !slices.ContainsFunc(blocks, func(b model.BlockSpec) bool { return !b.OnlyGaussian() })
}

// An Epoch is what the page shows of a layer's operator after an epoch, besides its heads: the inner products
// ⟨W_h, W_g⟩ of the heads' matrices, from which follow the shares for any centers and widths.
type Epoch struct {
	V      int         `json:"v"`
	Epoch  int         `json:"epoch"`
	Frame  Frame       `json:"heads"`
	Grams  [][]float64 `json:"grams"`  // of each layer, the lower triangle by rows
	Shares []Share     `json:"shares"` // of each layer, as analyse measures them
}

// A Share is a layer's share of the nearest convolutions.
type Share struct {
	Within3 float64 `json:"within3"`
	Place   float64 `json:"place"`
}

// epoch answers with the operators of a run after an epoch.
func (s *Server) epoch(w http.ResponseWriter, r *http.Request) error {
	n, err := number(r, "epoch")
	if err != nil {
		return err
	}
	m, err := s.model(r, n)
	if err != nil {
		return err
	}
	d, err := m.operators(r.Context(), n)
	if err != nil {
		return err
	}
	return respond(w, r, d)
}

// operators describes the operators of a network after an epoch.
func (l *loaded) operators(ctx context.Context, n int) (*Epoch, error) {
	m := l.Model
	if !gaussian(m.Net.Spec) {
		return nil, &refusal{http.StatusNotFound, "its heads are not Gaussians"}
	}
	now, _ := m.Net.Heads()
	d := &Epoch{V: 1, Epoch: n, Frame: Frame{n, flat(now)}}
	operators, err := network.Operators(ctx, m.Net, data.Split{})
	if err != nil {
		return nil, err
	}
	for _, o := range operators {
		shares, err := o.Shares(0)
		if err != nil {
			return nil, err
		}
		d.Grams = append(d.Grams, triangle(o.Layer.Maps))
		d.Shares = append(d.Shares, Share{shares.Within(3), shares.Place})
	}
	return d, nil
}

// triangle returns the inner products of rows: the lower triangle by rows.
func triangle(rows [][]float64) (all []float64) {
	for i, a := range rows {
		for _, b := range rows[:i+1] {
			sum := 0.0
			for k := range a {
				sum += a[k] * b[k]
			}
			all = append(all, sum)
		}
	}
	return all
}

// A Bands document is the share within 3 × 3 of each layer in untrained networks of other seeds.
type Bands struct {
	V      int            `json:"v"`
	N      int            `json:"n"` // networks
	Layers []analyse.Band `json:"layers"`
}

// fresh is the number of untrained networks: those of analyse.
var fresh = network.Usual().Seeds

// untrained answers with the shares of untrained networks.
func (s *Server) untrained(w http.ResponseWriter, r *http.Request) error {
	m, err := s.model(r, latest)
	if err != nil {
		return err
	}
	if d, ok := s.bands.Load(m.path); ok {
		return respond(w, r, d)
	}
	subject, err := m.Measurable(nil, 0)
	if err != nil {
		return err
	}
	images, err := s.averaged(m)
	if err != nil {
		return err
	}
	var values [][]float64 // by layer
	for n := range uint64(fresh) {
		if err := r.Context().Err(); err != nil {
			return err
		}
		net, err := subject.Untrained(n)
		if err != nil {
			return err
		}
		shares, err := within3(r.Context(), net, images)
		if err != nil {
			return err
		}
		if values == nil {
			values = make([][]float64, len(shares))
		}
		for i, v := range shares {
			values[i] = append(values[i], v)
		}
	}
	d := Bands{V: 1, N: fresh}
	for _, of := range values {
		d.Layers = append(d.Layers, analyse.NewBand(of))
	}
	s.bands.Store(m.path, d)
	return respond(w, r, d)
}
