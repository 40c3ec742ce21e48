package house

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	inBackticks = regexp.MustCompile("`([^`]+)`")
	inFile      = regexp.MustCompile("`(\\w+)`(?: in| of|, in) `([\\w/.-]+\\.go)`")
	inDrawing   = regexp.MustCompile(`\b[a-z]+\.[A-Z]\w+`)
)

// readPage returns a page of the documentation without its blocks of code, and the blocks.
func readPage(t *testing.T, name string) (text string, blocks []block) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	var open *block
	for line := range strings.Lines(string(b)) {
		fence, fenced := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case fenced && open == nil:
			blocks = append(blocks, block{language: fence, before: kept.String()})
			open = &blocks[len(blocks)-1]
		case fenced:
			open = nil
		case open != nil:
			open.code += line
		default:
			kept.WriteString(line)
		}
	}
	return kept.String(), blocks
}

// A block is a fenced block of a page.
type block struct{ language, code, before string } // before: the text of the page up to it

func words(text string) (all []string) {
	for _, m := range inBackticks.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Join(strings.Fields(m[1]), " "))
	}
	return all
}

// lookUp reports the words in backticks of a row or paragraph that are not there. A name without its package is looked
// for where the other words of context point.
func (s *source) lookUp(t *testing.T, page, row, context string) {
	t.Helper()
	in := s.where(words(context))
	for _, w := range words(row) {
		if !s.has(w, in) {
			t.Errorf("%s names `%s`, which is not there (looked in %v):\n%s", page, w, in.dirs, row)
		}
	}
	for _, m := range inFile.FindAllStringSubmatch(row, -1) {
		if names := s.files[m[2]]; names != nil && !names[m[1]] && !names["."+m[1]] {
			t.Errorf("%s says that `%s` is in `%s`, which does not declare it:\n%s", page, m[1], m[2], row)
		}
	}
}

// Every row of the glossary names something that is here, in the column that says so.
func TestGlossaryNamesWhatIsHere(t *testing.T) {
	s := readSource(t)
	text, _ := readPage(t, "docs/glossary.md")
	rows := 0
	for line := range strings.Lines(text) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| letter |") || strings.HasPrefix(line, "| ---") {
			continue
		}
		if len(cells) != 4 || len(words(cells[2])) == 0 {
			t.Errorf("docs/glossary.md: want four cells, and a name in the third:\n%s", line)
			continue
		}
		s.lookUp(t, "docs/glossary.md", cells[2], cells[2])
		rows++
	}
	if rows < 50 {
		t.Errorf("docs/glossary.md: found %d rows", rows)
	}
}

// with returns the source with the files that the blocks add.
func (s *source) with(blocks []block) *source {
	more := *s
	more.paths = maps.Clone(s.paths)
	for _, b := range blocks {
		if at := b.place(s); b.language == "go" && strings.HasSuffix(at, ".go") {
			more.paths[at] = true
		}
	}
	return &more
}

// Each row of a table says by itself where its names are; a paragraph may also rely on the rest of its section.
func TestPagesNameWhatIsThere(t *testing.T) {
	s := readSource(t)
	for _, page := range []string{"ARCHITECTURE.md", "docs/extending.md"} {
		text, blocks := readPage(t, page)
		s := s.with(blocks)
		rows := 0
		for _, section := range strings.Split(text, "\n#") {
			for _, paragraph := range strings.Split(section, "\n\n") {
				if !strings.HasPrefix(paragraph, "|") {
					s.lookUp(t, page, paragraph, section)
					continue
				}
				for row := range strings.Lines(paragraph) {
					s.lookUp(t, page, row, row)
					rows++
				}
			}
		}
		if rows < 10 {
			t.Errorf("%s: found %d rows of tables", page, rows)
		}
		for _, b := range blocks {
			for _, name := range inDrawing.FindAllString(b.code, -1) {
				if b.language == "" && !s.has(name, place{}) {
					t.Errorf("%s draws %s, which is not there:\n%s", page, name, b.code)
				}
			}
		}
	}
}

// A lookup that takes every word would pass on any page.
func TestLookUpRefuses(t *testing.T) {
	s := readSource(t)
	in := s.where([]string{"internal/house/house_test.go", "posenc.Kinds"})
	for _, w := range []string{
		"posenc/nothing.go", "posenc.Nothing", "posenc.Head.Nothing", "floor", "Nothing", "nothing.go", "make nothing",
		"attnconv nothing", "--nothing", "posenc/nothing_*.go", "nothing/NAME.go",
	} {
		if s.has(w, in) {
			t.Errorf("%q is taken for something that is there", w)
		}
	}
	for _, w := range []string{
		"posenc/posenc.go", "posenc.go", "posenc.Kinds", "geometry.Head.Center", "doors", "make test", "--encoding",
		"attnconv train", "cmd/internal/claims/claims_*.go", "posenc/NAME.go", "internal/house", "model.Spec",
		"Separable{Row, Col}",
	} {
		if !s.has(w, in) {
			t.Errorf("%q is taken for something that is not there", w)
		}
	}
}

// The table of doors in ARCHITECTURE.md is the one that TestImports holds.
func TestDoorsAreDocumented(t *testing.T) {
	text, _ := readPage(t, "ARCHITECTURE.md")
	for door, may := range doors {
		if len(may) == 0 {
			continue
		}
		_, row, found := strings.Cut(text, "\n| `"+strings.TrimSuffix(door, "/")+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		named, want := words(row), slices.Sorted(slices.Values(may))
		if slices.Sort(named); !found || !slices.Equal(named, want) {
			t.Errorf("ARCHITECTURE.md lets %v import %s, want %v", named, door, want)
		}
	}
}

// mostWords is how many words people may have written in README.md and below docs. It falls, and never rises.
const mostWords = 40000

var generatedBlock = regexp.MustCompile(`(?s)<!-- \w+ -->\n.*?<!-- end of \w+ -->`)

// Whoever adds a page cuts another one: what program and tables write does not count, and neither does code.
func TestWords(t *testing.T) {
	sum := 0
	for name := range readSource(t).paths {
		if name != "README.md" && !(strings.HasPrefix(name, "docs/") && path.Ext(name) == ".md") ||
			slices.Contains(generated, name) || name == "docs/theory.md" {
			continue
		}
		text, _ := readPage(t, name)
		sum += len(strings.Fields(generatedBlock.ReplaceAllString(text, "")))
	}
	t.Logf("%d words", sum)
	if sum > mostWords {
		t.Errorf("README.md and docs have %d words written by hand, want at most %d: cut what no reader needs, or link "+
			"to the page or the help topic that says it", sum, mostWords)
	}
}
