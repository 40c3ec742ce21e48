package cmd

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
)

func newRuns(c *cli.Console) *cobra.Command {
	return cli.Family("runs", "List, show, label, compare and remove runs", `attnconv runs ls --sort val_acc
attnconv runs show k3f9
attnconv runs diff k3f9 p8d2
attnconv runs tag k3f9 baseline
attnconv runs rm k3f9 p8d2
attnconv runs gc --dry-run`,
		newRunsLs(c), newRunsShow(c), newRunsDiff(c), newRunsTag(c), newRunsNote(c), newRunsRm(c), newRunsGc(c))
}

// A runRow is a run in a list, and in JSON.
type runRow struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Path     string            `json:"path"`
	State    string            `json:"state"`
	Why      string            `json:"why,omitempty"` // why the state differs from the recorded one
	Started  time.Time         `json:"started"`
	Preset   string            `json:"preset"`
	Model    string            `json:"model"`
	Encoding string            `json:"encoding"`
	Data     string            `json:"data"`
	Seed     uint64            `json:"seed"`
	Params   int               `json:"params"`
	Epoch    int               `json:"epoch"`
	Epochs   int               `json:"epochs"`
	Step     int               `json:"step"`
	Steps    int               `json:"steps"`
	Best     int               `json:"best_epoch"`
	ValAcc   *float64          `json:"val_acc"`
	TestAcc  *float64          `json:"test_acc"`
	WallS    *float64          `json:"wall_s"`
	Tags     []string          `json:"tags"`
	Note     string            `json:"note"`
	Differs  map[string]string `json:"differs"`         // settings that differ from the preset
	Error    string            `json:"error,omitempty"` // run.json cannot be read

	order  []string     // the keys of Differs, in the order of the file
	config *configs.Run // nil: cannot be read
}

// newRunRow reads the settings of a run for a list. presets caches resolved presets.
func newRunRow(e run.Entry, presets map[string]configs.Run) runRow {
	s := e.Status
	if e.Err != nil {
		return runRow{Name: e.Name, Path: e.Path, State: "unreadable", Tags: []string{}, Error: e.Err.Error()}
	}
	r := runRow{
		ID: s.ID, Name: e.Name, Path: e.Path, State: e.State, Why: e.Why, Started: s.Started, Preset: s.Preset,
		Model: s.Model, Encoding: s.Encoding, Data: s.Data, Seed: s.Seed, Params: s.Params, Epoch: s.Epoch, Epochs: s.Epochs,
		Step: s.Step, Steps: s.Steps, Best: s.BestEpoch, ValAcc: cli.Finite(s.ValAcc), TestAcc: cli.Finite(s.TestAcc),
		WallS: cli.Finite(s.WallS), Tags: append([]string{}, s.Tags...), Note: s.Note,
	}
	if config, err := configs.OfEntry(e); err == nil {
		r.config = &config
		r.Differs, r.order = differing(config, s.Preset, presets)
	}
	return r
}

// differing returns the settings of a run that differ from its preset, and their keys in order. presets is a cache.
func differing(config configs.Run, preset string, presets map[string]configs.Run) (map[string]string, []string) {
	base, ok := presets[preset]
	if !ok {
		of, err := configs.Preset(preset)
		if err != nil { // no preset, or one that this version does not have
			of = configs.Default()
		}
		base, presets[preset] = of, of
	}
	differs, order := map[string]string{}, []string(nil)
	for _, v := range config.Unlike(base) {
		shown := []string{"preset", "model.encoding", "model.kind", "data.name", "model.classes", "model.image"}
		if !slices.Contains(shown, v.Key) && config.Uses(v.Key) {
			differs[v.Key] = v.Text
			order = append(order, v.Key)
		}
	}
	return differs, order
}

// differences formats Differs: "lr 0.05, dim 96".
func (r runRow) differences() string {
	var words []string
	for _, key := range r.order {
		words = append(words, cli.ShortKey(key)+" "+r.Differs[key])
	}
	return strings.Join(words, ", ")
}

func (r runRow) state() string {
	if r.Why != "" {
		return r.State + " (" + r.Why + ")"
	}
	return r.State
}

func (r runRow) network() string { return strings.TrimSpace(r.Model + " " + r.Encoding) }
