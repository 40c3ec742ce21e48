package train

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/report"
)

// banner shows what is about to be trained, on which data and device.
func (j *Job) banner() {
	if j.c.Streams() {
		j.c.Stream("setup", j.setup())
		return
	}
	j.c.Labelled("attnconv "+report.ReadVersion().Short(), j.where(), fmt.Sprintf("seed %d", j.Settings().Seed))
	sizes := fmt.Sprintf("%s train / %s val / %s test", cli.Thousands(j.Plan().Train), cli.Thousands(j.Plan().Val),
		cli.Thousands(j.Plan().Test))
	if j.Overfits() {
		sizes = cli.Thousands(j.Plan().Val) + " of its training images"
	}
	parts := []string{j.Set().Name + "  " + sizes}
	if kind := j.Set().Unusual(); kind != "" {
		parts = append(parts, kind)
	}
	if d := j.Set().Digest.Train; d != "" {
		parts = append(parts, fmt.Sprintf("digest %.8s%s", d, published(j.Set())))
	}
	j.c.Labelled("data", parts...)
	m := j.Settings().Model
	j.c.Labelled("model", m.String(), fmt.Sprintf("%s params   %s per image", strings.TrimSpace(cli.SI(float64(m.Params()), "")),
		cli.SI(float64(j.Settings().Model.MACs().Run), "MAC")))
	if j.Dir() != nil {
		j.c.Note("run    %s", j.Dir().Path) // not wrapped, so that it can be copied
	}
	if j.device.GPU() {
		j.c.Labelled("note", fmt.Sprintf("%s (%s doctor)", pjrt.Experimental, cli.Program()))
	}
	if j.device.Why != "" {
		j.c.Labelled("note", fmt.Sprintf("on the CPU: %s (%s doctor)", j.device.Why, cli.Program()))
	}
	if j.Overfits() {
		j.c.Labelled("check", "--overfit-batches: the same images every epoch, not augmented; \"val\" is measured on them, too, "+
			"and shows only that the model can learn")
	}
	for _, note := range j.notes() {
		j.c.Labelled("note", note...)
	}
}

// notes lists choices that the program made for the user, with reasons.
func (j *Job) notes() (all [][]string) {
	if j.Set().Note != "" {
		all = append(all, []string{j.Set().Note})
	}
	if j.Plan().PresetBatch > 0 {
		all = append(all, []string{fmt.Sprintf("batch %d, not the preset's %d: %s has %s to train on", j.Settings().Train.Batch, j.Plan().PresetBatch,
			j.Set().Name, cli.Count(j.Plan().Train, "image"))})
	}
	if j.chosen() {
		why := "the usual one for photographs"
		if j.Settings().Preset == configs.DefaultPreset("shapes32") {
			why = "the usual one for the built-in images"
		}
		parts := []string{fmt.Sprintf("preset %s, %s", j.Settings().Preset, why)}
		_, name, grouped := strings.Cut(j.Settings().Preset, "/")
		if _, known := configs.PresetText("paper/" + name); grouped && known {
			parts = append(parts, "the paper's setting: --preset paper/"+name)
		}
		all = append(all, parts)
	}
	return all
}

// chosen reports whether the program chose the preset.
func (j *Job) chosen() bool {
	origin, known := j.o.Config.Origins["preset"]
	return known && j.Settings().Preset != "" && !origin.Given()
}

// setup returns the banner as a JSON object.
func (j *Job) setup() any {
	s := struct {
		Version string   `json:"version"`
		Device  string   `json:"device"`
		Seed    uint64   `json:"seed"`
		Data    string   `json:"data"`
		Digest  string   `json:"digest"`
		Train   int      `json:"train"` // images
		Val     int      `json:"val"`
		Test    int      `json:"test"`
		Model   string   `json:"model"`
		Params  int      `json:"params"`
		MACs    int      `json:"macs_run"`
		Preset  string   `json:"preset"`
		Run     string   `json:"run"` // "": nothing is written
		Notes   []string `json:"notes"`
	}{report.ReadVersion().Version, j.where(), j.Settings().Seed, j.Set().Name, j.Set().Digest.Train, j.Plan().Train, j.Plan().Val, j.Plan().Test,
		j.Settings().Model.String(), j.Settings().Model.Params(), j.Settings().Model.MACs().Run, j.Settings().Preset, "", []string{}}
	if j.Dir() != nil {
		s.Run = j.Dir().Path
	}
	for _, note := range j.notes() {
		s.Notes = append(s.Notes, strings.Join(note, "; "))
	}
	return s
}

// where names the device and its kernels or precision.
func (j *Job) where() string {
	if j.device.GPU() {
		return fmt.Sprintf("gpu: %s, %s", j.device, j.Settings().Train.Precision)
	}
	return fmt.Sprintf("cpu, %d threads, %s", threads.Limit(), kernel.Name())
}

// published says whether CIFAR images are the published ones.
func published(s *data.Set) string {
	switch {
	case s.Published:
		return " ok"
	case strings.HasPrefix(s.Name, "cifar"):
		return " (not the published images: a lossy copy?)"
	}
	return ""
}
