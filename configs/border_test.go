package configs

import "testing"

// New runs repeat the edge in a conv-twin; what was written before there was a choice keeps its zeros.
func TestBorder(t *testing.T) {
	write(t, map[string]string{
		"old.yaml":  "model:\n  kind: conv-twin\n",
		"said.yaml": "model: {kind: conv-twin, border: replicate}\n",
		"lr.yaml":   "train: {lr: 0.1}\n",
	})
	twin := Flag{"--model", "model.kind", "conv-twin"}
	for name, tt := range map[string]struct {
		s    Sources
		want string
	}{
		"a new run":              {Sources{}, "replicate"},
		"a new twin":             {Sources{Flags: []Flag{twin}}, "replicate"},
		"a preset":               {Sources{Flags: ask("paper/conv-twin")}, "replicate"},
		"a file":                 {Sources{Files: []string{"old.yaml"}}, "zero"},
		"a file that says it":    {Sources{Files: []string{"said.yaml"}}, "replicate"},
		"a file of other things": {Sources{Files: []string{"lr.yaml"}, Flags: []Flag{twin}}, "replicate"},
		"--set over a file": {Sources{Files: []string{"old.yaml"}, Set: []string{"model.border=replicate"}},
			"replicate"},
		"another run": {Sources{Base: &Document{"run r", []byte("model: {kind: conv-twin}\n")}}, "zero"},
	} {
		r, err := Resolve(tt.s, here("cifar10"))
		if err != nil || r.Run.Model.Border != tt.want {
			t.Errorf("%s: border %v, %v; want %s", name, r, err, tt.want)
		}
	}
	if r, err := Preset("small/quadratic"); err != nil || r.Model.Border != "replicate" { // as a new run of it has
		t.Errorf("a preset by itself: %s, %v", r.Model.Border, err)
	}
	if r, err := Parse("config.yaml", []byte("model: {kind: conv-twin}\n")); err != nil || r.Model.Border != "zero" {
		t.Errorf("a run's config without a border: %s, %v", r.Model.Border, err)
	}
}
