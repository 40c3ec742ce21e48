package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// retired are statements that pages once made and that were wrong, or that contradicted another page.
var retired = map[string]*regexp.Regexp{
	"the paper's run takes about six days on 4 cores":     phrase(`weeks on a CPU|months on a laptop|days of CPU`),
	"figure 11 is not drawn":                              phrase(`every figure of the paper`),
	"which version of PyTorch, and from where":            phrase(`PyTorch's best|(fast|faster) (as|than) PyTorch( on| in|[,.;:])`),
	"some tables of the notebook have single runs":        phrase(`every accuracy (has|comes with) n and an interval`),
	"smoothed training loss has a panel of its own":       phrase(`dotted in the validation panel`),
	"the attention matrix moves the image by the reverse": phrase(`is the image shifted by f\(h\)`),
}

// No page says again what was found to be wrong.
func TestRetiredStatements(t *testing.T) {
	s := readSource(t)
	for name := range s.paths {
		if filepath.Ext(name) != ".md" && filepath.Ext(name) != ".yaml" || name == "CHANGELOG.md" ||
			strings.HasPrefix(name, "studies/") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for why, is := range retired {
			if found := is.Find(b); found != nil {
				t.Errorf("%s says %q again: %s", name, found, why)
			}
		}
	}
}
