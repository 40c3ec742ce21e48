package claims

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/attnconv/attnconv/internal/table"
)

// docs/theory.md has the ledger and the list of its sources. UPDATE_GOLDEN=1 writes them.
func TestTheLedgerIsDocumented(t *testing.T) {
	const name, begin, end = "../../../docs/theory.md", "<!-- ledger -->\n", "<!-- end of ledger -->"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(b), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s: want a ledger between %q and %q", name, begin, end)
	}
	want := before + begin + ledgerMarkdown() + end + after
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(b) != want {
		t.Errorf("%s does not have the current ledger; UPDATE_GOLDEN=1 go test ./theorem writes it", name)
	}
}

// ledgerMarkdown returns the ledger, one paragraph a claim, after a list of its parts, and its sources.
func ledgerMarkdown() string {
	var b, contents strings.Builder
	all := Ledger()
	for _, part := range chapters {
		var names []string
		fmt.Fprintf(&b, "\n### %s\n", part.title)
		for _, c := range all[:len(part.claims)] {
			names = append(names, fmt.Sprintf("[%s](#%s)", c.ID, c.ID))
			b.WriteString("\n" + claimMarkdown(c))
		}
		all = all[len(part.claims):]
		paragraph(&contents, fmt.Sprintf("* %s: %s", part.title, strings.Join(names, ", ")), "  ")
	}
	b.WriteString("\n### Sources\n\n")
	for _, s := range cited(LedgerDocument(findings(), 0).Claims) {
		paragraph(&b, "* "+s.Reference(), "  ")
	}
	return "\n" + contents.String() + b.String() + "\n"
}

// findings returns the claims without checking them.
func findings() (found []Finding) {
	for _, c := range Ledger() {
		found = append(found, Finding{Claim: c})
	}
	return found
}

// claimMarkdown returns a claim under a heading with its name.
func claimMarkdown(c Claim) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#### %s\n\n", c.ID)
	verdict := "**Holds.**"
	switch c.Verdict {
	case HoldsIf:
		verdict = "**Holds if** " + c.Condition + "."
	case False:
		verdict = "**False.** " + capital(c.Condition) + "."
	case FalseAsWritten:
		verdict = "**False as written.** " + capital(c.Condition) + "."
	}
	if c.Construction != "" {
		verdict += " By construction: " + c.Construction + "."
	}
	paragraph(&b, c.Statement, "")
	b.WriteString("\n")
	paragraph(&b, verdict, "")
	b.WriteString("\n")
	for _, part := range LedgerDocument([]Finding{{Claim: c}}, 0).Claims[0].origins() {
		if part.text != "" {
			paragraph(&b, "* *"+strings.TrimSuffix(part.label, ": ")+":* "+part.text, "  ")
		}
	}
	return b.String()
}

// capital returns a sentence with a capital letter at its beginning.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// paragraph writes Markdown in lines of at most 120 columns, with further lines indented. A line that begins with a
// sign would be an entry of a list.
func paragraph(b *strings.Builder, text, indent string) {
	for i, line := range table.Wrap(text, 119-len(indent)) {
		if i > 0 {
			b.WriteString(indent)
			if strings.HasPrefix(line, "+ ") || strings.HasPrefix(line, "- ") {
				b.WriteString(`\`)
			}
		}
		b.WriteString(line + "\n")
	}
}
