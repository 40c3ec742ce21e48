package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
)

// What is about to be trained is told with what was chosen for the user: the preset, and a batch that the data fill.
func TestSetup(t *testing.T) {
	flags := []configs.Flag{{Name: "--data", Key: "data.name", Text: "shapes32"},
		{Name: "--train-size", Key: "data.train_size", Text: "30"}}
	r, err := configs.Resolve(configs.Sources{Flags: flags}, func(name string) (string, error) { return name, nil })
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Settings: r.Run, Origins: r.Origins, Set: shapes(), Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := s.Setup()
	if d.Version != "v1.2.3" || d.Data != "shapes32" || d.Train != 30 || d.Run != "" || d.Params != s.Plan().Params ||
		!strings.HasPrefix(d.Device, "cpu, ") {
		t.Errorf("got %+v", d)
	}
	want := []string{"batch 4, not the preset's 64", "preset tiny, the usual one for the built-in images"}
	for _, note := range want {
		if !slices.ContainsFunc(d.Notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
			t.Errorf("the notes are %q, want one that begins with %q", d.Notes, note)
		}
	}
	for preset, want := range map[string]bool{"small/quadratic": true, "small/relative": false, "tiny": false} {
		s.config.Run.Preset = preset
		said := strings.Contains(strings.Join(s.Setup().Notes, "\n"), "the paper's setting: --preset paper/")
		if said != want {
			t.Errorf("preset %s: a note names the paper's: %v, want %v", preset, said, want)
		}
	}
}
