// Package manual writes the help of all commands and topics as manual pages and as Markdown.
package manual

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Page is one page of the manual.
type Page struct {
	Name string // of the file: attnconv-train.1; topics are in section 7
	Text string // roff
}

// Pages returns the manual pages of root and of all commands and topics below it.
func Pages(root *cobra.Command) []Page {
	var pages []Page
	for _, cmd := range Commands(root) {
		section := 1
		if cmd.IsAdditionalHelpTopicCommand() {
			section = 7
		}
		pages = append(pages, Page{fmt.Sprintf("%s.%d", pageName(cmd), section), manPage(cmd, section)})
	}
	return pages
}

// Markdown returns the help of root and of all commands and topics below it as one file.
func Markdown(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nWritten by `make docs` from what `attnconv help` says.\n\n")
	all := Commands(root)
	for _, cmd := range all {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", cmd.CommandPath(), strings.ReplaceAll(cmd.CommandPath(), " ", "-"), cmd.Short)
	}
	for _, cmd := range all {
		var full bytes.Buffer
		cli.Help(&full, cmd)
		text := full.String()
		if cmd.HasParent() {
			text, _, _ = strings.Cut(text, "\nGlobal:\n") // listed once, at the top
		}
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSpace(text))
	}
	return b.String()
}

// Commands lists root and all its subcommands, except hidden ones.
func Commands(root *cobra.Command) []*cobra.Command {
	root.InitDefaultHelpCmd()
	root.InitDefaultHelpFlag()
	all := []*cobra.Command{root}
	for i := 0; i < len(all); i++ {
		var below []*cobra.Command
		for _, c := range all[i].Commands() {
			if !c.Hidden {
				c.InitDefaultHelpFlag()
				below = append(below, c)
			}
		}
		all = slices.Insert(all, i+1, below...)
	}
	return all
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func manPage(cmd *cobra.Command, section int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s %d \"\" attnconv \"attnconv manual\"\n.nh\n.ad l\n", strings.ToUpper(pageName(cmd)), section)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	if cmd.Runnable() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(cmd.UseLine()))
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n")
	paragraphs(&b, text)
	if cmd.Runnable() { // a topic has no flags
		for _, g := range cli.FlagGroups {
			if g != "Global" || !cmd.HasParent() {
				manFlags(&b, cmd, g)
			}
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roffLines(cmd.Example))
	}
	manSeeAlso(&b, cmd)
	return b.String()
}

// manFlags writes one group of flags.
func manFlags(b *strings.Builder, cmd *cobra.Command, group string) {
	title := fmt.Sprintf(".SH %s FLAGS\n", strings.ToUpper(group))
	for _, set := range []*pflag.FlagSet{cmd.NonInheritedFlags(), cmd.InheritedFlags()} {
		set.SortFlags = false
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden || cli.FlagGroup(f) != group {
				return
			}
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			fmt.Fprintf(b, "%s.TP\n\\fB%s\\fR", title, roff(name))
			if meta := cli.FlagMeta(f); meta != "" {
				fmt.Fprintf(b, " \\fI%s\\fR", roff(meta))
			}
			fmt.Fprintf(b, "\n%s\n", roffLines(cli.FlagHelp(f)))
			title = ""
		})
	}
}

// manSeeAlso names the pages above, below and, for the root, the topics.
func manSeeAlso(b *strings.Builder, cmd *cobra.Command) {
	var near []string
	for up := cmd.Parent(); up != nil; up = up.Parent() {
		near = append(near, pageName(up)+"(1)")
	}
	for _, c := range cmd.Commands() {
		section := 1
		if c.IsAdditionalHelpTopicCommand() {
			section = 7
		}
		if !c.Hidden {
			near = append(near, fmt.Sprintf("%s(%d)", pageName(c), section))
		}
	}
	fmt.Fprintf(b, ".SH SEE ALSO\n%s\n", roff(strings.Join(near, ", ")))
	if cmd.HasParent() && cmd.Runnable() {
		b.WriteString(".PP\nattnconv(1) has the flags of all commands.\n")
	}
}

// paragraphs writes text as roff: lines that begin with a space are preformatted, others are filled.
func paragraphs(b *strings.Builder, text string) {
	asIs := false
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSuffix(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != asIs && line != "" {
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[indented])
			asIs = indented
		}
		if line == "" && !asIs {
			line = ".PP\n"
			b.WriteString(line)
			continue
		}
		b.WriteString(roffLines(line) + "\n")
	}
	if asIs {
		b.WriteString(".fi\n")
	}
}

// roffLines escapes text, including lines that begin like a request.
func roffLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = roff(strings.TrimRight(line, " "))
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// roff escapes text. A plain - would be set as a hyphen, which cannot be pasted into a shell.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
}
