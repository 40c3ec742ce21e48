package explorer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/run"
)

// analysisFile is where a user keeps what analyse --json has printed of a run: a file in the run's folder.
const analysisFile = "analysis.json"

// Bounds of an analysis.
const (
	mostAnalysis  = 16 << 20 // bytes of the file
	mostMeasuring = 2 * time.Hour
	tellEvery     = 200 * time.Millisecond // at most so often does the page hear how far a measurement is
)

// A Measured document says how convolutional the layers of a run are, and where that is from.
type Measured struct {
	V        int               `json:"v"`
	File     string            `json:"file"` // in the folder of the run; "": measured for this page
	Time     time.Time         `json:"time"`
	Old      bool              `json:"old"`      // the run went on after that
	Analysis *network.Analysis `json:"analysis"` // null: there is none yet
}

// measured is an analysis that this server has made, of weights of a time.
type measured struct {
	weights time.Time
	*Measured
}

// analysis answers with what was measured of a run before: for the page, or by analyse --json.
func (s *Server) analysis(w http.ResponseWriter, r *http.Request) error {
	e, err := s.find(r)
	if err != nil {
		return err
	}
	if d := s.remembered(e); d != nil {
		return respond(w, r, d)
	}
	d, err := saved(e)
	if err != nil {
		return err
	}
	return respond(w, r, d)
}

// remembered returns what was measured of the weights that a run has now; nil: nothing.
func (s *Server) remembered(e run.Entry) *Measured {
	path, err := run.Checkpoint(e.Path)
	if err != nil {
		return nil
	}
	info, err := os.Stat(path)
	if d, ok := s.analyses.Load(path); ok && err == nil && d.(measured).weights.Equal(info.ModTime()) {
		return d.(measured).Measured
	}
	return nil
}

// saved reads the analysis in the folder of a run.
func saved(e run.Entry) (*Measured, error) {
	path := filepath.Join(e.Path, analysisFile)
	b, err := foreign.ReadFile(path, mostAnalysis)
	if errors.Is(err, fs.ErrNotExist) {
		return &Measured{V: 1}, nil
	}
	bad := func(why string) error {
		return &refusal{http.StatusUnprocessableEntity, analysisFile + ": " + why +
			"; want what analyse --json prints of one run"}
	}
	if err != nil {
		return nil, bad(err.Error())
	}
	var d network.Analysis
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, bad(err.Error())
	}
	if d.V != 1 || len(d.Layers) == 0 {
		return nil, bad("it has no layers")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	last := e.Status.Ended // of the weights; a copy of the folder keeps it
	if last.IsZero() {
		last = e.Status.Heartbeat
	}
	return &Measured{1, analysisFile, info.ModTime(), info.ModTime().Before(last), shown(d)}, nil
}

// shown returns what the page shows of an analysis, which is a small part: maps, draws and heads are left out.
func shown(d network.Analysis) *network.Analysis {
	d.Network, d.Layers = nil, slices.Clone(d.Layers)
	for i := range d.Layers {
		l := &d.Layers[i]
		l.Raw, l.WithResidual, l.Interior, l.K90, l.Nulls = nil, nil, nil, nil, nil
		l.Heads, l.Leverage, l.Rank, l.Symmetry, l.Kernel = nil, nil, nil, nil, nil
		if l.Null != nil {
			n := *l.Null
			n.Each, l.Null = nil, &n
		}
		if l.Spectrum != nil && l.Spectrum.Null != nil {
			of, n := *l.Spectrum, *l.Spectrum.Null
			n.Each, of.Null, l.Spectrum = nil, &n, &of
		}
		if l.Profiles != nil {
			p := *l.Profiles
			p.Curve, l.Profiles = nil, &p
		}
	}
	return &d
}

// extents are what a client may have measured: the weights, or all that analyse measures.
var extents = []string{"weights", "all"}

