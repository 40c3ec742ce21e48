package configs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/option"
)

// Sources are all the places where a user can set a value.
type Sources struct {
	Base  *Document // the configuration of the run that this one branches off from; nil for a fresh run
	Files []string  // -c, in order; later ones win
	Env   []string  // NAME=value, as from os.Environ; what does not begin with ATTNCONV_ is ignored
	Flags []Flag    // typed flags
	Set   []string  // --set key=value, in order
}

// StartingFrom returns the sources with a preset or, by its ending, a YAML file below all others.
func (s Sources) StartingFrom(name string) Sources {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		s.Files = append([]string{name}, s.Files...)
	} else {
		s.Flags = append([]Flag{{Name: "preset", Key: "preset", Text: name}}, s.Flags...)
	}
	return s
}

// A Document is a configuration as text, and what to call it.
type Document struct {
	Name string
	Text []byte
}

// A Flag is one flag as typed.
type Flag struct{ Name, Key, Text string } // --lr, train.lr, 0.05

// A ResolvedRun is a run in which every value is resolved and knows where it came from.
type ResolvedRun struct {
	Run      Run
	Origins  map[string]Origin // by key
	Warnings []string          // of the environment
}

// Resolve puts the layers together. locate turns the data set that was asked for into the one that there is (auto
// becomes cifar10 or shapes32); it may be nil, and of its errors an *option.Error is worded by Explain, others are
// returned as they are. The error of a Base that needs a kind which another program has registered
// wraps an *option.MissingError. All other errors are of type *Error.
func Resolve(s Sources, locate func(name string) (string, error)) (*ResolvedRun, error) {
	given, warnings, err := s.given()
	if err != nil {
		return nil, err
	}
	base, err := s.base()
	if err != nil {
		return nil, err
	}
	asked, err := presetFor(given, "")
	if err != nil {
		return nil, err
	}
	full, named := asked["preset"]
	all := given.over(asked.over(base)) // the layers below given are used up
	if named {
		all["preset"] = full
	}
	if locate != nil {
		name, err := locate(all.word("data.name", Default().Data.Name))
		if err != nil {
			return nil, explain(err, all.origins())
		}
		all.located("data.name", name)
		if !named && s.Base == nil {
			byData, err := presetFor(given, DefaultPreset(name))
			if err != nil {
				return nil, err
			}
			all = all.over(byData)
		}
	}
	if s.Base == nil {
		all.newBorder()
	}
	r := &ResolvedRun{Origins: all.origins(), Warnings: warnings}
	if r.Run, err = decodeRun(all); err != nil {
		return nil, err
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	if o, d := r.Origins["data.val_size"], r.Run.Data; d.ValSize == 0 && d.Protocol == data.Holdout && locate != nil {
		o.Why = sets.OwnValSize(d.Name)
		r.Origins["data.val_size"] = o
	}
	r.idleOptions(s.Base == nil)
	return r, r.idle()
}

// validate reports the first wrong value of each section.
func (r *ResolvedRun) validate() error {
	var errs []error
	for _, err := range []error{r.Run.Model.Validate(), sets.Validate(r.Run.Data), r.Run.Train.Validate()} {
		errs = append(errs, r.Explain(err))
	}
	if err := joinErrors(errs); err != nil {
		return err
	}
	return r.Explain(r.Run.Validate()) // of values that do not go together
}

// idleOptions warns of options of registered kinds that were typed for a run without the kind: they change nothing. Of
// models that are compared, some may have it.
func (r *ResolvedRun) idleOptions(fresh bool) {
	for _, f := range current().fields {
		o := r.Origins[f.key]
		if f.option == nil || !fresh || o.Kind != FromFlag && o.Kind != FromSet || r.Run.uses(f) {
			continue
		}
		g := f.option.Group
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s sets nothing: the %s is not %s", o.Subject(f.key), g.What,
			g.Name))
	}
}

