package explorer

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/session/trained"
)

// A Foreign is a network of another program, which the page shows instead of runs: its heads on pictures, and how
// convolutional its layers are. It has no views of training.
type Foreign struct {
	Name     string // of the file
	Ref      string // arguments of the command analyse that measures it on these pictures
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
		"GET /api/v1/runs/{id}/events":            none,
		"GET /api/v1/runs/{id}/images":            s.foreignSample,
		"POST /api/v1/runs/{id}/images":           none,
	}
}

func (s *Server) foreignList(w http.ResponseWriter, r *http.Request) error {
	f := s.o.Foreign
	family := f.Net.Facts.Family
	l := Listed{Record: listing.Record{ID: foreignID, Model: family}, Ref: f.Ref, Network: family,
		Settings: map[string]string{}, Foreign: true}
	return respond(w, r, List{V: 1, Version: attnconv.Built(), Runs: []Listed{l}})
}

func (s *Server) foreignDocument(w http.ResponseWriter, r *http.Request) error {
	return respond(w, r, s.o.Foreign.document())
}

func (f *Foreign) document() *Document {
	facts := f.Net.Facts
	d := &Document{V: 1, Classes: []string{}, Curve: []listing.EpochRow{}, Heads: []Frame{}, Kept: []int{0},
		Snapshots: []int{}, Run: Of{ID: foreignID, Name: f.Name, Ref: f.Ref, Path: f.Name,
			Model: facts.Family, Data: f.Name, Params: facts.Parameters, Heads: []int{}, Attends: true,
			Grid:    [2]int{facts.Grid.Rows, facts.Grid.Cols},
			Image:   [3]int{facts.Image[0], facts.Image[1], len(facts.Mean)},
			Foreign: true}}
	if facts.Guessed {
		d.Run.Note = "The file does not say how many heads a layer has. The number here is a guess, and another number gives " +
			"other maps. --heads N sets it."
	}
	if err := f.onPage(); err != nil {
		d.Run.Note = "There is no view of the heads: " + err.Error() + "."
	} else {
		d.Run.Layers = facts.Blocks
		for _, l := range f.Net.Layers() {
			d.Run.Heads = append(d.Run.Heads, l.Heads)
		}
	}
	return d
}

func (s *Server) foreignSample(w http.ResponseWriter, r *http.Request) error {
	return respond(w, r, s.o.Foreign.sample())
}

// sample has all pictures.
func (f *Foreign) sample() *Sample {
	d := &Sample{V: 1, Images: []Image{}}
	for i, name := range f.Pictures.Files {
		d.Images = append(d.Images, imageOf(f.Pictures.Split, i, visible.Word(filepath.Base(name))))
	}
	return d
}

// onPage says why the page cannot draw the attention: it must be on one grid, and few enough bytes.
func (f *Foreign) onPage() error {
	bytes := 0
	for _, l := range f.Net.Layers() {
		bytes += l.Heads * l.Grid.Tokens() * l.Grid.Tokens()
	}
	switch {
	case f.Net.Facts.Windows > 0:
		return fault.Errorf(fault.Usage, "attention in windows is not drawn on this page")
	case bytes > mostAnswer:
		return fault.Errorf(fault.Usage, "the attention on a picture has %d MB, and this page draws at most %d MB",
			bytes>>20, mostAnswer>>20)
	}
	return nil
}

// foreignMeans answers with the mean attention of all heads over a few pictures.
func (s *Server) foreignMeans(w http.ResponseWriter, r *http.Request) error {
	if d, ok := s.bands.Load(foreignID); ok {
		return respond(w, r, d)
	}
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
	s.bands.Store(foreignID, d)
	return respond(w, r, d)
}

// foreignAttention answers with the attention between tokens of the grid on a picture, as attention does, and with what
// is elsewhere.
func (s *Server) foreignAttention(w http.ResponseWriter, r *http.Request) error {
	f := s.o.Foreign
	i, err := strconv.Atoi(r.PathValue("image"))
	if err != nil || i < 0 || i >= f.Pictures.Count || f.onPage() != nil {
		return &refusal{http.StatusNotFound, "there is no such picture"}
	}
	if part := r.URL.Query().Get("part"); part != "" && part != parts[0] {
		return &refusal{http.StatusBadRequest, "part: a network of another program has " + parts[0] + " only"}
	}
	s.decoding.Lock() // a picture takes all cores
	defer s.decoding.Unlock()
	d := Maps{V: 1, ByImage: true, Layers: []Layer{}}
	var bytes []byte
	one := vision.Images{Count: 1, At: func(int) []float32 { return f.Pictures.At(i) }}
	_, err = f.Net.Run(r.Context(), one, func(layer, _ int, seen vision.Seen) error {
		p := seen.OnGrid()
		n := f.Net.Facts.Grid.Tokens()
		l := Layer{Block: layer, Heads: len(p) / (n * n), Tokens: n,
			Has: []string{}, Least: []float64{}, Most: []float64{}}
		bytes = append(bytes, quantized(&l, p)...)
		if seen.Others > 0 {
			l.Elsewhere = elsewhere(p, n)
		}
		d.Layers = append(d.Layers, l)
		return nil
	})
	if err != nil {
		return err
	}
	return respondBytes(w, d, bytes)
}

// elsewhere returns what rows of n values lack to 1, as bytes of 255ths.
func elsewhere(p []float32, n int) (all []byte) {
	for row := range slices.Chunk(p, n) {
		sum := 0.0
		for _, v := range row {
			sum += float64(v)
		}
		all = append(all, byte(math.Round(255*max(0, min(1, 1-sum)))))
	}
	return all
}

func (s *Server) foreignAnalysis(w http.ResponseWriter, r *http.Request) error {
	d, _ := s.analyses.LoadOrStore(foreignID, &Measured{V: 1})
	return respond(w, r, d)
}

// foreignMeasure measures the network as the command analyse does, line by line as measure does.
func (s *Server) foreignMeasure(w http.ResponseWriter, r *http.Request) error {
	f := s.o.Foreign
	extent, err := extentOf(r)
	if err != nil {
		return err
	}
	return s.oneByOne(w, r, func(ctx context.Context, t *teller) (*Measured, error) {
		subject := network.Subject{Name: f.Name, Done: t.part,
			Tell: func(format string, args ...any) { t.stage(fmt.Sprintf(format, args...)) }}
		o := network.Usual().ForVision(extent == extents[0], false, false)
		d, err := network.Vision(ctx, subject, f.Net, f.Pictures.Images, o)
		if err != nil {
			return nil, err
		}
		found := &Measured{V: 1, Time: time.Now(), Analysis: shown(*d)}
		s.analyses.Store(foreignID, found)
		return found, nil
	})
}
