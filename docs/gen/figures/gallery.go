package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A part of the gallery of docs/figures.md has a heading, and figures with what they show in words.
type part struct {
	heading string
	shown   []shown
}

type shown struct{ name, alt string }

var gallery = []part{
	{"Heads", []shown{
		{"heads", "Three layers of nine circles, and in gray the circles with which they began"},
		{"heads-first-layer", "The nine circles of layer 1"},
		{"heads-grid", "Three layers of nine contours, seen from a token at the lower edge, and in gray those before training"},
		{"heads-general", "Three layers of nine ellipses each"},
		{"heads-moving", "Circles that drift apart, and some that shrink to points"},
		{"layer", "Colors around a query, nine heads with their matrices, and their sum"},
	}},
	{"Maps", []shown{
		{"maps-first-layer", "The nine maps of the heads of layer 1"},
		{"maps", "Maps of three layers by nine heads, from two queries"},
		{"maps-learned", "Maps of learned heads: points in two layers, then stripes"},
		{"maps-image", "Maps laid over an image of a star"},
		{"maps-content", "Maps of two layers by nine heads, means over 100 images"},
		{"maps-scores", "An image of a star, and maps of scores, some of which follow its outline"},
	}},
	{"Runs", []shown{
		{"curves", "Accuracy and loss of three models over epochs"},
		{"curves-reading", "Validation accuracy, validation loss and training loss over six epochs"},
		{"confusion", "A matrix of ten classes by ten, in percent, nearly diagonal"},
	}},
	{"Measures", []shown{
		{"shares", "Stacked bars of three layers, each next to a thin bar of untrained networks"},
		{"kernels", "Kernels of three layers: the first is small, the last wide"},
		{"leverage", "Leverage of each shift in three layers"},
		{"bits", "Stacked bars of nine heads in each of three layers"},
		{"profiles", "Profiles of three layers: hard heads, blurred heads, and heads that average globally"},
		{"cka", "A matrix of layers by layers: neighboring layers are less alike than before training"},
	}},
	{"Data", []shown{
		{"shapes32", "Twenty drawings of ten shapes"},
		{"batch", "The beginning of a training batch: cropped, mirrored, with gray squares"},
	}},
	{"Drawn by package viz", []shown{
		{"shifts", "Nine heads on the nine shifts of a 3 × 3 kernel"},
		{"dot-product", "One query times five keys gives five scores; their softmax, five weights; the weights times five values, " +
			"the result"},
		{"multi-head", "Three heads: each time attention times X times a matrix, and the three results add up to Y"},
		{"dense", "A dense layer, and three heads that each attend to one token"},
	}},
}

const (
	galleryPage  = "docs/figures.md"
	galleryBegin = "<!-- gallery -->\n"
	galleryEnd   = "<!-- end of gallery -->"
)

// withGallery returns the page with its gallery as the list says.
func withGallery(page string) (string, error) {
	before, rest, begins := strings.Cut(page, galleryBegin)
	_, after, ends := strings.Cut(rest, galleryEnd)
	if !begins || !ends {
		return "", fmt.Errorf("%s has no %s … %s", galleryPage, strings.TrimSpace(galleryBegin), galleryEnd)
	}
	var b strings.Builder
	b.WriteString(before + galleryBegin)
	for _, p := range gallery {
		fmt.Fprintf(&b, "\n## %s\n", p.heading)
		for _, s := range p.shown {
			f, err := figureOf(s.name)
			if err != nil {
				return "", err
			}
			alt := s.alt
			if f.title != "" {
				alt = f.title + ". " + alt
			}
			if lines := f.commands(); len(lines) > 0 {
				fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.Join(lines, "\n"))
			}
			const dark, light = `<picture><source media="(prefers-color-scheme: dark)" srcset="figures/%s"><img src="figures/%s"`,
				` width="%d" alt="%s"></picture>`
			fmt.Fprintf(&b, "\n%s\n", fill(fmt.Sprintf(dark+light, f.file("dark"), f.file("light"), f.pixels(), alt)))
		}
	}
	b.WriteString("\n" + galleryEnd + after)
	return b.String(), nil
}

func writeGallery(root string) error {
	name := filepath.Join(root, galleryPage)
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, err := withGallery(string(b))
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

func figureOf(name string) (figure, error) {
	for _, f := range figures {
		if f.name == name {
			return f, nil
		}
	}
	return figure{}, fmt.Errorf("no figure %q", name)
}

// commands are what a reader types for the figure; first a training, if it is of a run that is not an example.
func (f figure) commands() (lines []string) {
	if f.line == "" {
		return nil
	}
	if f.run != "" {
		lines = append(lines, "attnconv "+strings.Join(training[f.run], " ")+" --out runs/"+f.run)
	}
	output := " -o "
	if f.ext == ".gif" {
		output = " --animate "
	}
	return append(lines, "attnconv "+f.line+output+f.name+f.ext)
}

// pixels is the width at which the page shows the figure.
func (f figure) pixels() int {
	const perCM, most = 51, 760
	return min(most, int(perCM*f.width))
}

// fill breaks words into lines of at most 120 bytes.
func fill(words string) string {
	var b strings.Builder
	length := 0
	for _, w := range strings.Fields(words) {
		switch {
		case length == 0:
		case length+1+len(w) > 120:
			b.WriteByte('\n')
			length = -1
		default:
			b.WriteByte(' ')
		}
		b.WriteString(w)
		length += 1 + len(w)
	}
	return b.String()
}
