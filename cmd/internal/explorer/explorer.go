// Package explorer serves a page that shows runs: what trains now, where heads look over the epochs, what each of them
// attends to on an image, what changes if one is moved, and Theorem 1 with its difference going to zero. The page reads
// the folders of runs, also while other processes write them, and writes nothing.
//
// Everything that the page needs is in the program; it asks no other machine for anything. Text from files reaches the
// page as JSON, never as HTML. A Server answers only GET and HEAD, except for images that the user drops and
// measurements that the user asks for, and refuses requests under another host name.
//
// Stable: New and Options. The package is new, and other names may change.
package explorer

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/run"
)

// Options say what is served.
type Options struct {
	Runs string   // the folder of runs
	Only []string // paths of the runs that are served; nil: all in Runs
	Data string   // the folder of data sets; "": the default one
	// Foreign is a network of another program, which the page shows instead of runs; nil: there is none
	Foreign *Foreign
	Hosts   []string // names by which the page may be asked for, besides those of this machine's loopback
}

// Empty reports whether there is no run to serve.
func (o Options) Empty() bool {
	all, err := run.List(o.Runs)
	return err == nil && len(all) == 0
}

// A Server is the page and what it asks for.
type Server struct {
	o         Options
	mux       *http.ServeMux
	models    models
	uploads   uploads
	uploading chan struct{} // a token for each image that is being read or waits
	decoding  sync.Mutex    // one image at a time, for the sake of memory
	sets      struct {
		mu  sync.Mutex
		key string // of the run's data
		set *data.Set
	}
	settings struct { // of listed runs, by path
		mu sync.Mutex
		of map[string]*settingsOf
	}
	paths   sync.Map      // of runs, by what find was asked for
	bands   sync.Map      // of untrained networks, by the checkpoint's path
	clients chan struct{} // a token for each stream of events

	analyses  sync.Map      // measured, by the checkpoint's path
	measuring chan struct{} // a token for the measurement under way
}

// mostClients is the largest number of streams of events at a time.
const mostClients = 32

// New returns a server for these runs. It reads nothing yet.
func New(o Options) *Server {
	if o.Data == "" {
		o.Data = sets.Dir()
	}
	s := &Server{o: o, mux: http.NewServeMux(), clients: make(chan struct{}, mostClients),
		measuring: make(chan struct{}, 1), uploading: make(chan struct{}, mostUploading)}
	answers := map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /api/v1/runs":                        s.runs,
		"GET /api/v1/runs/{id}":                   ofRun(s, s.Document),
		"GET /api/v1/runs/{id}/epochs/{epoch}":    s.epoch,
		"GET /api/v1/runs/{id}/means/{epoch}":     s.means,
		"GET /api/v1/runs/{id}/untrained":         s.untrained,
		"GET /api/v1/runs/{id}/weights":           s.weights,
		"GET /api/v1/runs/{id}/attention/{image}": s.attention,
		"GET /api/v1/runs/{id}/analysis":          s.analysis,
		"POST /api/v1/runs/{id}/analysis":         s.measure,
		"GET /api/v1/runs/{id}/events":            s.events,
		"GET /api/v1/runs/{id}/images":            ofRun(s, s.Sample),
		"POST /api/v1/runs/{id}/images":           s.upload,
		"GET /api/v1/compare":                     s.compare,
		"GET /api/v1/samples":                     s.samples,
		"GET /{file...}":                          s.asset,
	}
	if o.Foreign != nil {
		maps.Copy(answers, s.foreignAnswers())
	}
	for pattern, answer := range answers {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			begun := &begun{ResponseWriter: w}
			if err := answer(begun, r); err != nil && !begun.is { // else the client has gone
				refuse(w, err)
			}
		})
	}
	return s
}

// A begun response has a status, which cannot become another one.
type begun struct {
	http.ResponseWriter
	is bool
}

func (b *begun) WriteHeader(status int) {
	b.is = true
	b.ResponseWriter.WriteHeader(status)
}

func (b *begun) Write(text []byte) (int, error) {
	b.is = true
	return b.ResponseWriter.Write(text)
}

// Unwrap is for http.ResponseController.
func (b *begun) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// policy lets the page use its own files, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	if !s.named(r.Host) {
		http.Error(w, "this page has another name: open the address that attnconv serve printed", http.StatusForbidden)
		return
	}
	origin := r.Header.Get("Origin") // of the page, with its port: other servers of this machine have pages as well
	if r.Method == http.MethodPost && origin != "" && !strings.EqualFold(origin, "http://"+r.Host) {
		http.Error(w, "another page may not send anything here", http.StatusForbidden)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// named reports whether the page may be asked for under a host, with or without a port: a name of this machine's
// loopback, or one of the options. A page elsewhere can make its own name resolve to this machine, but the browser
// sends that name.
func (s *Server) named(host string) bool {
	host = hostOf(host)
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback() || slices.Contains(s.o.Hosts, host)
}

// hostOf returns a host without its port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// A refusal is an error with a status of HTTP.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

// statuses are those of errors with an exit code.
var statuses = map[int]int{
	fault.Usage:   http.StatusUnprocessableEntity,
	fault.Missing: http.StatusNotFound,
	fault.Corrupt: http.StatusUnprocessableEntity,
}

// refuse answers a request that fails.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		status = refused.status
	} else if known, ok := statuses[fault.ExitCode(err)]; ok {
		status = known
	} else if errors.Is(err, fs.ErrNotExist) {
		status = http.StatusNotFound
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"v": 1, "error": err.Error()})
}

// large is the size of an answer, in bytes, from which it is compressed.
const large = 4 << 10

// ofRun answers with what a function makes of the run that a path names.
func ofRun[T any](s *Server, of func(run.Entry) (T, error)) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		e, err := s.find(r)
		if err != nil {
			return err
		}
		d, err := of(e)
		if err != nil {
			return err
		}
		return respond(w, r, d)
	}
}

// respond answers with a document, or says that the client has it already. The page asks for the table of runs again
// and again.
func respond(w http.ResponseWriter, r *http.Request, document any) error {
	b, err := json.Marshal(document)
	if err != nil {
		return err
	}
	tag := tagOf(b)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", tag)
	w.Header().Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if len(b) >= large && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		b = compressed(b, gzip.BestSpeed)
	}
	_, err = w.Write(b)
	return err
}
