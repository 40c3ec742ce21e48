package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each page of docs/decisions says context, decision, cost and what would change it, in this order, and the index lists
// it.
func TestDecisions(t *testing.T) {
	index, _ := readPage(t, "docs/decisions/README.md")
	pages, err := filepath.Glob(filepath.Join(root, "docs/decisions/*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("found %d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name == "README.md" {
			continue
		}
		if !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/decisions/README.md does not list %s", name)
		}
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		rest := string(b)
		for _, part := range []string{"# ", "\n**Context.** ", "\n**Decision.** ", "\n**What it costs.** ",
			"\n**What would change it.** "} {
			var found bool
			if _, rest, found = strings.Cut(rest, part); !found {
				t.Errorf("docs/decisions/%s has no %q after the parts before it", name, strings.TrimSpace(part))
			}
		}
	}
}
