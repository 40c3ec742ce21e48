package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd"
)

// A page is what the program says about a command or a topic.
type page struct {
	path, short string // attnconv runs ls
	topic       bool
	text        string  // of attnconv help, with all flags
	below       []*page // its commands, and the topics of the program, by name
}

var (
	title = regexp.MustCompile(`(?m)^([A-Z][a-z]+):\n`)
	entry = regexp.MustCompile(`(?m)^  ([a-z-]+) +(.*)$`)
	flags = regexp.MustCompile(`(?m)^ +((?:-\w, )?--[a-z-]+)(?: ([A-Z[]\S*))?(?:  +(.*))?\n((?: {10,}\S.*\n)*)`)
)

// read asks the program for its help on a page, and on those below it.
func read(path, short string, topic bool) (*page, error) {
	args := append([]string{"help"}, strings.Fields(path)[1:]...)
	if !topic {
		args = append(strings.Fields(path)[1:], "--help-all")
	}
	var out, messages strings.Builder
	if cmd.Main(context.Background(), args, strings.NewReader(""), &out, &messages) != 0 {
		return nil, fmt.Errorf("attnconv %s: %s", strings.Join(args, " "), &messages)
	}
	p := &page{path: path, short: short, topic: topic, text: strings.TrimSpace(out.String())}
	for _, s := range p.sections() {
		if s.title != "Commands" && s.title != "Topics" {
			continue
		}
		for _, m := range entry.FindAllStringSubmatch(s.text, -1) {
			sub, err := read(path+" "+m[1], m[2], s.title == "Topics")
			if err != nil {
				return nil, err
			}
			p.below = append(p.below, sub)
		}
	}
	slices.SortFunc(p.below, func(a, b *page) int { return strings.Compare(a.path, b.path) })
	return p, nil
}

// all lists the page and those below it.
func (p *page) all() []*page {
	list := []*page{p}
	for _, b := range p.below {
		list = append(list, b.all()...)
	}
	return list
}

// A section is a part of the help on a command; the title of the description is empty.
type section struct{ title, text string }

func (p *page) sections() (list []section) {
	name, text := "", p.text+"\n"
	for !p.topic {
		m := title.FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		list = append(list, section{name, text[:m[0]]})
		name, text = text[m[2]:m[3]], text[m[1]:]
	}
	return append(list, section{name, text})
}

// commands is the help of all commands and topics as one Markdown file.
func commands(root *page) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nWritten by `make docs` from what `attnconv help` says.\n\n")
	for _, p := range root.all() {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", p.path, strings.ReplaceAll(p.path, " ", "-"), p.short)
	}
	for _, p := range root.all() {
		text := p.text
		if p != root {
			text, _, _ = strings.Cut(text, "\nGlobal:\n") // listed once, at the top
		}
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n", p.path, strings.TrimSpace(text))
	}
	return b.String()
}

// name returns the name of the page of the manual, and its section: 1 for commands, 7 for topics.
func (p *page) name() (name, section string) {
	if section = "1"; p.topic {
		section = "7"
	}
	return strings.ReplaceAll(p.path, " ", "-"), section
}

// writeManual writes the pages of the manual of p, and of those below it, into a folder. Above is the page above p.
func (p *page) writeManual(folder string, above *page) error {
	name, section := p.name()
	if err := os.WriteFile(filepath.Join(folder, name+"."+section), []byte(p.roff(above)), 0o644); err != nil {
		return err
	}
	for _, b := range p.below {
		if err := b.writeManual(folder, p); err != nil {
			return err
		}
	}
	return nil
}

// roff is the page of the manual.
func (p *page) roff(above *page) string {
	var synopsis, about, options, examples strings.Builder
	for _, s := range p.sections() {
		switch s.title {
		case "":
			about.WriteString(".SH DESCRIPTION\n")
			paragraphs(&about, s.text)
		case "Examples":
			text := regexp.MustCompile(`(?m)^ +`).ReplaceAllString(strings.TrimSpace(s.text), "")
			fmt.Fprintf(&examples, ".SH EXAMPLES\n.nf\n%s\n.fi\n", literal(text))
		case "Usage":
			fmt.Fprintf(&synopsis, ".SH SYNOPSIS\n%s\n", escape(strings.TrimSpace(s.text)))
		case "Commands", "Topics":
		default:
			if s.title != "Global" || above == nil {
				options.WriteString(s.options())
			}
		}
	}
	name, number := p.name()
	var near []string // the pages above and below
	for _, other := range append([]*page{above}, p.below...) {
		if other != nil {
			name, number := other.name()
			near = append(near, name+"("+number+")")
		}
	}
	end := ""
	if above != nil && !p.topic {
		end = ".PP\nattnconv(1) has the flags of all commands.\n"
	}
	return fmt.Sprintf(".TH %s %s \"\" attnconv \"attnconv manual\"\n.nh\n.ad l\n.SH NAME\n%s \\- %s\n",
		strings.ToUpper(name), number, escape(name), escape(p.short)) +
		synopsis.String() + about.String() + options.String() + examples.String() +
		fmt.Sprintf(".SH SEE ALSO\n%s\n", escape(strings.Join(near, ", "))) + end
}

// options is a group of flags as roff.
func (s section) options() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".SH %s FLAGS\n", strings.ToUpper(s.title))
	for _, m := range flags.FindAllStringSubmatch(s.text, -1) {
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR", escape(m[1]))
		if m[2] != "" {
			fmt.Fprintf(&b, " \\fI%s\\fR", escape(m[2]))
		}
		fmt.Fprintf(&b, "\n%s\n", literal(strings.Join(strings.Fields(m[3]+" "+m[4]), " ")))
	}
	return b.String()
}

// paragraphs writes text as roff: lines that begin with a space are preformatted, others are filled.
func paragraphs(w io.Writer, text string) {
	asIs := false
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSuffix(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != asIs && line != "" {
			io.WriteString(w, map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[indented])
			asIs = indented
		}
		if line == "" && !asIs {
			io.WriteString(w, ".PP\n")
			continue
		}
		io.WriteString(w, literal(line)+"\n")
	}
	if asIs {
		io.WriteString(w, ".fi\n")
	}
}

// literal escapes text, including lines that begin like a request.
func literal(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = escape(strings.TrimRight(line, " "))
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// escape escapes text. A plain - would be set as a hyphen, which cannot be pasted into a shell.
func escape(text string) string { return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text) }
