package refs

import (
	"slices"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
)

// A Need is what the run must have that a word such as latest stands for.
type Need struct {
	What string               // no run with …: "heads"; "": nothing
	has  func(run.Entry) bool // nil: every run does
	args string               // of the command train, which make such a run
}

// What commands need of a run.
var (
	AnyRun      = Need{}
	NeedHeads   = Need{"heads", func(e run.Entry) bool { return kindUses(e, "encoding") }, anyTraining}
	NeedCenters = Need{"Gaussian heads", isGaussian, anyTraining}
	NeedConv    = Need{"residual blocks", isResidual, "--model resnet18"}
	NeedCurves  = Need{"a finished epoch", func(e run.Entry) bool { return e.Status.Epoch > 0 }, anyTraining}
	NeedTest    = Need{"a test accuracy", run.Entry.Tested, anyTraining}

	needs = []Need{NeedHeads, NeedCenters, NeedConv, NeedCurves, NeedTest}
)

// anyTraining is the flag of train in advice for any run.
const anyTraining = "--encoding quadratic"

// kindUses reports whether a run's kind of network uses a setting.
func kindUses(e run.Entry, setting string) bool {
	return model.Spec{Kind: e.Status.Model}.Uses(setting)
}

func isResidual(e run.Entry) bool {
	k := model.Kinds.Find(e.Status.Model)
	return k != nil && k.Residual
}

func isGaussian(e run.Entry) bool { return model.NamesGaussian(e.Status.Encoding) }

// Lookup returns a lookup, in the folder root, of runs that satisfy the need. A word may be an encoding, a kind of
// network, a preset or a group of presets.
func (n Need) Lookup(root string) run.Lookup {
	l := run.Lookup{Root: root, Word: func(word string) func(run.Status) bool {
		describes, _ := describeWord(word)
		return describes
	}}
	if n.has != nil {
		l.Missing = func(e run.Entry) string {
			if n.has(e) {
				return ""
			}
			return n.What
		}
	}
	return l
}

// describeWord interprets a word as an encoding, model, preset or group of presets. It returns a predicate for the runs
// of these and the flag of train that produces one, or nil and "".
func describeWord(word string) (describes func(run.Status) bool, flag string) {
	word = configs.Canonical("model.encoding", word)
	ofPreset := func(preset string) bool { return preset == word || strings.HasPrefix(preset, word+"/") }
	switch {
	case model.Kinds.Has(word):
		return func(s run.Status) bool { return s.Model == word }, "--model " + word
	case slices.Contains(model.ShortNames(), word): // encodings, and kinds of networks
		return func(s run.Status) bool { return s.Encoding == word }, "--encoding " + word
	case slices.ContainsFunc(configs.Presets(), ofPreset):
		return func(s run.Status) bool { return ofPreset(s.Preset) }, "--preset " + word
	}
	return nil, ""
}

// TrainFlag returns the flag of the command train that makes what a word describes, or "".
func TrainFlag(word string) string {
	_, flag := describeWord(word)
	return flag
}

// TrainArgs returns arguments of the command train that make the run that is missing, or "".
func TrainArgs(missing *run.NotFoundError) string {
	flag := TrainFlag(missing.Ref)
	switch {
	case missing.What != "run" && missing.What != "preset or run":
		return ""
	case missing.On != "":
		return flag + " --data " + shell.Line(missing.On)
	case missing.Ref != "":
		return flag
	}
	for _, n := range needs {
		if strings.HasPrefix(missing.With, n.What) {
			return n.args
		}
	}
	return anyTraining
}
