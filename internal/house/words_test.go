package house

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dialects are turns of phrase that a reader has to read twice, and what to write instead. Each contains its key, which
// is faster to look for.
var dialects = []struct {
	key     string
	is      *regexp.Regexp
	instead string
}{
	{"held-out", phrase(`held-out`), `"validation"`},
	{"own", phrase(`of (one's|your|our|my) own`), `"custom" or "your own"`},
	{"own", phrase(`one of (its|their) own`), `the noun again`},
	{"yours", phrase(`of yours`), `"your"`},
	{"but", phrase(`but for`), `"except for"`},
	{"place", phrase(`in place of`), `"instead of"`},
	{"place", phrase(`place shares?`), `"position-dependent share"`},
	{"no", phrase(`is no`), `"is not a"`},
	{"too", phrase(`, too[,.:;)]`), `"also"`},
	{"twin", phrase(`twins?`), `"matched convolutional network"`},
	{"beside", phrase(`beside`), `"next to" or "compared with"`},
	{"alone", phrase(`alone`), `"only"`},
	{"stands", phrase(`stands`), `"is"`},
	{"wants", phrase(`wants`), `"needs"`},
	{"told", phrase(`(is|are) not told from`), `"does not differ significantly from"`},
}

// exempt are the uses of these words that are plain English, and names.
var exempt = phrase(`there is no|is no (longer|more|less|other)|(let|leave|left|stand)[ -]alone|stands for|conv-twin`)

// phrase compiles words that may be on two lines.
func phrase(words string) *regexp.Regexp {
	words = strings.ReplaceAll(words, " ", `\s+`)
	if !strings.HasPrefix(words, ",") {
		words = `\b(?:` + words + `)\b`
	}
	return regexp.MustCompile("(?i)" + words)
}

// british matches words with a British spelling.
var british = regexp.MustCompile(`(?i)colour|favour|behaviour|neighbour|honour|harbour|labour|flavour|humour|rumour|` +
	`vapour|centre|fibre|theatre|calibre|grey|catalogue|licence|defence|offence|artefact|judgement|acknowledgement|` +
	`analys(ed|er|ing)|catalys(ed|ing)|isation|(cancel|channel|label|level|marshal|model|signal|total|travel|tunnel)` +
	`l(ed|er|ing)|initialled|skilful|whilst|amongst|learnt|sceptic|manoeuvre|` +
	`(author|capital|categor|character|custom|diagonal|digit|discret|emphas|equal|factor|final|general|harmon|` +
	`initial|linear|local|maxim|memor|minim|modern|modular|normal|optim|organ|orthogonal|parallel|parametr|penal|` +
	`polar|priorit|quant|random|real|recogn|regular|sanit|serial|special|stabil|standard|summar|symmetr|synchron|` +
	`token|util|vector|visual)is(e|ing|able)`)

// allowed are names that keep their spelling: a JSON value, names that older files and users have, HTML's, and a
// method of package chroma.
var allowed = []string{"initialiser", "generalised", "labelledby", "Tokenise"}

// unclean are the pages and folders that may still break some of the rules; a folder has those below it. What keeps a
// rule must not be listed with it.
var unclean = map[string][]string{
	"analyse":              {dialect},
	"analyse/network":      {spelling, dialect},
	"attention":            {dialect},
	"cmd/internal/analyse": {spelling},
	"cmd/internal/bench":   {dialect},
	"cmd/internal/refs":    {dialect},
	"configs":              {dialect},
	"conv":                 {dialect},
	"data":                 {dialect},
	"doc.go":               {dialect},
	"examples":             {dialect},
	"gpu":                  {dialect},
	"internal/accelerator": {dialect},
	"internal/disk":        {dialect},
	"internal/fault":       {dialect},
	"internal/fetch":       {dialect},
	"internal/foreign":     {dialect},
	"internal/gemm":        {dialect},
	"internal/kernel":      {dialect},
	"internal/mpi":         {dialect},
	"internal/npy":         {dialect},
	"internal/op":          {dialect},
	"internal/own":         {dialect},
	"internal/visible":     {dialect},
	"model":                {dialect},
	"model/ckpt":           {dialect},
	"model/heads":          {dialect},
	"model/torchnames":     {dialect},
	"nn":                   {dialect},
	"nn/op":                {dialect},
	"posenc":               {dialect},
	"run":                  {dialect},
	"session":              {dialect},
	// predictions, which stay as they were written
	"studies/README.md": {dialect},
	"study":             {dialect},
	"study/stats":       {dialect},
	"internal/sweep":    {dialect},
	"theorem":           {dialect},
	"internal/plain":    {dialect},
	"train":             {dialect},
	"viz":               {dialect},
}

// generated are pages that programs write.
var generated = []string{"THIRD_PARTY.md", "docs/commands.md", "docs/json.md"}

// Every file keeps the rules of style, except for those that unclean lists; and unclean lists nothing that is clean.
func TestStyle(t *testing.T) {
	s := readSource(t)
	for _, problem := range problems(s.paths, unclean, func(name string) []breach { return breachesOf(t, name) }) {
		t.Error(problem)
	}
}

// problems returns the breaches that the list does not allow, and the entries of the list that no file needs.
func problems(files map[string]bool, list map[string][]string, breaches func(name string) []breach) (all []string) {
	needed := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, b := range breaches(name) {
			on := listed(list, name, b.rule)
			if on == "" {
				all = append(all, fmt.Sprintf("%s:%d: %s: %s", name, b.line, b.rule, b.what))
			} else if !slices.Contains(needed[on], b.rule) {
				needed[on] = append(needed[on], b.rule)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		for _, rule := range list[name] {
			if !slices.Contains(needed[name], rule) && filepath.Ext(name) != "" { // folders: once they have been cleaned
				all = append(all, fmt.Sprintf("%s keeps the rule %q: take it off the list unclean", name, rule))
			}
		}
	}
	return all
}

// listed returns the entry of the list that allows a file to break the rule: its own, or that of a folder that it is
// in.
func listed(list map[string][]string, name, rule string) string {
	for at := name; at != "."; at = path.Dir(at) {
		if slices.Contains(list[at], rule) {
			return at
		}
	}
	return ""
}

// breachesOf returns the breaches of a file of the module.
func breachesOf(t *testing.T, name string) []breach {
	t.Helper()
	if !slices.Contains(written, filepath.Ext(name)) || slices.Contains(generated, name) ||
		strings.HasPrefix(name, "internal/house/") {
		return nil
	}
	src, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	all, err := breachesIn(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// written are the endings of files that people write.
var written = []string{".go", ".md", ".yaml", ".txt", ".js", ".mjs", ".css", ".html", ".py", ".sh"}

// breachesIn returns the breaches of a file with this text.
func breachesIn(name string, src []byte) ([]breach, error) {
	switch filepath.Ext(name) {
	case ".go":
		return breachesOfGo(src)
	case ".md":
		return breachesOfMarkdown(src), nil
	}
	return breachesOfSpelling(src), nil
}
