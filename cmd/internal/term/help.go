package term

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/internal/table"
)

// HelpWidth is how wide help and other paragraphs are.
const (
	HelpWidth  = 80 // columns of the text
	helpIndent = 32 // rightmost column where the description of a flag begins
	mostNames  = 10 // a flag with more choices does not list them
)

// Paragraph returns a paragraph in lines for the terminal of Out or, without one, as wide as help.
func (c *Console) Paragraph(text string) string {
	return strings.Join(table.Wrap(text, cmp.Or(c.OutWidth(), HelpWidth)), "\n") + "\n"
}

// flagGroups lists the groups of flags in the order of help.
var flagGroups = []string{"Report", "Comparison", "Check", "Convolution", "Attention", "Model", "Data", "Training",
	"Measurement", "Runs", "Job", "Figure", "Output", "Global"}

// Help writes the help of a command: description, examples, usage, then its commands or flags: all of them, or the
// common ones of a command that has some.
func Help(w io.Writer, cmd *cobra.Command, all bool) {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	b.WriteString(strings.TrimSpace(text) + "\n")
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString("  " + strings.TrimSpace(line) + "\n")
		}
	}
	if cmd.Runnable() {
		fmt.Fprintf(&b, "\nUsage:\n  %s\n", strings.TrimPrefix(cmd.UseLine(), "  "))
	}
	listCommands(&b, cmd)
	if cmd.Runnable() { // a topic has no flags
		listFlags(&b, cmd, all)
	}
	if !cmd.HasParent() {
		b.WriteString("\nFor details: attnconv help COMMAND or TOPIC.\n")
	}
	io.WriteString(w, b.String())
}

// listCommands writes the commands below cmd, and the topics of help.
func listCommands(b *strings.Builder, cmd *cobra.Command) {
	for _, part := range []struct {
		title string
		topic bool
	}{{"Commands", false}, {"Topics", true}} {
		title := "\n" + part.title + ":\n"
		for _, c := range cmd.Commands() {
			if c.Hidden || c.IsAdditionalHelpTopicCommand() != part.topic {
				continue
			}
			fmt.Fprintf(b, "%s  %-14s%s\n", title, c.Name(), c.Short)
			title = ""
		}
	}
}

// listFlags writes the flags of a command, in groups.
func listFlags(b *strings.Builder, cmd *cobra.Command, all bool) {
	groups, count, shown, indent := map[string][]*pflag.Flag{}, 0, 0, 0
	of := cmd.InheritedFlags()
	own := cmd.HasParent() && slices.ContainsFunc(flagsOf(cmd), func(f *pflag.Flag) bool {
		return common(f) && of.Lookup(f.Name) == nil
	})
	for _, f := range flagsOf(cmd) {
		if count++; own && !all && !common(f) {
			continue
		}
		group := strings.Join(f.Annotations[groupNote], "")
		groups[group] = append(groups[group], f)
		shown, indent = shown+1, max(indent, min(helpIndent, len(flagName(f))+2))
	}
	for _, group := range flagGroups {
		for i, f := range groups[group] {
			if i == 0 {
				b.WriteString("\n" + group + ":\n")
			}
			b.WriteString(flagLine(f, indent))
		}
	}
	if shown < count {
		fmt.Fprintf(b, "\nAll %d flags: %s --help-all\n", count, cmd.CommandPath())
	}
}

// common reports whether help shows a flag without --help-all.
func common(f *pflag.Flag) bool {
	_, is := f.Annotations[commonNote]
	return is
}

// flagsOf returns the flags of a command that have a group, its own first.
func flagsOf(cmd *cobra.Command) (all []*pflag.Flag) {
	for _, set := range []*pflag.FlagSet{cmd.NonInheritedFlags(), cmd.InheritedFlags()} {
		set.SortFlags = false
		set.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Annotations[groupNote] != nil {
				all = append(all, f)
			}
		})
	}
	return all
}

// flagName formats "  -o, --output FILE".
func flagName(f *pflag.Flag) string {
	left := "      --" + f.Name
	if f.Shorthand != "" {
		left = "  -" + f.Shorthand + ", --" + f.Name
	}
	if meta := strings.Join(f.Annotations[metaNote], ""); meta != "" { // NAME, N
		left += " " + meta
	}
	return left
}

// flagLine formats "  --lr RATE    peak learning rate", followed by choices and default, and wrapped to begin at column
// indent.
func flagLine(f *pflag.Flag, indent int) string {
	left := flagName(f)
	lines := table.Wrap(FlagHelp(f), HelpWidth-indent)
	if len(left) > indent-2 {
		lines = slices.Insert(lines, 0, "")
	}
	return fmt.Sprintf("%-*s", indent, left) + strings.Join(lines, "\n"+strings.Repeat(" ", indent)) + "\n"
}

// FlagHelp joins the description of a flag, its choices and its default.
func FlagHelp(f *pflag.Flag) string {
	right := f.Usage
	if choices := f.Annotations[choiceNote]; len(choices) > 0 && len(choices) <= mostNames {
		if right != "" {
			right += ": "
		}
		right += strings.Join(choices, ", ")
	}
	d := f.DefValue
	if v, ok := f.Value.(interface{ Default() string }); ok {
		d = v.Default()
	}
	if d != "" && d != "false" && d != "0" && d != "[]" && !strings.Contains(right, "(default") {
		right += " (default " + d + ")"
	}
	return right
}
