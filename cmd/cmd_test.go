package cmd

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
)

func TestMain(m *testing.M) { clitest.Main(m, commands, documents) }

// The scripts of the whole program use several commands.
func TestScripts(t *testing.T) { clitest.Scripts(t) }

// documentedRoot returns the commands without a user.
func documentedRoot() *cobra.Command {
	root, _ := refs.NewRoot(term.NewConsole(strings.NewReader(""), io.Discard, io.Discard, nil), commands)
	return root
}

// tree lists a command and all below it.
func tree(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		all = append(all, tree(c)...)
	}
	return all
}

// Help fits a terminal of 80 columns and shows every flag in one of its groups.
func TestHelpFits(t *testing.T) {
	for _, cmd := range tree(documentedRoot()) {
		var b bytes.Buffer
		term.Help(&b, cmd, true)
		for line := range strings.Lines(b.String()) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > 80 {
				t.Errorf("%s: wider than 80 columns: %s", cmd.Name(), line)
			}
			if trimmed := strings.TrimRight(line, " \n"); trimmed != strings.TrimSuffix(line, "\n") {
				t.Errorf("%s: spaces at the end: %q", cmd.Name(), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden && !strings.Contains(b.String(), "--"+f.Name) {
				t.Errorf("%s: no --%s", cmd.Name(), f.Name)
			}
		})
	}
}

// Help of the commands that take settings is one screen with their common flags; --help-all has every flag.
func TestShortHelp(t *testing.T) {
	help := func(line string) string {
		var out, errs bytes.Buffer
		if code := Main(t.Context(), strings.Fields(line), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%s: exit code %d: %s", line, code, &errs)
		}
		return out.String()
	}
	for _, name := range []string{"train", "compare", "sweep plan", "bench", "config show", "import", "prove"} {
		short := help(name + " --help")
		if n := strings.Count(short, "\n"); n < 24 || n > 50 {
			t.Errorf("%s: %d lines", name, n)
		}
		_, all, _ := strings.Cut(help(name+" --help-all"), "\nUsage:\n")
		count := strings.Count(all, "\n      --") + strings.Count(all, "\n  -")
		if want := fmt.Sprintf("\nAll %d flags: attnconv %s --help-all\n", count, name); !strings.HasSuffix(short,
			want) {
			t.Errorf("%s: does not end with %q:\n%s", name, want, short)
		}
	}
	short := help("train --help")
	for _, flag := range strings.Fields("encoding model layers heads preset data epochs batch lr seed seeds name " +
		"resume dry-run threads out") {
		if !strings.Contains(short, " --"+flag+" ") {
			t.Errorf("train: no --%s", flag)
		}
	}
	for _, line := range []string{"(default small 60, tiny 6)", "(default small 0.001, tiny 0.003)", "(default 64)",
		"(default 9)"} {
		if !strings.Contains(short, line) {
			t.Errorf("train: no %q", line)
		}
	}
	if strings.Contains(short, "--weight-decay") {
		t.Error("train: every flag is common")
	}
}

// Words that people type get a suggestion, and what is suggested is accepted.
func TestSuggestionsAreAccepted(t *testing.T) {
	suggestion := regexp.MustCompile(`did you mean (.*)\?   `)
	for line, want := range map[string]string{
		"evaluate": `"eval"`, "test": `"eval"`, "ls": `"runs ls"`, "list": `"runs ls"`, "resume": `"train --resume"`,
		"heads": `"plot-heads"`, "plot": `"plot-heads", "plot-maps" or "plot-curves"`,
		"fit": `"train"`, "status": `"runs ls"`, "download": `"data get"`, "presets": `"config ls"`,
		"grid":      `"sweep plan"`,
		"benchmark": `"bench"`, "trian": `"train"`, "runs list": `"runs ls"`, "data remove": `"data rm"`,
		"runs lst":        `"runs ls"`,
		"train quadratic": "--encoding quadratic", "train resnet18": "--model resnet18",
		"train fast/convnet": "--preset fast/convnet",
		"train cifar10":      "--data cifar10", "train my.yaml": "-c my.yaml", "train lr=0.1": "--lr 0.1",
		"train train.lr=0.1": "--lr 0.1",
		"train clip=1":       "--clip 1", "train betas=[0.9,0.95]": "",
		"train train.betas=[0.9,0.95]": "--set 'train.betas=[0.9,0.95]'",
		"train learning_rate=0.1":      "--lr 0.1", "train model.heds=9": "--heads 9", "train xyzzyx=9": "",
		"sweep plan lr=0.1,0.2": "--lr 0.1,0.2", "train --gpu": "--device gpu", "bench --cpu": "--device cpu",
		"train --workers=2": "--threads", "plot-heads --plot=a.svg": "-o", "train --output-dir=a": "--out",
		"train --epoch=3": "--epochs",
	} {
		var errs bytes.Buffer
		if code := Main(t.Context(), strings.Fields(line), strings.NewReader(""), io.Discard, &errs); code != 2 {
			t.Errorf("%s: exit code %d", line, code)
		}
		got := ""
		if m := suggestion.FindStringSubmatch(errs.String()); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%s: suggests %q, want %q", line, got, want)
		}
		for _, words := range strings.FieldsFunc(strings.ReplaceAll(got, " or ", ", "),
			func(r rune) bool { return r == ',' && strings.Contains(got, `"`) }) {
			words = strings.Trim(words, ` "`)
			if !strings.Contains(got, `"`) { // a flag of the command
				words = strings.TrimSuffix(line, line[strings.LastIndexByte(line, ' '):]) + " " +
					strings.ReplaceAll(words, "'", "")
			}
			if strings.HasSuffix(words, "-o") || strings.HasSuffix(words, "--out") ||
				strings.HasSuffix(words, "--epochs") || strings.HasSuffix(words, "--threads") {
				words += " 1"
			}
			root := documentedRoot()
			cmd, rest, err := root.Find(strings.Fields(words))
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err != nil || cmd == root {
				t.Errorf("%s: suggests %s: %v", line, words, err)
			}
			if settings, ok := strings.CutPrefix(words, "train --"); ok && !strings.Contains(words, "resume") &&
				!strings.HasSuffix(words, " 1") && !strings.Contains(words, "device") {
				if code := Main(t.Context(), append([]string{"config", "show"}, strings.Fields("--"+settings)...),
					strings.NewReader(""), io.Discard, &errs); code != 0 {
					t.Errorf("%s: suggests %s, and that has exit code %d: %s", line, words, code, &errs)
				}
			}
		}
	}
}