// idle is the error for an encoding that was typed for a network that has none: it would change nothing. In a file it
// may stand, since every run's file has all keys.
func (r *ResolvedRun) idle() error {
	const key = "model.encoding"
	o := r.Origins[key]
	if typed := o.Kind == FromFlag || o.Kind == FromSet; !typed || r.Run.Model.Uses("encoding") {
		return nil
	}
	return &Error{Msg: fmt.Sprintf("%s %s: a %s has no attention, and so no encoding", o.Subject(key),
		r.Run.Model.Encoding,
		r.Run.Model.Kind), Hint: "leave it out, or train self-attention: --model " + Default().Model.Kind}
}

// Explain words an *option.Error by the flag or the line that set the value; other errors, and nil, it returns as they
// are.
func (r *ResolvedRun) Explain(err error) error { return explain(err, r.Origins) }

// given reads the layers above the preset, each over the one before, and warns of variables that set nothing.
func (s Sources) given() (layer, []string, error) {
	all, wrong := layer{}, []error(nil)
	for _, path := range s.Files {
		l, err := fileLayer(path)
		wrong = append(wrong, err)
		l.zeroBorder()
		l.over(all)
	}
	if err := errors.Join(wrong...); err != nil { // of all files at once
		return nil, nil, err
	}
	env, warnings, err := readEnv(s.Env)
	if err != nil {
		return nil, nil, err
	}
	env.over(all)
	for _, f := range s.Flags {
		if err := all.putText(current().byKey[f.Key], f.Text, Origin{Kind: FromFlag, Name: f.Name}); err != nil {
			return nil, nil, err
		}
	}
	for _, text := range s.Set {
		if err := all.assign(text); err != nil {
			return nil, nil, err
		}
	}
	return all, warnings, nil
}

// fileLayer reads the values of a file.
func fileLayer(path string) (layer, error) {
	text, err := readFile(path)
	if err != nil {
		return layer{}, err
	}
	return readLayer(text, Origin{Kind: FromFile, Name: path})
}

// newBorder is the border of new runs, where nothing says another; Default is that of runs that say nothing of it.
func (l layer) newBorder() {
	if _, said := l["model.border"]; !said {
		l["model.border"] = leaf{node: scalar("replicate")}
	}
}

// zeroBorder sets the border zero in a file that asks for a conv-twin and does not name a border. Runs wrote such files
// before there was a choice.
func (l layer) zeroBorder() {
	if _, said := l["model.border"]; !said && l.word("model.kind", "") == "conv-twin" {
		l["model.border"] = leaf{scalar("zero"), l["model.kind"].origin}
	}
}

// base reads the values of the run that this one branches off from.
func (s Sources) base() (layer, error) {
	if s.Base == nil {
		return layer{}, nil
	}
	l, err := readLayer(s.Base.Text, Origin{Kind: FromRun, Name: s.Base.Name})
	return l, explainMissing(err, s.Base.Name, s.Base.Text)
}

// presetFor reads the preset that given asks for, or else the one called otherwise; with neither, no values.
func presetFor(given layer, otherwise string) (layer, error) {
	name := given.word("preset", otherwise)
	if name == "" {
		return layer{}, nil
	}
	m := Default().Model
	m.Kind, m.Encoding = given.word("model.kind", m.Kind), given.word("model.encoding", m.Encoding)
	var bad *option.Error
	if errors.As(m.Validate(), &bad) && (bad.Key == "model.kind" || bad.Key == "model.encoding") {
		return nil, explain(bad, given.origins()) // a misspelled encoding is not a preset that is missing
	}
	full, err := member(name, m.Kind, m.Encoding)
	if err != nil {
		return nil, explain(err, given.origins())
	}
	l, err := preset(full)
	if err != nil {
		return nil, err
	}
	l["preset"] = leaf{scalar(full), given["preset"].origin}
	return l, nil
}

// located makes the data set that was asked for the one that there is, and says so where they differ.
func (l layer) located(key, name string) {
	o := l[key].origin
	if asked := l.word(key, Default().Data.Name); asked != name {
		o.Why = asked + ": the set at hand"
	}
	l[key] = leaf{scalar(name), o}
}

// origins says where each value of l was set.
func (l layer) origins() map[string]Origin {
	m := make(map[string]Origin, len(l))
	for key, v := range l {
		m[key] = v.origin
	}
	return m
}

// word is the value of a single word in l, or the other one if l does not set it.
func (l layer) word(key, otherwise string) string {
	if v, ok := l[key]; ok {
		return v.node.Value
	}
	return otherwise
}

