package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
)

// Flags adds flags to one group of a command's help.
type Flags struct {
	*pflag.FlagSet
	Group string
}

// FlagsIn returns set for adding flags to a group of help.
func FlagsIn(set *pflag.FlagSet, group string) Flags { return Flags{set, group} }

// The annotations that help reads.
const (
	groupNote  = "group"
	metaNote   = "meta"    // what a flag's value is called: NAME, N
	choiceNote = "choices" // choices, without help
	helpedNote = "helped"  // the same as completions: a tab and help behind each that has one
)

// Describe annotates a flag with the name of its value and with its choices, as choice.List.Completions returns them.
func (f Flags) Describe(name, meta string, choices []string) {
	f.SetAnnotation(name, groupNote, []string{f.Group})
	f.SetAnnotation(name, metaNote, []string{meta})
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

// Number adds a whole number of at least least; 0 if not given.
func (f Flags) Number(p *int, name, meta, help string, least int) {
	f.Value(number{p, least}, name, "", meta, help, nil)
}

// List adds a comma-separated list of words; choices as for Describe.
func (f Flags) List(p *[]string, name, help string, choices []string) {
	f.Value(list{p}, name, "", "LIST", help, choices)
}

// Ints adds a comma-separated list of whole numbers from 1 to most.
func (f Flags) Ints(p *[]int, name, help string, most int) {
	f.Value(ints{p, most}, name, "", "LIST", help, nil)
}

// Period adds a positive duration.
func (f Flags) Period(p *time.Duration, name, help string) {
	f.Value(period{p}, name, "", "TIME", help, nil)
}

// Seeds adds a list of distinct seeds and ranges of them, such as 0..4,7.
func (f Flags) Seeds(p *[]uint64, name, help string) {
	f.Value(seeds{p}, name, "", "LIST", help, nil)
}

// Queries adds a flag of tokens, (row, column) from 0 at the top left, that may be given several times.
func (f Flags) Queries(p *[][2]int, name, help string) {
	f.Value(queries{p}, name, "", "ROW,COL", help, nil)
}

// number is a whole number of at least least; 0 if not given.
type number struct {
	p     *int
	least int
}

func (n number) Type() string { return "int" }
func (n number) String() string {
	if n.p == nil || *n.p == 0 {
		return ""
	}
	return strconv.Itoa(*n.p)
}

func (n number) Set(text string) error {
	i, err := strconv.Atoi(text)
	if err != nil || i < n.least {
		return fmt.Errorf("want a whole number from %d", n.least)
	}
	*n.p = i
	return nil
}

// list is a comma-separated list of words.
type list struct{ p *[]string }

func (l list) Type() string { return "list" }
func (l list) String() string {
	if l.p == nil {
		return ""
	}
	return strings.Join(*l.p, ",")
}

func (l list) Set(text string) error {
	words := strings.Split(text, ",")
	for i, w := range words {
		if words[i] = strings.TrimSpace(w); words[i] == "" {
			return fmt.Errorf("want a comma-separated list of words")
		}
	}
	*l.p = words
	return nil
}

// ints is a comma-separated list of whole numbers from 1 to most.
type ints struct {
	p    *[]int
	most int
}

func (n ints) Type() string { return "numbers" }
func (n ints) String() string {
	if n.p == nil {
		return ""
	}
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(*n.p)), ","), "[]")
}

func (n ints) Set(text string) error {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		i, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || i < 1 || i > n.most {
			return fmt.Errorf("want whole numbers from 1 to %d, such as 4 or 1,4", n.most)
		}
		all = append(all, i)
	}
	*n.p = all
	return nil
}

// period is a positive duration.
type period struct{ p *time.Duration }

func (d period) Type() string { return "duration" }
func (d period) String() string {
	if d.p == nil || *d.p == 0 {
		return ""
	}
	return d.p.String()
}

func (d period) Set(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil || t <= 0 {
		return fmt.Errorf("want a time such as 30m or 1h30m")
	}
	*d.p = t
	return nil
}

// Setting adds the flag of a configuration key, whose text goes to to.
func (f Flags) Setting(to *[]configs.Flag, row configs.Setting) {
	f.Value(setting{to, row.Flag, row.Key}, row.Flag, "", row.Meta, row.Help, row.Choices)
}

// setting is the flag of a configuration key. It stores the text, which package configs parses like a variable or a line
// of a file.
type setting struct {
	to        *[]configs.Flag
	name, key string
}

func (s setting) Type() string   { return s.key }
func (s setting) String() string { return "" }
func (s setting) Set(text string) error {
	*s.to = append(*s.to, configs.Flag{Name: "--" + s.name, Key: s.key, Text: text})
	return nil
}

// seeds is a list of distinct seeds and ranges of them, such as 0..4,7.
type seeds struct{ p *[]uint64 }

func (s seeds) Type() string { return "seeds" }

func (s seeds) String() string { return "" }

func (s seeds) Set(text string) error {
	wrong := fmt.Errorf("want whole numbers from 0, such as 0..4 or 0,3,7; each once, and 1000 at most")
	var all []uint64
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if !isRange {
			high = low
		}
		a, errA := strconv.ParseUint(low, 10, 64)
		b, errB := strconv.ParseUint(high, 10, 64)
		if errA != nil || errB != nil || b < a || b-a >= 1000 {
			return wrong
		}
		for seed := a; len(all) <= 1000; seed++ {
			if slices.Contains(all, seed) {
				return wrong
			}
			if all = append(all, seed); seed == b {
				break
			}
		}
	}
	if len(all) > 1000 {
		return wrong
	}
	*s.p = all
	return nil
}

// queries is a flag that may be repeated, with a token each: row and column, from 0 at the top left.
type queries struct{ p *[][2]int }

func (q queries) Type() string   { return "row,column" }
func (q queries) String() string { return "" }
func (q queries) Set(text string) error {
	row, col, found := strings.Cut(text, ",")
	r, err1 := strconv.Atoi(strings.TrimSpace(row))
	c, err2 := strconv.Atoi(strings.TrimSpace(col))
	if !found || err1 != nil || err2 != nil || r < 0 || c < 0 {
		return fmt.Errorf("want row,column of a token, from 0 at the top left, such as 8,8")
	}
	*q.p = append(*q.p, [2]int{r, c})
	return nil
}

// Tags adds a flag that may be repeated, with a tag each.
func (f Flags) Tags(p *[]string, name, help string) { f.Value(TagList(p), name, "", "WORD", help, nil) }

// TagList is the value of a flag that appends a tag each time.
func TagList(p *[]string) pflag.Value { return tags{p} }

type tags struct{ p *[]string }

func (t tags) Type() string   { return "words" }
func (t tags) String() string { return "" }
func (t tags) Set(text string) error {
	if err := run.CheckTag(text); err != nil {
		return err
	}
	*t.p = append(*t.p, text)
	return nil
}

// Remark adds a flag with a note.
func (f Flags) Remark(p *string, name, help string) {
	f.Value(noteText{p}, name, "", "TEXT", help, nil)
}

type noteText struct{ p *string }

func (n noteText) Type() string   { return "text" }
func (n noteText) String() string { return "" }
func (n noteText) Set(text string) error {
	*n.p = text
	return run.CheckNote(text)
}
