package train

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/table"
)

// banner shows what is about to be trained, on which data and device.
func (j *Job) banner() {
	s := j.Setup()
	if j.c.Streams() {
		j.c.Stream("setup", s)
		return
	}
	j.c.Labeled("attnconv "+attnconv.ReadBuild().Short(), s.Device, fmt.Sprintf("seed %d", s.Seed))
	sizes := fmt.Sprintf("%s train / %s val / %s test", table.Thousands(s.Train), table.Thousands(s.Val),
		table.Thousands(s.Test))
	if j.Overfits() {
		sizes = table.Thousands(s.Val) + " of its training images"
	}
	images := []string{s.Data + "  " + sizes}
	if kind := j.Set().Unusual(); kind != "" {
		images = append(images, kind)
	}
	if s.Digest != "" {
		images = append(images, fmt.Sprintf("digest %.8s%s", s.Digest, originNote(j.Set())))
	}
	j.c.Labeled("data", images...)
	j.c.Labeled("model", s.Model, fmt.Sprintf("%s params   %s per image", table.SI(float64(s.Params), ""),
		table.SI(float64(s.MACs), "MAC")))
	if s.Run != "" {
		j.c.Path("run", s.Run)
	}
	if done := j.Cursor().Step; done > 0 {
		j.c.Labeled("resume", fmt.Sprintf("from step %s of %s, in epoch %d of %d", table.Thousands(done),
			table.Thousands(j.Plan().Steps), min(j.Cursor().Epoch+1, j.Settings().Train.Epochs),
			j.Settings().Train.Epochs))
	}
	if j.o.Group != nil {
		j.c.Labeled("ranks", fmt.Sprintf("%d, joined by %s", j.o.Group.Size(), j.c.World.Library()))
	}
	if caution := j.device.Caution(); caution != "" {
		j.c.Labeled("note", fmt.Sprintf("%s (%s doctor)", caution, term.Program()))
	}
	if j.device.Why != "" {
		j.c.Labeled("note", fmt.Sprintf("on the CPU: %s (%s doctor)", j.device.Why, term.Program()))
	}
	if j.Overfits() {
		j.c.Labeled("check", "--overfit-batches: the same images every epoch, not augmented; \"val\" is measured on "+
			"them, too, and shows only that the model can learn")
	}
	for _, note := range j.Notes() {
		j.c.Labeled("note", note...)
	}
}

// originNote says whether CIFAR images are the published ones.
func originNote(s *data.Set) string {
	switch {
	case s.Published:
		return " ok"
	case strings.HasPrefix(s.Name, "cifar"):
		return " (" + sets.NotPublished + ")"
	}
	return ""
}