// assign sets one value from key=value.
func (l layer) assign(text string) error {
	key, value, ok := strings.Cut(text, "=")
	key = strings.TrimSpace(key)
	f, known := current().byKey[key]
	switch {
	case !ok:
		return errorf("--set "+strict.Clip(text), "want key=value, such as train.lr=0.05")
	case !known && isSection(key):
		return errorf("--set "+key, "is a group of keys: want one of them, such as %s", firstIn(key))
	case !known:
		e := errorf("--set", "unknown key %q", key)
		e.Hint = suggest(key, false)
		return e
	}
	return l.putText(f, value, Origin{Kind: FromSet, Name: key})
}

func firstIn(section string) string {
	i := slices.IndexFunc(current().fields, func(f field) bool { return strings.HasPrefix(f.key, section+".") })
	return current().fields[i].key
}

func readFile(path string) ([]byte, error) {
	text, err := foreign.ReadFile(path, maxFile)
	if refused := (*foreign.RefusalError)(nil); errors.As(err, &refused) {
		return nil, errorf(path, "%s", refused.Reason)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Where: path, Msg: reason(err), Hint: meantFile(path)}
	}
	if err != nil {
		return nil, errorf(path, "%s", reason(err))
	}
	return text, nil
}

// meantFile returns a line of advice for a file that does not exist.
func meantFile(path string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(path, ".yaml"), ".yml")
	if slices.Contains(PresetChoices(), name) {
		return "a preset is not a file: --preset " + name
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.y*ml"))
	if near := option.Nearest(path, files); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "to begin with the settings of a preset: attnconv config cp tiny " + path
}

// prefix begins the environment variables of the program.
const prefix = "ATTNCONV_"

// reserved are the variables that set something else than a value of a Run.
var reserved = []string{"ATTNCONV_DATA", "ATTNCONV_RUNS", "ATTNCONV_KERNELS", "ATTNCONV_CIFAR10", "ATTNCONV_DEVICE",
	"ATTNCONV_PJRT_PLUGIN", "ATTNCONV_MPI"}

// Variable is the name of the environment variable that sets key: ATTNCONV_TRAIN_LR for train.lr.
func Variable(key string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// readEnv reads the variables that set a value, and warns of those that set nothing. An empty variable counts as unset.
func readEnv(env []string) (layer, []string, error) {
	byName, names := map[string]field{}, []string(nil) // names without the prefix, which no two would differ in
	for _, name := range reserved {
		names = append(names, strings.TrimPrefix(name, prefix))
	}
	for _, f := range current().fields {
		byName[Variable(f.key)] = f
		names = append(names, strings.TrimPrefix(Variable(f.key), prefix))
	}
	l, warnings := layer{}, []string(nil)
	for _, entry := range slices.Sorted(slices.Values(env)) {
		name, value, _ := strings.Cut(entry, "=")
		f, known := byName[name]
		switch {
		case !strings.HasPrefix(name, prefix) || value == "" || slices.Contains(reserved, name):
		case known:
			if err := l.putText(f, value, Origin{Kind: FromEnv, Name: name}); err != nil {
				return nil, nil, err
			}
		default:
			w := "the environment variable " + name + " sets nothing"
			name = strings.TrimPrefix(name, prefix)
			if near := option.Nearest(name, names); near != "" {
				w += "\n  did you mean " + prefix + near + "?"
			} else if key := nearestKey(strings.ToLower(name)); key != "" {
				w += "\n  did you mean " + Variable(key) + "?"
			}
			warnings = append(warnings, w)
		}
	}
	return l, warnings, nil
}

// Variables are those of Env that set a value, as NAME=value.
func (s Sources) Variables() []string {
	var obeyed []string
	for _, f := range current().fields {
		for _, entry := range s.Env {
			if value, ok := strings.CutPrefix(entry, Variable(f.key)+"="); ok && value != "" {
				obeyed = append(obeyed, entry)
			}
		}
	}
	return obeyed
}

// value is the text of a value of r, as config.yaml would show it.
func (r Run) value(f field) string {
	return inline(strict.Node(f.in(reflect.ValueOf(r))))
}
