package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The rules of style that a test can check. CONTRIBUTING.md has them in words.
const (
	spelling  = "spelling"  // American English
	dialect   = "words"     // no word of the list dialects
	twoWords  = "two words" // no comment that only repeats the name
	columns   = "columns"   // lines of at most maxColumns
	sentences = "sentences" // of at most maxWords

	maxColumns = 120 // a tab is four columns
	maxLiteral = 60  // a line with more than that in string literals may be longer than maxColumns
	maxWords   = 35
)

// A breach is a place that breaks a rule.
type breach struct {
	line       int // from 1
	rule, what string
}

// A passage is a comment or a paragraph.
type passage struct {
	line int // its first, from 1
	text string
}

// breachesOfGo returns the breaches of a Go file.
func breachesOfGo(src []byte) (all []breach, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(src, []byte("\n"))
	all = breachesOfSpelling(src)
	for _, group := range f.Comments {
		at := set.Position(group.Pos())
		p := passage{line: at.Line, text: textOf(group)}
		all = append(all, p.dialect()...)
		aline := len(bytes.TrimSpace(lines[at.Line-1][:at.Column-1])) == 0
		if text := strings.TrimSpace(p.text); aline && aTwoWordComment.MatchString(text) {
			all = append(all, breach{at.Line, twoWords, text})
		}
	}
	if !ast.IsGenerated(f) {
		literal := literalColumns(src)
		for i, line := range lines {
			n := width(line)
			if n > maxColumns && literal[i+1] <= maxLiteral && !bytes.HasPrefix(line, []byte("//go:")) {
				all = append(all, breach{i + 1, columns, fmt.Sprint(n)})
			}
		}
	}
	return all, nil
}

var aTwoWordComment = regexp.MustCompile(`^\S+ \S+\.$`)

// textOf returns a comment with its line breaks, without the slashes.
func textOf(group *ast.CommentGroup) string {
	var s strings.Builder
	for _, c := range group.List {
		s.WriteString(strings.TrimPrefix(c.Text, "//") + "\n")
	}
	return s.String()
}

// literalColumns returns how many columns of each line are in string literals.
func literalColumns(src []byte) map[int]int {
	set, on := token.NewFileSet(), map[int]int{}
	f := set.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, src, nil, 0)
	for {
		at, tok, literal := s.Scan()
		if tok == token.EOF {
			return on
		}
		if tok == token.STRING {
			line := set.Position(at).Line
			for part := range strings.SplitSeq(literal, "\n") {
				on[line] += width([]byte(part))
				line++
			}
		}
	}
}

func width(line []byte) int {
	return utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t"))
}

// breachesOfMarkdown returns the breaches of a page.
func breachesOfMarkdown(src []byte) (all []breach) {
	all = breachesOfSpelling(src)
	var open passage // the paragraph that the lines before belong to
	flush := func() {
		all = append(all, open.dialect()...)
		all = append(all, open.sentences()...)
		open = passage{}
	}
	fenced := false
	for i, line := range strings.Split(string(src), "\n") {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```")
		table := strings.HasPrefix(trimmed, "|")
		switch {
		case fence, fenced, aDefinition.MatchString(trimmed):
			fenced = fenced != fence
			flush()
			continue
		case table: // each row is a passage of fragments
			flush()
			all = append(all, passage{i + 1, plain(trimmed)}.dialect()...)
			continue
		case trimmed == "", strings.HasPrefix(trimmed, "#"), aListItem.MatchString(trimmed):
			flush()
		}
		if open.text == "" {
			open.line = i + 1
		}
		open.text += line + "\n"
		n := width([]byte(line))
		if n > maxColumns && !strings.HasPrefix(trimmed, "#") && !strings.HasPrefix(trimmed, "![") {
			all = append(all, breach{i + 1, columns, fmt.Sprint(n)})
		}
	}
	flush()
	return all
}

var (
	aDefinition = regexp.MustCompile(`^\[[^\]]+\]: `)
	aListItem   = regexp.MustCompile(`^([-*+]|\d+\.) `)
	aCodeSpan   = regexp.MustCompile("(?s)`[^`]*`")
	aTarget     = regexp.MustCompile(`\]\([^()\s]*\)`)
	aSentence   = regexp.MustCompile(`[.!?]["”)*_\]]*\s+`)
)

// plain returns Markdown without spans of code and targets of links. Line breaks stay.
func plain(text string) string {
	text = aCodeSpan.ReplaceAllStringFunc(text, func(code string) string {
		return strings.Repeat("\n", strings.Count(code, "\n"))
	})
	return aTarget.ReplaceAllString(text, "]")
}

// dialect returns the words of a passage that are on the list dialects.
func (p passage) dialect() (all []breach) {
	text := plain(p.text)
	lower := strings.ToLower(text)
	for _, d := range dialects {
		if !strings.Contains(lower, d.key) {
			continue
		}
		rest := exempt.ReplaceAllStringFunc(text, func(s string) string {
			return strings.Repeat("\n", strings.Count(s, "\n")) + "_"
		})
		for _, at := range d.is.FindAllStringIndex(rest, -1) {
			line := p.line + strings.Count(rest[:at[0]], "\n")
			all = append(all, breach{line, dialect, fmt.Sprintf("%q: write %s", rest[at[0]:at[1]], d.instead)})
		}
	}
	return all
}

// sentences returns the sentences of a paragraph that are too long. Only words that begin with a letter count: formulas
// and numbers do not.
func (p passage) sentences() (all []breach) {
	text := plain(p.text)
	first := 0
	for _, end := range append(aSentence.FindAllStringIndex(text, -1), []int{0, len(text)}) {
		if end[1] <= first {
			continue
		}
		n := 0
		for word := range strings.FieldsSeq(text[first:end[1]]) {
			if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, `"“(*_[`)); unicode.IsLetter(r) {
				n++
			}
		}
		if n > maxWords {
			line := p.line + strings.Count(text[:first], "\n")
			start := strings.Join(strings.Fields(text[first:end[1]])[:6], " ")
			all = append(all, breach{line, sentences, fmt.Sprintf("%d words: %s …", n, start)})
		}
		first = end[1]
	}
	return all
}

// breachesOfSpelling returns the British spellings of a file, in code and in text.
func breachesOfSpelling(src []byte) (all []breach) {
	line, from := 1, -1
	for i, b := range append(src, '\n') {
		letter := b|0x20 >= 'a' && b|0x20 <= 'z'
		switch {
		case letter && from < 0:
			from = i
		case !letter && from >= 0:
			word := string(src[from:i])
			if isBritish(word) && !(word == "grey" && aSize.Match(src[max(0, from-8):from])) {
				all = append(all, breach{line, spelling, word})
			}
			from = -1
		}
		if b == '\n' {
			line++
		}
	}
	return all
}

// aSize is what may be before "grey": 28 × 28.
var aSize = regexp.MustCompile(`× [%\d]+d? $`)

// isBritish keeps its results, because words come again and again.
func isBritish(word string) bool {
	is, known := verdicts[word]
	if !known {
		is = british.MatchString(word) && !slices.Contains(allowed, word)
		verdicts[word] = is
	}
	return is
}

var verdicts = map[string]bool{}
