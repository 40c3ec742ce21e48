package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// result writes the result of a study of a network of one layer of four heads, which lie at the number of the epoch.
func result(t *testing.T, epochs ...int) (path string) {
	t.Helper()
	all := map[string]map[int]event.Record{"heads": {}}
	for _, n := range epochs {
		l := event.HeadLayer{}
		for h := range 4 {
			l.Centers, l.Alpha = append(l.Centers, [2]float64{float64(n), float64(h)}), append(l.Alpha, 0.5)
		}
		all["heads"][n] = event.Record{Event: event.Heads{Epoch: n, Layers: []event.HeadLayer{l}}}
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "result.json")
	write(t, path, string(b))
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Heads start where those of a run, a checkpoint or a result are, frozen they stay there, and a run knows where they
// started. All else starts as without a donor.
func TestDonor(t *testing.T) {
	donor := tiny(t, "seed=9")
	from := trainTo(t, donor)
	theirs, _ := from.Net.Heads()
	folder, err := filepath.EvalSymlinks(filepath.Join(donor.Root, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	ended := result(t, 10, 3, 0)
	for file, want := range map[string][2]float64{folder: theirs[0][2].Center, from.Path: theirs[0][2].Center,
		ended: {10, 2}} {
		o := tiny(t, "train.freeze=[heads]", "model.heads_init=from:"+file)
		m := trainTo(t, o)
		layers, _ := m.Net.Heads()
		first, err := m.Untrained()
		if err != nil || layers[0][2].Center != want {
			t.Fatalf("%s: heads at %v, %v; want %v", file, layers[0], err, want)
		}
		initial, _ := first.Heads()
		if started, err := m.InitialHeads(); err != nil || !slices.Equal(started[0], layers[0]) ||
			!slices.Equal(initial[0], layers[0]) {
			t.Errorf("the run says that they began at %v, %v", started, err)
		}
		plain := o.Settings.Model
		plain.HeadsInit = "random"
		drawn, err := model.New(plain, o.Settings.Seed)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range drawn.Params {
			if !strings.Contains(p.Name, ".attention_") && !slices.Equal(p.Data, first.Params[i].Data) {
				t.Errorf("%s starts with other bits", p.Name)
			}
		}
		if err := os.RemoveAll(filepath.Join(m.Run().Path, "heads")); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Untrained(); err == nil || !strings.Contains(err.Error(), "those of another network") {
			t.Errorf("without its record, a network says that it began somewhere: %v", err)
		}
	}
}

// A run that stopped before its first checkpoint needs the donor again, as it was; afterwards it needs none.
func TestResumeWithADonor(t *testing.T) {
	whole := tiny(t, "model.heads_init=from+centers:"+result(t, 0, 2))
	trainTo(t, whole)
	stopped := func(step int) (file, dir string) {
		file = result(t, 0, 2)
		o := tiny(t, "model.heads_init=from+centers:"+file)
		o.Observe = func(e event.Event) error {
			if s, ok := e.(event.Step); ok && s.Step == step {
				return errors.New("killed")
			}
			return nil
		}
		if _, err := Train(t.Context(), o); err == nil {
			t.Fatal("the run was not stopped")
		}
		return file, filepath.Join(o.Root, "latest")
	}
	resume := func(dir string) error {
		_, err := Train(t.Context(), Options{Resume: dir, Set: shapes()})
		return err
	}
	check := func(dir string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if got, all := weights(t, dir), weights(t, filepath.Join(whole.Root, "latest")); !same(got, all) {
			t.Error("the resumed run has other bits")
		}
	}
	_, dirOnly := stopped(2)
	check(dirOnly, resume(dirOnly))

	file, dir := stopped(2)
	write(t, file, strings.ReplaceAll(read(t, file), "[2,", "[1,"))
	if err := resume(dir); err == nil || !strings.Contains(err.Error(), "it no longer has the heads that run") {
		t.Errorf("with another donor: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := resume(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a donor: %v", err)
	}

	file, dir = stopped(6) // behind the checkpoint of the first epoch
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check(dir, resume(dir))
}

// A run that began with the weights of another one and was killed before its first checkpoint has none to go on with.
func TestResumeWithoutTheWeightsOfFrom(t *testing.T) {
	o := tiny(t)
	o.From = trainTo(t, tiny(t, "seed=9"))
	o.Observe = func(e event.Event) error {
		if s, ok := e.(event.Step); ok && s.Step == 2 {
			return errors.New("killed")
		}
		return nil
	}
	if _, err := Train(t.Context(), o); err == nil {
		t.Fatal("the run was not stopped")
	}
	dir := filepath.Join(o.Root, "latest")
	before := read(t, filepath.Join(dir, "run.json"))
	_, err := Train(t.Context(), Options{Resume: dir, Set: shapes()})
	if err == nil || !strings.Contains(err.Error(), "begin again: attnconv train --from ") {
		t.Errorf("resumed: %v", err)
	}
	if read(t, filepath.Join(dir, "run.json")) != before {
		t.Error("the refused resume changed run.json")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Files without heads, of other heads, and damaged ones are refused before a run has a folder.
func TestDonorRefused(t *testing.T) {
	other := trainTo(t, tiny(t, "model.encoding=learned", "train.epochs=1"))
	general := trainTo(t, tiny(t, "model.encoding=quadratic-general", "train.epochs=1"))
	wrong := func(text string) string {
		path := filepath.Join(t.TempDir(), "r.json")
		write(t, path, text)
		return path
	}
	layer := func(text string) string {
		return wrong(`{"heads":{"004":{"v":1,"ev":"heads","epoch":4,"layers":[` + text + `]}}}`)
	}
	for file, want := range map[string]string{
		other.Path:                        "learned has no Gaussian heads",
		general.Path:                      "of encoding quadratic-general, those of this network of quadratic",
		"nowhere/run.ckpt":                "no such file",
		"nowhere.json":                    "no such file",
		t.TempDir():                       "no checkpoint",
		wrong(""):                         "want the result of a study",
		wrong("[1]"):                      "want the result of a study",
		wrong(strings.Repeat("[", 1<<16)): "want the result of a study",
		wrong(`{"heads":{}}`):             "keeps no heads",
		wrong(`{"heads":{"4":{"v":1,"ev":"step"}}}`):                         "no events called heads",
		layer(`{"centers":[[0,1]],"alpha":[]}`):                              "layer 1 has 1 centers and not as many widths",
		layer(`{"centers":[[0,1]],"alpha":[1]}`):                             "has 1 heads for layer 1, which has 4",
		layer(`{},{}`):                                                       "heads of 2 layers, this network of 1",
		layer(`{"centers":[[0,1],[0,1],[0,1],[0,1e300]],"alpha":[1,1,1,1]}`): "no finite center, or no width",
		layer(`{"centers":[[0,1],[0,1],[0,1],[0,1]],"alpha":[1,1,1,-1]}`):    "no finite center, or no width",
	} {
		o := tiny(t, "model.heads_init=from:"+file)
		_, err := New(o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
		if made, _ := os.ReadDir(o.Root); len(made) > 0 {
			t.Errorf("%s: a run was made", file)
		}
	}
	large := wrong("")
	if err := os.Truncate(large, 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := New(tiny(t, "model.heads_init=from:"+large)); !isError[*run.CorruptError](err) {
		t.Errorf("a large file: %v", err)
	}
}

// The heads that a donor gives are those that a record of the network gives.
func TestDonorOfRecord(t *testing.T) {
	m := trainTo(t, tiny(t, "model.encoding=quadratic-general", "train.epochs=1"))
	got, err := donorHeads(m.Path)
	if err != nil || isotropic(got) {
		t.Fatal(err, got)
	}
	layers, _ := m.Net.Heads()
	if h := heads.Recorded(got); !slices.Equal(h[0], layers[0]) {
		t.Errorf("%v, want %v", h, layers)
	}
}
