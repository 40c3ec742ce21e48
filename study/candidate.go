package study

import (
	"fmt"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
)

// A Candidate is a run that may be compared.
type Candidate struct {
	run.Entry
	Config configs.Run
	Study  Run  // its curve and environment are read only if it is compared
	Named  bool // in Request.Runs
}

// NewCandidate reads the configuration of a listed run.
func NewCandidate(e run.Entry) (Candidate, error) {
	if e.Err != nil {
		return Candidate{}, e.Err
	}
	config, err := configs.OfEntry(e)
	if err == nil {
		err = config.Model.Validate()
	}
	if err != nil {
		return Candidate{}, fmt.Errorf("run %s: %w", e.Status.ID, err)
	}
	return Candidate{Entry: e, Config: config, Study: FromSettings(e.Status, config)}, nil
}

// FromSettings returns a run with its settings, without results.
func FromSettings(s run.Status, config configs.Run) Run {
	r := Run{ID: s.ID, Name: config.Model.ShortName(), Seed: config.Seed, Spec: config.Model,
		ValOf: PartOf("val", s, &config), TestOf: PartOf("test", s, &config)}
	for _, v := range config.Values() {
		if v.Key != "seed" {
			r.Settings = append(r.Settings, Setting{Key: v.Key, Value: v.Text})
		}
	}
	r.began(s)
	return r
}

// SeedsOf reports whether two listed runs differ in nothing but their seeds.
func SeedsOf(a, b run.Entry) bool {
	x, errX := NewCandidate(a)
	y, errY := NewCandidate(b)
	return errX == nil && errY == nil && Alike(x.Study, y.Study)
}
