package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/term"

	"github.com/spf13/cobra"
)

// A Page is one page of the manual.
type Page struct {
	Name string // of the file: attnconv-train.1; topics are in section 7
	Text string // roff
}

// Manual returns the manual pages of all commands and topics.
func Manual() []Page {
	var pages []Page
	for _, cmd := range documented() {
		pages = append(pages, Page{pageName(cmd) + "." + section(cmd), manPage(cmd)})
	}
	return pages
}

// Reference returns the help of all commands and topics as one Markdown file.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Commands\n\nWritten by `make docs` from what `attnconv help` says.\n\n")
	all := documented()
	for _, cmd := range all {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", cmd.CommandPath(), strings.ReplaceAll(cmd.CommandPath(), " ", "-"),
			cmd.Short)
	}
	for _, cmd := range all {
		var full bytes.Buffer
		term.Help(&full, cmd, true)
		text := full.String()
		if cmd.HasParent() {
			text, _, _ = strings.Cut(text, "\nGlobal:\n") // listed once, at the top
		}
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSpace(text))
	}
	return b.String()
}

// documented lists the program and all its commands and topics that are not hidden, each before those below it.
func documented() []*cobra.Command {
	root := documentedRoot()
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

// section returns the section of the manual: 1 for commands, 7 for topics.
func section(cmd *cobra.Command) string {
	if cmd.IsAdditionalHelpTopicCommand() {
		return "7"
	}
	return "1"
}

func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := roff(pageName(cmd))
	fmt.Fprintf(&b, ".TH %s %s \"\" attnconv \"attnconv manual\"\n.nh\n.ad l\n", strings.ToUpper(pageName(cmd)),
		section(cmd))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", name, roff(cmd.Short))
	if cmd.Runnable() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(cmd.UseLine()))
	}
	b.WriteString(".SH DESCRIPTION\n")
	paragraphs(&b, cmp.Or(cmd.Long, cmd.Short+"."))
	if cmd.Runnable() { // a topic has no flags
		for _, g := range term.FlagGroups {
			if g != "Global" || !cmd.HasParent() {
				manFlags(&b, cmd, g)
			}
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roffLines(cmd.Example))
	}
	var near []string // the pages above and below
	for up := cmd.Parent(); up != nil; up = up.Parent() {
		near = append(near, pageName(up)+"(1)")
	}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			near = append(near, pageName(c)+"("+section(c)+")")
		}
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", roff(strings.Join(near, ", ")))
	if cmd.HasParent() && cmd.Runnable() {
		b.WriteString(".PP\nattnconv(1) has the flags of all commands.\n")
	}
	return b.String()
}

// manFlags writes one group of flags.
func manFlags(b *strings.Builder, cmd *cobra.Command, group string) {
	for i, f := range term.FlagsOf(cmd, group) {
		if i == 0 {
			fmt.Fprintf(b, ".SH %s FLAGS\n", strings.ToUpper(group))
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(name))
		if meta := term.FlagMeta(f); meta != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(meta))
		}
		fmt.Fprintf(b, "\n%s\n", roffLines(term.FlagHelp(f)))
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
