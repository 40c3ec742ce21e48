package session

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
)

// Setup describes what is about to be trained, on which data and where.
func (s *Session) Setup() Setup {
	r, p := s.config.Run, s.Plan()
	d := Setup{
		Version: s.o.Version, Device: s.trainer.Options.Where(s.ranks()), Seed: r.Seed,
		Data: s.set.Name, Digest: s.set.Digest.Train, Train: p.Train, Val: p.Val, Test: p.Test,
		Model: r.Model.String(), Params: p.Params, MACs: p.MACs, Preset: r.Preset, Notes: []string{},
	}
	if s.dir != nil {
		d.Run = s.dir.Path
	}
	for _, note := range s.Notes() {
		d.Notes = append(d.Notes, strings.Join(note, "; "))
	}
	return d
}

// Notes lists choices that were made for the user, each with its reasons.
func (s *Session) Notes() (all [][]string) {
	r := s.config.Run
	if s.set.Note != "" {
		all = append(all, []string{s.set.Note})
	}
	if s.batch > 0 {
		all = append(all, []string{fmt.Sprintf("batch %d, not the preset's %d: %s has %s to train on", r.Train.Batch,
			s.batch, s.set.Name,
			table.Count(s.Plan().Train, "image"))})
	}
	if note := s.shardsNote(); note != nil {
		all = append(all, note)
	}
	if s.ChosenPreset() {
		why := "the usual one for photographs"
		if r.Preset == configs.DefaultPreset("shapes32") {
			why = "the usual one for the built-in images"
		}
		note := []string{fmt.Sprintf("preset %s, %s", r.Preset, why)}
		_, name, grouped := strings.Cut(r.Preset, "/")
		if _, known := configs.PresetText("paper/" + name); grouped && known {
			note = append(note, "the paper's setting: --preset paper/"+name)
		}
		all = append(all, note)
	}
	for _, note := range []string{r.Model.InitNote(), s.donor.note} {
		if note != "" {
			all = append(all, []string{note})
		}
	}
	if s.trainer.Options.SlowBFloat16() {
		all = append(all, []string{"bfloat16 is no faster than float32 on this processor",
			"float32 is the usual precision: --precision float32"})
	}
	return all
}

// ChosenPreset reports whether the settings begin with a preset that the user did not name.
func (s *Session) ChosenPreset() bool {
	origin, known := s.config.Origins["preset"]
	return known && s.config.Run.Preset != "" && !origin.Given()
}
