package configs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/option"
)

// A Kind is a layer of values.
type Kind int

// The layers, each over the ones before.
const (
	FromDefault Kind = iota
	FromRun          // the run that this one branches off from
	FromPreset
	FromFile
	FromEnv
	FromFlag
	FromSet
)

// An Origin says where a value was set.
type Origin struct {
	Kind Kind
	Name string // "run" and its name, or that of the preset, file, variable or flag (--lr); the key for --set
	Line int    // in the file, from 1
	Why  string // what a value that leaves the choice to the program has become, and why; or ""
}

// String is how the origin is shown next to its value: "my.yaml:7", "flag --lr", "default (auto: the set at hand)".
func (o Origin) String() string {
	if o.Why != "" {
		return o.where() + " (" + o.Why + ")"
	}
	return o.where()
}

func (o Origin) where() string {
	switch o.Kind {
	case FromRun:
		return o.Name
	case FromPreset:
		return "preset " + o.Name
	case FromFile:
		return o.place()
	case FromEnv:
		return "env " + o.Name
	case FromFlag:
		return "flag " + o.Name
	case FromSet:
		return "--set " + o.Name
	}
	return "default"
}

// place is the line of a file, or only the file where the line is not known.
func (o Origin) place() string {
	if o.Line == 0 {
		return o.Name
	}
	return fmt.Sprintf("%s:%d", o.Name, o.Line)
}

// Given reports whether the user set the value, rather than a preset or the program.
func (o Origin) Given() bool { return o.Kind >= FromFile }

// Subject is what an error calls the value with this key.
func (o Origin) Subject(key string) string {
	switch o.Kind {
	case FromRun, FromPreset:
		return o.String() + ": " + key
	case FromFile:
		return o.place() + ": " + key
	case FromEnv, FromFlag, FromSet:
		name := o.where()
		if o.Kind != FromSet {
			name = o.Name
		}
		if strings.Contains(key, "[") { // within a value
			name += ": " + key
		}
		return name
	}
	return key
}

// An Error is a value, a key or a file that cannot be used, in the words of whoever wrote it.
type Error struct {
	Where string // my.yaml:7, --lr, preset small/quadratic
	Msg   string
	Hint  string // a line of advice, or ""
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Where != "" {
		s = e.Where + ": " + s
	}
	if e.Hint != "" {
		s += "\n  " + e.Hint
	}
	return s
}

func (e *Error) ExitCode() int { return fault.Usage }

func errorf(where, format string, args ...any) *Error {
	return &Error{Where: where, Msg: fmt.Sprintf(format, args...)}
}

// mostErrors is the number of errors in one file that are shown.
const mostErrors = 10

// joinErrors returns one error with the messages of several, each on lines of its own; nil if all are nil.
func joinErrors(errs []error) error {
	var texts []string
	var first error
	for _, err := range errs {
		if err != nil {
			if first == nil {
				first = err
			}
			texts = append(texts, strings.ReplaceAll(err.Error(), "\n", "\n  "))
		}
	}
	if len(texts) < 2 {
		return first
	}
	if more := len(texts) - mostErrors; more > 0 {
		texts = append(texts[:mostErrors], fmt.Sprintf("and %d more", more))
	}
	return &Error{Msg: strings.ReplaceAll(texts[0], "\n    ", "\n  ") + "\n  " + strings.Join(texts[1:], "\n  ")}
}

// valueError is the error for a value of the wrong type: err says what came and what was wanted, and where within the
// value if it is an *option.Error.
func valueError(o Origin, key string, err error) *Error {
	var bad *option.Error
	if errors.As(err, &bad) {
		return &Error{Msg: o.Subject(bad.Key) + " " + bad.Complaint()}
	}
	return &Error{Msg: o.Subject(key) + " " + err.Error()}
}

// explain words an *option.Error inside err by where its key was set; other errors stay as they are.
func explain(err error, origins map[string]Origin) error {
	var bad *option.Error
	if !errors.As(err, &bad) {
		return err
	}
	setting, _, _ := strings.Cut(bad.Key, "[") // model.layers[2].heads was said as model.layers
	o := origins[setting]
	return &Error{Msg: o.Subject(bad.Key) + " " + bad.Complaint(), Hint: meantValue(o, setting, bad)}
}

// valueWords maps words of other programs for a value to ours.
var valueWords = map[string]map[string]string{
	"model.kind": {
		"vit": "mhsa", "transformer": "mhsa", "attention": "mhsa", "self-attention": "mhsa", "sasa": "mhsa",
		"cnn":  "convnet",
		"conv": "convnet", "airbench": "convnet", "resnet": "resnet18", "resnet20": "resnet18", "resnet50": "resnet34",
	},
	"model.encoding": {"gauss": "quadratic", "rotary": "relative", "rope": "relative", "none": "content-only",
		"absolute": "learned"},
	"train.optimizer": {"adam": "adamw", "momentum": "sgd"},
	"train.schedule":  {"linear": "cosine", "multistep": "steps", "none": "constant"},
	"data.name":       {"cifar": "cifar10", "fmnist": "fashion-mnist", "shapes": "shapes32"},
	"train.precision": {"bf16": "bfloat16", "fp32": "float32", "amp": "bfloat16"},
}

// meantValue returns a line of advice for a value that is not one of a setting's choices, or "": what is called so
// here, or the setting that has this value.
func meantValue(o Origin, key string, bad *option.Error) string {
	if bad.Known == nil || option.Nearest(bad.Got, bad.Known) != "" {
		return ""
	}
	if word := valueWords[key][strings.ToLower(bad.Got)]; word != "" {
		return fmt.Sprintf("did you mean %q?", word)
	}
	for _, s := range Settings() {
		for _, choice := range s.Choices {
			if name, _, _ := strings.Cut(choice, "\t"); name != bad.Got || s.Key == key {
				continue
			}
			if o.Kind == FromFlag {
				return fmt.Sprintf("did you mean --%s %s?", s.Flag, bad.Got)
			}
			return fmt.Sprintf("did you mean %s: %s?", s.Key, bad.Got)
		}
	}
	return ""
}
