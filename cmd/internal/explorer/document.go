package explorer

import (
	"bytes"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
)

// A Document is what the page shows of a run.
type Document struct {
	V         int                `json:"v"`
	Run       Of                 `json:"run"`
	Classes   []string           `json:"classes"`
	Curve     []listing.EpochRow `json:"curve"`
	Heads     []Frame            `json:"heads"`     // where heads were, by epoch; empty unless all are Gaussians
	Kept      []int              `json:"kept"`      // epochs whose weights are there
	Snapshots []int              `json:"snapshots"` // those with a file of their own, checkpoints/epoch-NNN.ckpt
}

// Of is what a run is.
type Of struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Ref      string `json:"ref"` // what a command may call it
	Path     string `json:"path"`
	State    string `json:"state"`
	Model    string `json:"model"`
	Encoding string `json:"encoding"`
	Data     string `json:"data"`
	Seed     uint64 `json:"seed"`
	Epoch    int    `json:"epoch"` // done
	Epochs   int    `json:"epochs"`
	Steps    int    `json:"steps"` // of the whole run
	Params   int    `json:"params"`
	Layers   int    `json:"layers"`
	Heads    []int  `json:"heads"` // of each layer, 0 for one that does not attend
	Attends  bool   `json:"attends"`
	Grid     [2]int `json:"grid"`  // rows and columns of tokens
	Image    [3]int `json:"image"` // rows, columns, channels
	Dim      int    `json:"dim"`
	FFN      int    `json:"ffn"`
	Pool     int    `json:"pool"`
	Foreign  bool   `json:"foreign"` // of another program
	Note     string `json:"note"`    // what the reader of a network of another program should know; "": nothing
	// in metrics.jsonl: what this document does not have is behind it, from the last step on
	Offset int `json:"offset"`
}

// A Frame is where the heads of the layers that attend were after an epoch. A head is its center (row, column) and its
// precision matrix, [Δ₁, Δ₂, p₁₁, p₁₂, p₂₂]: its score is -½(δ-Δ)ᵀ·P·(δ-Δ).
type Frame struct {
	Epoch  int            `json:"epoch"`
	Layers [][][5]float64 `json:"layers"`
}

// Document returns what the page shows of a run.
func (s *Server) Document(e run.Entry) (*Document, error) {
	dir, err := e.Open()
	if err != nil {
		return nil, err
	}
	c, err := configs.Of(dir)
	if err != nil {
		return nil, err
	}
	offset := lastStep(metrics(dir.Path)) // before the records are read: a line too many is harmless
	curve, err := listing.EpochRows(dir)
	if err != nil {
		return nil, err
	}
	st, m := e.Status, c.Model
	d := &Document{V: 1, Curve: curve, Heads: []Frame{}, Run: Of{Heads: []int{},
		ID: st.ID, Name: e.Label(), Ref: s.reference(e), Path: folderOf(e), State: e.State,
		Model: m.ShortName(), Encoding: m.EncodingName(), Data: c.Data.Name, Seed: c.Seed,
		Epoch: st.Epoch, Epochs: c.Train.Epochs, Steps: st.Steps, Params: st.Params,
		Attends: slices.ContainsFunc(m.Blocks(), model.BlockSpec.Attends),
		Image:   m.Image, Dim: m.Dim, FFN: m.FFN, Pool: m.Pool, Offset: offset,
	}}
	if d.Snapshots, err = dir.Snapshots(); err != nil {
		return nil, err
	}
	d.Kept, d.Snapshots = append([]int{}, d.Snapshots...), append([]int{}, d.Snapshots...)
	d.Classes, _ = trained.OriginOf(dir, c.Data, m).ClassNames(s.o.Data)
	best := 0
	if gaussian(m) { // known before the first checkpoint, and without reading it
		if d.Heads, err = frames(dir); err != nil {
			return nil, err
		}
		for _, b := range m.Blocks() {
			d.Run.Heads = append(d.Run.Heads, headsOf(b))
		}
		grid := m.Grid()
		d.Run.Layers, d.Run.Grid = len(d.Run.Heads), [2]int{grid.Rows, grid.Cols}
		if _, err := run.Checkpoint(dir.Path); err == nil {
			best = st.BestEpoch
		}
	}
	if best == 0 {
		if net, err := s.models.of(dir, latest); err == nil {
			d.Run.Layers, d.Run.Heads, d.Run.Grid = net.layers(), net.heads(), net.grid()
			best = net.Meta.Epoch
		}
	}
	if best > 0 && !slices.Contains(d.Kept, best) {
		d.Kept = append(d.Kept, best)
		slices.Sort(d.Kept)
	}
	return d, nil
}

// lastStep returns the offset of the last step in a file of events, or of its end if none is near.
func lastStep(path string) int {
	end := int(run.Size(path))
	f, err := foreign.Open(path)
	if err != nil {
		return end
	}
	defer f.Close()
	b := make([]byte, min(end, mostLine))
	n, _ := f.ReadAt(b, int64(end-len(b)))
	if i := bytes.LastIndex(b[:n], []byte(`"ev":"step"`)); i >= 0 {
		return end - len(b) + bytes.LastIndexByte(b[:i], '\n') + 1
	}
	return end
}

// headsOf is the number of heads of a block, 0 for one that does not attend.
func headsOf(b model.BlockSpec) int {
	if !b.Attends() {
		return 0
	}
	return b.Heads
}

// metrics is the file of a run's events.
func metrics(dir string) string { return filepath.Join(dir, "metrics.jsonl") }

// frames reads where the heads were after each epoch. A file that cannot be read, or has not the heads of the first, is
// left out: the others are worth seeing.
func frames(dir *run.Dir) ([]Frame, error) {
	all := []Frame{}
	epochs, err := dir.HeadEpochs()
	if err != nil {
		return nil, err
	}
	for _, epoch := range epochs {
		recorded, err := run.ReadHeads(dir.HeadsPath(epoch))
		if err != nil {
			continue
		}
		f := Frame{epoch, flat(heads.Recorded(recorded))}
		if len(f.Layers) > 0 && (len(all) == 0 || slices.EqualFunc(all[0].Layers, f.Layers, sameLength)) {
			all = append(all, f)
		}
	}
	return all, nil
}

func sameLength(a, b [][5]float64) bool { return len(a) == len(b) }

// flat returns heads as the page has them, without layers that have none.
func flat(layers [][]geometry.Head) (all [][][5]float64) {
	for _, of := range layers {
		if len(of) == 0 {
			continue
		}
		var list [][5]float64
		for _, h := range of {
			p := h.Precision
			list = append(list, [5]float64{h.Center[0], h.Center[1], p[0][0], p[0][1], p[1][1]})
		}
		all = append(all, list)
	}
	return all
}

// number reads a whole number from 0 in a path.
func number(r *http.Request, name string) (int, error) {
	n, err := strconv.Atoi(r.PathValue(name))
	if err != nil || n < 0 {
		return 0, &refusal{http.StatusBadRequest, name + ": want a whole number from 0"}
	}
	return n, nil
}
