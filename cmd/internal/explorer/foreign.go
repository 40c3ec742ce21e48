package explorer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/session/trained"
)

// A Foreign is a network of another program, which the page shows instead of runs: its heads on pictures, and how
// convolutional its layers are. It has no views of training.
type Foreign struct {
	Name     string // of the file
	Ref      string // of the command: the file, and where the pictures are
	Net      *vision.Network
	Pictures trained.Pictures
}

const (
	foreignID  = "weights"
	meanImages = 4        // that mean attention on the page is of
	mostAnswer = 64 << 20 // bytes of attention on a picture
)

// foreignAnswers are the routes of a network of another program.
func (s *Server) foreignAnswers() map[string]func(http.ResponseWriter, *http.Request) error {
	none := func(http.ResponseWriter, *http.Request) error {
		return &refusal{http.StatusNotFound, "a network of another program has no such view"}
	}
	return map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /api/v1/runs":                        s.foreignList,
		"GET /api/v1/runs/{id}":                   s.foreignDocument,
		"GET /api/v1/runs/{id}/epochs/{epoch}":    none,
		"GET /api/v1/runs/{id}/means/{epoch}":     s.foreignMeans,
		"GET /api/v1/runs/{id}/untrained":         none,
		"GET /api/v1/runs/{id}/weights":           none,
		"GET /api/v1/runs/{id}/attention/{image}": s.foreignAttention,
		"GET /api/v1/runs/{id}/analysis":          s.foreignAnalysis,
		"POST /api/v1/runs/{id}/analysis":         s.foreignMeasure,
		"GET /api/v1/runs/{id}/events":            s.foreignEvents,
		"POST /api/v1/runs/{id}/images":           none,
	}
}

func (s *Server) foreignList(w http.ResponseWriter, r *http.Request) error {
	f := s.o.Foreign
	l := Listed{Record: listing.Record{ID: foreignID, Model: f.Net.Facts.Family}, Ref: f.Ref, Network: f.Net.Facts.Family,
		Settings: map[string]string{}}
	return respond(w, r, List{V: 1, Version: attnconv.Built(), Runs: []Listed{l}})
}

func (s *Server) foreignDocument(w http.ResponseWriter, r *http.Request) error {
	f, facts := s.o.Foreign, s.o.Foreign.Net.Facts
	d := &Document{V: 1, Classes: []string{}, Curve: []listing.EpochRow{}, Heads: []Frame{}, Kept: []int{0},
		Snapshots: []int{}, Images: []Image{}, Run: Of{ID: foreignID, Name: f.Name, Ref: f.Ref, Path: f.Name,
			Model: facts.Family, Data: f.Name, Params: facts.Parameters, Heads: []int{}, Attends: true,
			Grid: [2]int{facts.Grid.Rows, facts.Grid.Cols}, Image: [3]int{facts.Image[0], facts.Image[1], len(facts.Mean)},
			Foreign: true}}
	if s.onPage() {
		d.Run.Layers = facts.Blocks
		for _, l := range f.Net.Layers() {
			d.Run.Heads = append(d.Run.Heads, l.Heads)
		}
	}
	for i, name := range f.Pictures.Files {
		d.Images = append(d.Images, imageOf(f.Pictures.Split, i, visible.Word(filepath.Base(name))))
	}
	return respond(w, r, d)
}

// onPage reports whether the page can draw the attention: all of it on one grid, and few enough bytes.
func (s *Server) onPage() bool {
	facts, bytes := s.o.Foreign.Net.Facts, 0
	for _, l := range s.o.Foreign.Net.Layers() {
		bytes += l.Heads * l.Grid.Tokens() * l.Grid.Tokens()
	}
	return facts.Windows == 0 && bytes <= mostAnswer
}

// foreignMeans answers with the mean attention of all heads over a few pictures.
func (s *Server) foreignMeans(w http.ResponseWriter, r *http.Request) error {
	images := s.o.Foreign.Pictures.Images
	images.Count = min(images.Count, meanImages)
	d := Means{V: 1, Images: images.Count}
	err := network.EachVision(r.Context(), s.o.Foreign.Net, images, func(o *analyse.Operator) error {
		l, err := meanLayer(o)
		d.Layers = append(d.Layers, l)
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, r, d)
}

// foreignAttention answers with the attention between tokens of the grid on a picture, as attention does.
func (s *Server) foreignAttention(w http.ResponseWriter, r *http.Request) error {
	f := s.o.Foreign
	i, err := strconv.Atoi(r.PathValue("image"))
	if err != nil || i < 0 || i >= f.Pictures.Count || !s.onPage() {
		return &refusal{http.StatusNotFound, "there is no such picture"}
	}
	d := Maps{V: 1, ByImage: true, Layers: []Layer{}}
	var bytes []byte
	one := vision.Images{Count: 1, At: func(int) []float32 { return f.Pictures.At(i) }}
	_, err = f.Net.Run(r.Context(), one, func(layer, _ int, seen vision.Seen) error {
		p := seen.OnGrid()
		n := f.Net.Facts.Grid.Tokens()
		l := Layer{Block: layer, Heads: len(p) / (n * n), Tokens: n, Has: []string{}, Least: []float64{}, Most: []float64{}}
		bytes = append(bytes, quantized(&l, p)...)
		d.Layers = append(d.Layers, l)
		return nil
	})
	if err != nil {
		return err
	}
	return respondBytes(w, d, bytes)
}

func (s *Server) foreignAnalysis(w http.ResponseWriter, r *http.Request) error {
	if d, ok := s.analyses.Load(foreignID); ok {
		return respond(w, r, d)
	}
	return respond(w, r, &Measured{V: 1})
}

// foreignMeasure measures the network as the command analyse does, line by line as measure does.
func (s *Server) foreignMeasure(w http.ResponseWriter, r *http.Request) error {
	f, quick := s.o.Foreign, r.URL.Query().Get("of") != extents[1]
	return s.alone(w, r, func(ctx context.Context, t *teller) (*Measured, error) {
		subject := network.Subject{Name: f.Name, Tell: func(format string, args ...any) { t.stage(fmt.Sprintf(format, args...)) },
			Done: t.part}
		d, err := network.Vision(ctx, subject, f.Net, f.Pictures.Images, network.Usual().ForVision(quick, false, false))
		if err != nil {
			return nil, err
		}
		found := &Measured{V: 1, Time: time.Now(), Analysis: shown(*d)}
		s.analyses.Store(foreignID, found)
		return found, nil
	})
}

// foreignEvents keeps the page's connection open: nothing happens to such a network.
func (s *Server) foreignEvents(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "retry: 60000\n\n")
	if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	<-r.Context().Done()
	return nil
}
