package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"
)

// Pages quote numbers through templates in studies/pages, so a number of a page is one of the data files. The template
// of docs/findings.md is the page; those of other pages define parts of them.
var quoted = map[string]string{findingsFile: "findings.tmpl", readmeFile: "readme.tmpl",
	attentionFile: "attention.tmpl", slidesFile: "slides.tmpl"}

// A layerShare is one of docs/data/layers.json: how much of a trained layer one 3 × 3 convolution accounts for.
type layerShare struct {
	Layer, Trained, Low, High, Untrained, Deviation int
	P                                               string
}

// quote writes what the template of a page has: the page itself under "", or its parts. A number that is not there
// is an error.
func quote(root, page string, v *verdict) (map[string]string, error) {
	words, err := quotation(root, page, v)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, t := range words.Templates() {
		var out strings.Builder
		if err := t.Execute(&out, nil); err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(t.Name(), quoted[page])] = filled(out.String())
	}
	return all, nil
}

// quotation is the template of a page, with the data that it may quote.
func quotation(root, page string, v *verdict) (*template.Template, error) {
	name := filepath.Join(root, "studies/pages", quoted[page])
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(root, "docs/data/layers.json"))
	if err != nil {
		return nil, err
	}
	var shares struct {
		Seeds    int
		Networks int `json:"untrained_networks"`
		Layers   []layerShare
	}
	if err := json.Unmarshal(b, &shares); err != nil {
		return nil, fmt.Errorf("docs/data/layers.json: %w", err)
	}
	return template.New(quoted[page]).Funcs(quotes(v)).Funcs(template.FuncMap{
		"seeds": func() int { return shares.Seeds }, "networks": func() int { return shares.Networks },
		"layers": func() []layerShare { return shares.Layers },
		"layer":  func(i int) layerShare { return shares.Layers[i-1] },
	}).Parse(string(text))
}

// quotes are the words of a template. An id is one of docs/data/verdict.json.
func quotes(v *verdict) template.FuncMap {
	number := func(text func(Number) string) func(string) (string, error) {
		return func(id string) (string, error) {
			n := v.find(id)
			if n.N == 0 || !n.Value.Known() {
				return "", fmt.Errorf("no number %s", id)
			}
			return text(n), nil
		}
	}
	digits := func(text func(Number, int) string) func(string, int) (string, error) {
		return func(id string, d int) (string, error) {
			return number(func(n Number) string { return text(n, d) })(id)
		}
	}
	return template.FuncMap{
		"percent": number(form), // with its interval
		"n":       number(func(n Number) string { return strconv.Itoa(n.N) }),
		"p":       number(func(n Number) string { return pText(n.Holm) }), // corrected
		"start":   number(func(n Number) string { return base(n, short) }),
		"before":  number(func(n Number) string { return base(n, percent) }),
		"short":   number(func(n Number) string { return short(float64(n.Value)) }),
		"point":   number(func(n Number) string { return percent(float64(n.Value)) }), // without its interval
		"amount":  digits(amount),
		"behind": number(func(n Number) string { // a difference seen from the other side
			n.Value, n.CI.Lo, n.CI.Hi = -n.Value, -n.CI.Hi, -n.CI.Lo
			return form(n)
		}),
		"ratio": func(a, b string) (string, error) {
			x, y := v.find(a), v.find(b)
			if x.N == 0 || y.N == 0 {
				return "", fmt.Errorf("no ratio of %s and %s", a, b)
			}
			return short(float64(x.Value / y.Value)), nil
		},
		"untrained": func(prefix string) string {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, n := range v.at(prefix).Numbers {
				lo, hi = min(lo, float64(*n.Baseline)), max(hi, float64(*n.Baseline))
			}
			return short(lo) + " to " + short(hi)
		},
		"results":   func() string { return resultTable(v.at(ownPrefix)) },
		"sentences": func() string { return sentences(v) },
		"zoo": func() string { // "" until the study is done
			if v.find("zoo/accuracy/vit").N == 0 {
				return ""
			}
			return strings.TrimSpace(zooTable(v))
		},
		"verdicts": func(word string) int { return verdicts(v)[word] },
		"outcomes": func(outcome string) int { return outcomesOf(v)[outcome] },
		"missed":   func() string { return notAsPredicted(v) },
	}
}

var (
	unfilled = regexp.MustCompile("^(#|\\||<|~|`{3})")
	item     = regexp.MustCompile(`^(- |\d+\. )`)
	together = regexp.MustCompile(`\[[−\d., ]+\]|[np] = [\d.]+|\d %|\d × \d|\d ± \d+`)
)

// filled breaks the lines of paragraphs and items of lists after 120 letters at the latest, and not within a number.
func filled(text string) string {
	var lines, words []string
	indent := ""
	flush := func() {
		line := ""
		for _, w := range words {
			w = strings.ReplaceAll(w, "\x00", " ")
			switch {
			case line == "":
				line = w
			case utf8.RuneCountInString(line+" "+w) > 120:
				lines, line = append(lines, line), indent+w
			default:
				line += " " + w
			}
		}
		if line != "" {
			lines = append(lines, line)
		}
		words, indent = nil, ""
	}
	tag := false
	for line := range strings.SplitSeq(text, "\n") {
		marker := item.FindString(line)
		tag = tag && !strings.HasSuffix(line, "</picture>") || strings.HasPrefix(line, "<picture>")
		if tag || line == "" || unfilled.MatchString(line) || strings.HasSuffix(line, "</picture>") {
			flush()
			lines = append(lines, line)
			continue
		}
		if marker != "" {
			flush()
			indent = strings.Repeat(" ", len(marker))
		}
		line = together.ReplaceAllStringFunc(line, func(w string) string { return strings.ReplaceAll(w, " ", "\x00") })
		words = append(words, strings.Fields(line)...)
	}
	flush()
	return strings.Join(lines, "\n")
}