// A progressLine is a line of the answer to a measurement: what is done now, and in the last line the result or the
// error.
type progressLine struct {
	Stage  string    `json:"stage,omitempty"`
	Part   float64   `json:"part"` // of the stage that is done, in 0..1; 0: unknown
	Result *Measured `json:"result,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// measure measures a run, and says line by line how far it is. It stops when the client goes away. One network is
// measured at a time, as that takes all cores.
func (s *Server) measure(w http.ResponseWriter, r *http.Request) error {
	extent, err := extentOf(r)
	if err != nil {
		return err
	}
	m, err := s.model(r, latest)
	if err != nil {
		return err
	}
	return s.oneByOne(w, r, func(ctx context.Context, t *teller) (*Measured, error) {
		return s.measureNow(ctx, m, extent == extents[0], t)
	})
}

func extentOf(r *http.Request) (string, error) {
	extent := cmp.Or(r.URL.Query().Get("of"), extents[0])
	if !slices.Contains(extents, extent) {
		return "", &refusal{http.StatusBadRequest, "of: want one of " + strings.Join(extents, ", ")}
	}
	return extent, nil
}

// oneByOne measures a network unless another one is being measured, and answers line by line.
func (s *Server) oneByOne(w http.ResponseWriter, r *http.Request,
	measure func(ctx context.Context, t *teller) (*Measured, error)) error {
	select {
	case s.measuring <- struct{}{}:
		defer func() { <-s.measuring }()
	default:
		return &refusal{http.StatusConflict, "a network is being measured already: wait for its end, or cancel it"}
	}
	ctx, cancel := context.WithTimeout(r.Context(), mostMeasuring)
	defer cancel()
	t := &teller{w: w, out: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "application/x-ndjson")
	t.stage("reading the weights")
	d, err := measure(ctx, t)
	switch {
	case r.Context().Err() != nil: // nobody listens
	case ctx.Err() != nil:
		t.send(progressLine{Error: fmt.Sprintf("it took more than %.0f hours", mostMeasuring.Hours())})
	case err != nil:
		t.send(progressLine{Error: err.Error()})
	default:
		t.send(progressLine{Result: d})
	}
	return nil
}

// measureNow measures a network as the command analyse does, or only its weights.
func (s *Server) measureNow(ctx context.Context, m *loaded, weights bool, t *teller) (*Measured, error) {
	var set *data.Set
	if !weights || m.Net.Spec.ByImage() {
		var err error
		set, err = s.set(m.Origin())
		if errors.As(err, new(*data.MissingError)) && !m.Net.Spec.AllByImage() {
			err = nil // a note of the analysis says so
		}
		if err != nil {
			return nil, err
		}
	}
	o := network.Usual()
	subject, err := m.Measurable(set, o.Images)
	if err != nil {
		return nil, err
	}
	subject.Tell = func(format string, args ...any) { t.stage(fmt.Sprintf(format, args...)) }
	subject.Done = t.part
	d, err := network.Measure(ctx, subject, o.For(subject, weights, false))
	if err != nil {
		return nil, err
	}
	found := &Measured{V: 1, Time: time.Now(), Analysis: shown(*d)}
	s.analyses.Store(m.path, measured{m.when, found})
	return found, nil
}

// A teller sends how far a measurement is.
type teller struct {
	mu   sync.Mutex
	w    http.ResponseWriter
	out  *http.ResponseController
	now  string // the stage
	last time.Time
}

func (t *teller) stage(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = name
	t.write(progressLine{Stage: name})
}

func (t *teller) part(part float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.last) >= tellEvery {
		t.write(progressLine{Stage: t.now, Part: part})
	}
}

func (t *teller) send(l progressLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.write(l)
}

// write sends a line. An error means that the client is gone, which its context tells.
func (t *teller) write(l progressLine) {
	t.last = time.Now()
	json.NewEncoder(t.w).Encode(l)
	t.out.Flush()
}
