package theorem

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// read returns the lines of files without indentation, blank lines and comment markers.
func read(t *testing.T, names ...string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n" + trimmed(string(text)))
	}
	return b.String()
}

func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//")); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Every block of Go in docs/attention.md is part of an example, which runs.
func TestDocumentsShowCodeThatRuns(t *testing.T) {
	examples := read(t, "example_test.go", "plain/example_test.go")
	text, err := os.ReadFile("../docs/attention.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Error("docs/attention.md shows no code")
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		if !strings.Contains(examples, "\n"+trimmed(code)) {
			t.Errorf("docs/attention.md shows code that no example runs:\n%s", code)
		}
	}
}

// docs/theory.md has the ledger as a table. UPDATE_GOLDEN=1 writes it.
func TestTheLedgerIsDocumented(t *testing.T) {
	const name, begin, end = "../docs/theory.md", "<!-- ledger -->\n", "<!-- end of ledger -->"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(b), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s: want a ledger between %q and %q", name, begin, end)
	}
	want := before + begin + ledgerTable() + end + after
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(b) != want {
		t.Errorf("%s does not have the current ledger; UPDATE_GOLDEN=1 go test ./theorem writes it", name)
	}
}

// ledgerTable returns the ledger in Markdown.
func ledgerTable() string {
	var b strings.Builder
	b.WriteString("| claim | | verdict |\n| --- | --- | --- |\n")
	for _, c := range Ledger() {
		verdict := "**" + strings.TrimSuffix(c.Verdict, " if") + "**"
		switch c.Verdict {
		case HoldsIf:
			verdict += " if " + c.Condition
		case False, FalseAsWritten:
			verdict += ": " + c.Condition
		}
		fmt.Fprintf(&b, "| `%s` | %s *%s: %s* | %s |\n", c.ID, escaped(c.Statement), c.By, escaped(c.Source), escaped(verdict))
	}
	return b.String()
}

// escaped escapes bars, which would end a cell.
func escaped(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
