package term

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
)

// Flags adds flags to one group of a command's help.
type Flags struct {
	*pflag.FlagSet
	Group  string
	common bool
}

// FlagsIn returns set for adding flags to a group of help.
func FlagsIn(set *pflag.FlagSet, group string) Flags { return Flags{FlagSet: set, Group: group} }

// Common returns f for adding flags that help shows without --help-all.
func (f Flags) Common() Flags {
	f.common = true
	return f
}

// The annotations that help reads.
const (
	groupNote  = "group"
	commonNote = "common"  // present: help shows the flag without --help-all
	metaNote   = "meta"    // what a flag's value is called: NAME, N
	choiceNote = "choices" // choices, without help
	helpedNote = "helped"  // the same as completions: a tab and help behind each that has one
)

// Describe annotates a flag with the name of its value and with its choices, as option.List.Completions returns them.
func (f Flags) Describe(name, meta string, choices []string) {
	f.SetAnnotation(name, groupNote, []string{f.Group})
	f.SetAnnotation(name, metaNote, []string{meta})
	if f.common {
		f.SetAnnotation(name, commonNote, nil)
	}
	if choices != nil {
		f.SetAnnotation(name, choiceNote, ChoiceNames(choices))
		f.SetAnnotation(name, helpedNote, choices)
	}
}

// ChoiceNames returns completions without their help.
func ChoiceNames(completions []string) []string {
	names := make([]string, len(completions))
	for i, line := range completions {
		names[i], _, _ = strings.Cut(line, "\t")
	}
	return names
}

// Choices returns the choices of a flag, or nil.
func Choices(f *pflag.Flag) []string { return f.Annotations[choiceNote] }

// HelpedChoices returns the choices of a flag as completions: a tab and help behind each that has one.
func HelpedChoices(f *pflag.Flag) []string { return f.Annotations[helpedNote] }

// Value adds a flag of any type; choices as for Describe.
func (f Flags) Value(v pflag.Value, name, short, meta, help string, choices []string) {
	f.VarP(v, name, short, help)
	f.Describe(name, meta, choices)
}

// Boolean adds a switch, off by default. An empty short is none.
func (f Flags) Boolean(p *bool, name, short, help string) {
	f.BoolVarP(p, name, short, false, help)
	f.Describe(name, "", nil)
}

// Unless adds a switch that is on by default. p is whether it is off.
func (f Flags) Unless(p *bool, name, help string) {
	f.Value((*invertedSwitch)(p), name, "", "", help, nil)
	f.Lookup(name).NoOptDefVal = "true"
}

// invertedSwitch is a switch whose value is whether it is off.
type invertedSwitch bool

func (v *invertedSwitch) Type() string     { return "bool" }
func (v *invertedSwitch) IsBoolFlag() bool { return true }
func (v *invertedSwitch) String() string   { return strconv.FormatBool(!bool(*v)) }
func (v *invertedSwitch) Set(text string) error {
	on, err := strconv.ParseBool(text)
	*v = invertedSwitch(!on)
	return err
}

// Text adds a flag of any text, with the default otherwise; choices as for Describe.
func (f Flags) Text(p *string, name, otherwise, meta, help string, choices []string) {
	f.StringVar(p, name, otherwise, help)
	f.Describe(name, meta, choices)
}

// Texts adds a flag that may be given several times.
func (f Flags) Texts(p *[]string, name, short, meta, help string) {
	f.StringArrayVarP(p, name, short, nil, help)
	f.Describe(name, meta, nil)
}

// A value is a flag whose text set reads.
type value struct {
	set  func(text string) error
	show func() string // of the default, for help; nil: there is none
}

func (v value) Type() string          { return "value" }
func (v value) Set(text string) error { return v.set(text) }
func (v value) String() string {
	if v.show == nil {
		return ""
	}
	return v.show()
}

// Flag adds a flag whose text parse reads into p; an error says what is wanted. Help shows what p has now as the
// default, unless that is zero.
func Flag[T any](f Flags, p *T, name, meta, help string, parse func(text string) (T, error)) {
	set := func(text string) error {
		v, err := parse(text)
		if err == nil {
			*p = v
		}
		return err
	}
	show := func() string {
		if reflect.ValueOf(p).Elem().IsZero() {
			return ""
		}
		return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(*p)), ","), "[]")
	}
	f.Value(value{set, show}, name, "", meta, help, nil)
}

// Each adds a flag that may be given several times; parse reads one value.
func Each[T any](f Flags, p *[]T, name, meta, help string, parse func(text string) (T, error)) {
	f.Value(value{set: func(text string) error {
		v, err := parse(text)
		if err == nil {
			*p = append(*p, v)
		}
		return err
	}}, name, "", meta, help, nil)
}

