package shell

import (
	"os/exec"
	"testing"
)

// A shell reads each quoted text as the one word that it was.
func TestWordIsOneWordOfAShell(t *testing.T) {
	for _, tt := range []struct {
		shell string
		quote func(string) string
	}{{"sh", Word}, {"bash", Word}, {"bash", Line}} {
		shell, err := exec.LookPath(tt.shell)
		if err != nil {
			t.Logf("there is no %s here", tt.shell)
			continue
		}
		for _, word := range []string{"", "a", "-n", "my run/größe", "it's", "'", "''\"", "a\nb", "a\t\"", "*", "~",
			"$x", "\\", "a=b", "!", "é", "$(x)`y`;#",
			"a|b&c<d>e(f)[g]{h}"} {
			out, err := exec.Command(shell, "-c", "printf '%s\n' "+tt.quote(word)+" end").Output()
			if err != nil || string(out) != word+"\nend\n" {
				t.Errorf("%s: %q is %q (%v)", tt.shell, word, out, err)
			}
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"--lr=0.1": "--lr=0.1", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "a\nb'": `$'a\nb\''`, "$HOME": "'$HOME'",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %s, want %s", in, got, want)
		}
	}
}
