package explorer

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
)

// A Listed is a run in the table of runs.
type Listed struct {
	listing.Record
	Label    string            `json:"label"`             // that the user gave it; "": none
	Ref      string            `json:"ref"`               // the word for it in a command
	Network  string            `json:"network"`           // short name of its model
	Settings map[string]string `json:"settings"`          // by key, those that are not the same in all runs
	Foreign  bool              `json:"foreign,omitempty"` // a network of another program
}

// A List is the table of runs, the newest first.
type List struct {
	V       int      `json:"v"`
	Version string   `json:"version"` // of this program
	Folder  string   `json:"folder"`
	Runs    []Listed `json:"runs"`
}

// entries lists the runs that are served.
func (s *Server) entries() ([]run.Entry, error) {
	if s.o.Only == nil {
		return run.List(s.o.Runs)
	}
	var all []run.Entry
	for _, path := range s.o.Only {
		all = append(all, run.At(path))
	}
	return all, nil
}

// mostCompared is the largest number of runs that the page compares.
const mostCompared = 32

// compare answers with how runs compare; the first is the baseline.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) error {
	var entries []run.Entry
	for id := range strings.SplitSeq(r.URL.Query().Get("runs"), ",") {
		e, err := s.entry(id)
		if err != nil {
			return err
		}
		if entries = append(entries, e); len(entries) > mostCompared {
			return &refusal{http.StatusBadRequest, fmt.Sprintf("runs: want at most %d", mostCompared)}
		}
	}
	d, err := listing.Compare(entries)
	if err != nil {
		return err
	}
	return respond(w, r, d)
}

// find returns the run that a path names.
func (s *Server) find(r *http.Request) (run.Entry, error) { return s.entry(r.PathValue("id")) }

// entry returns the run with an id or, as ids may be missing, a name. What a client sends is compared, and is never a
// path.
func (s *Server) entry(id string) (run.Entry, error) {
	is := func(e run.Entry) bool { return e.Err == nil && (e.Status.ID == id || e.Name == id) }
	if path, ok := s.paths.Load(id); ok {
		if e := run.At(path.(string)); is(e) {
			return e, nil
		}
	}
	all, err := s.entries()
	if err != nil {
		return run.Entry{}, err
	}
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return run.Entry{}, &run.NotFoundError{What: "run", Ref: id}
	}
	s.paths.Store(id, all[i].Path)
	return all[i], nil
}

// runs answers with the table of runs.
func (s *Server) runs(w http.ResponseWriter, r *http.Request) error {
	list, err := s.List()
	if err != nil {
		return err
	}
	return respond(w, r, list)
}

// List returns the runs that are served, without those whose run.json cannot be read.
func (s *Server) List() (List, error) {
	list := List{V: 1, Version: attnconv.Built(), Folder: s.o.Runs, Runs: []Listed{}}
	entries, err := s.entries()
	if err != nil {
		return list, err
	}
	entries = slices.DeleteFunc(entries, func(e run.Entry) bool { return e.Err != nil })
	all := listing.ReadAll(entries)
	settings := s.differing(all)
	for i, l := range all {
		list.Runs = append(list.Runs, Listed{Record: l.Record, Label: l.Label, Ref: s.reference(entries[i]),
			Network: model.ShortName(l.Model, l.Encoding), Settings: settings[i]})
	}
	slices.SortStableFunc(list.Runs, func(a, b Listed) int { return b.Started.Compare(a.Started) })
	return list, nil
}

// columns are settings that have columns of their own.
var columns = []string{"seed", "preset", "model.kind", "model.encoding", "data.name", "train.epochs"}

// A settingsOf is the settings of a run in text, as they are in its config.yaml.
type settingsOf struct {
	size  int64 // of the file
	when  time.Time
	texts map[string]string // by key
}

// texts returns the settings of each run in text, nil for one whose settings cannot be read. It keeps those of files
// that do not change, because encoding settings takes most of the time of a list.
func (s *Server) texts(all []listing.ListRow) []map[string]string {
	s.settings.mu.Lock()
	defer s.settings.mu.Unlock()
	texts, kept := make([]map[string]string, len(all)), make([]*settingsOf, len(all))
	threads.Parallel(len(all), func(i int) {
		l := all[i]
		info, err := os.Stat(filepath.Join(l.Path, "config.yaml"))
		if l.Config == nil || err != nil {
			return
		}
		known := s.settings.of[l.Path]
		if known == nil || known.size != info.Size() || !known.when.Equal(info.ModTime()) {
			known = &settingsOf{info.Size(), info.ModTime(), l.Config.Texts()}
		}
		kept[i], texts[i] = known, known.texts
	})
	s.settings.of = map[string]*settingsOf{}
	for i, k := range kept {
		if k != nil {
			s.settings.of[all[i].Path] = k
		}
	}
	return texts
}

// differing returns the settings of each run that are not the same in all runs whose settings can be read.
func (s *Server) differing(all []listing.ListRow) []map[string]string {
	texts := s.texts(all)
	with := map[[2]string]int{} // runs, by key and text
	readable := 0
	for _, of := range texts {
		if of != nil {
			readable++
		}
		for key, text := range of {
			with[[2]string{key, text}]++
		}
	}
	settings := make([]map[string]string, len(all))
	for i, of := range texts {
		settings[i] = map[string]string{}
		for key, text := range of {
			if with[[2]string{key, text}] < readable && !slices.Contains(columns, key) {
				settings[i][key] = text
			}
		}
	}
	return settings
}

// folderOf is the folder of a run, absolute for the command that the page shows.
func folderOf(e run.Entry) string {
	if abs, err := filepath.Abs(e.Path); err == nil {
		return abs
	}
	return e.Path
}

// reference is the word for a run in a command: its id if the folder's name ends with it, or else its path.
func (s *Server) reference(e run.Entry) string {
	if strings.HasSuffix(e.Name, "-"+e.Status.ID) && filepath.Dir(e.Path) == filepath.Clean(s.o.Runs) {
		return e.Status.ID
	}
	return folderOf(e)
}