// Listed is parse for each part of a text with commas.
func Listed[T any](parse func(part string) (T, error)) func(text string) ([]T, error) {
	return func(text string) (all []T, err error) {
		for part := range strings.SplitSeq(text, ",") {
			v, err := parse(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
}

// Choice adds a flag whose value is a name in list, or otherwise: its value if it is not given.
func Choice[T option.Named](f Flags, p *string, name, otherwise, meta, help string, list option.List[T]) {
	*p = otherwise
	Flag(f, p, name, meta, help, func(text string) (string, error) {
		if text == otherwise {
			return text, nil
		}
		return text, list.Check("--"+name, text)
	})
	f.Describe(name, meta, list.Completions())
}

// Format adds --format, one of table.Formats; help says what has the format.
func (f Flags) Format(p *string, help string) {
	*p = "text"
	formats := option.List[table.Format](table.Formats)
	Flag(f, p, "format", "NAME", help, func(text string) (string, error) {
		if named := table.ByName(text); named != nil {
			return named.Name, nil
		}
		return "", formats.Check("--format", text)
	})
	f.Describe("format", "NAME", formats.Completions())
}

// Output adds -o, the one file that a command writes.
func (f Flags) Output(p *string, otherwise, help string) {
	f.StringVarP(p, "output", "o", otherwise, help)
	f.Describe("output", "FILE", nil)
}

// Number adds a whole number of at least least; 0 if not given.
func (f Flags) Number(p *int, name, meta, help string, least int) {
	Flag(f, p, name, meta, help, func(text string) (int, error) {
		i, err := strconv.Atoi(text)
		if err != nil || i < least {
			return 0, fmt.Errorf("want a whole number from %d", least)
		}
		return i, nil
	})
}

// List adds a comma-separated list of words; choices as for Describe.
func (f Flags) List(p *[]string, name, help string, choices []string) {
	Flag(f, p, name, "LIST", help, Listed(func(word string) (string, error) {
		if word == "" {
			return "", errors.New("want a comma-separated list of words")
		}
		return word, nil
	}))
	f.Describe(name, "LIST", choices)
}

// Ints adds a comma-separated list of whole numbers from 1 to most.
func (f Flags) Ints(p *[]int, name, help string, most int) {
	Flag(f, p, name, "LIST", help, Listed(func(part string) (int, error) {
		i, err := strconv.Atoi(part)
		if err != nil || i < 1 || i > most {
			return 0, fmt.Errorf("want whole numbers from 1 to %d, such as 4 or 1,4", most)
		}
		return i, nil
	}))
}

// Period adds a positive duration.
func (f Flags) Period(p *time.Duration, name, help string) {
	Flag(f, p, name, "TIME", help, func(text string) (time.Duration, error) {
		t, err := time.ParseDuration(text)
		if err != nil || t <= 0 {
			return 0, errors.New("want a time such as 30m or 1h30m")
		}
		return t, nil
	})
}

// Queries adds a flag of tokens, (row, column) from 0 at the top left, that may be given several times.
func (f Flags) Queries(p *[][2]int, name, help string) { Each(f, p, name, "ROW,COL", help, query) }

// query reads a token: row and column.
func query(text string) ([2]int, error) {
	row, col, found := strings.Cut(text, ",")
	r, err1 := strconv.Atoi(strings.TrimSpace(row))
	c, err2 := strconv.Atoi(strings.TrimSpace(col))
	if !found || err1 != nil || err2 != nil || r < 0 || c < 0 {
		return [2]int{}, errors.New("want row,column of a token, from 0 at the top left, such as 8,8")
	}
	return [2]int{r, c}, nil
}

// Renamed keeps the old name of the flag that is called name now. Help does not show it. Its value goes to the flag, if
// accept, which may be nil, returns no error; TellRenamed notes the new name.
func (c *Console) Renamed(set *pflag.FlagSet, old, name string, accept func(text string) error) {
	set.Var(oldFlag{c, set.Lookup(name), old, accept}, old, "")
	set.MarkHidden(old)
}

// oldFlag is the old name of a flag.
type oldFlag struct {
	c      *Console
	to     *pflag.Flag
	old    string
	accept func(text string) error
}

func (r oldFlag) Type() string   { return r.to.Value.Type() }
func (r oldFlag) String() string { return "" }
func (r oldFlag) Set(text string) error {
	if r.accept != nil {
		if err := r.accept(text); err != nil {
			return err
		}
	}
	if err := r.to.Value.Set(text); err != nil {
		return err
	}
	r.to.Changed = true
	name := "--" + r.to.Name
	if r.to.Shorthand != "" {
		name = "-" + r.to.Shorthand
	}
	r.c.renamed = append(r.c.renamed, fmt.Sprintf("note   --%s is now %s %s", r.old, name, shell.Line(text)))
	return nil
}

// TellRenamed notes which flags were given by an old name. It comes once all flags are parsed, as -q may be the last.
func (c *Console) TellRenamed() {
	for _, note := range c.renamed {
		c.Note("%s", note)
	}
}
