package main

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// slidesSource has the slides of a lesson.
const slidesSource = "docs/slides.md"

// slides makes slides.html of docs/slides.md, if it is there: one slide for each part between lines of ---.
func slides(root string, files map[string][]byte) error {
	b, err := os.ReadFile(filepath.Join(root, slidesSource))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	known := map[string]bool{}
	for name := range files {
		if strings.HasSuffix(name, ".html") {
			known[sourceOf(name)] = true
		}
	}
	var parts []template.HTML
	title := ""
	for i, part := range strings.Split(string(b), "\n---\n") {
		p := &page{Source: slidesSource, Path: pathOf(slidesSource)}
		if !strings.HasPrefix(strings.TrimSpace(part), "# ") {
			part = strings.Replace(part, "## ", "# ", 1)
		}
		if err := p.render([]byte(part), root, known); err != nil {
			return fmt.Errorf("%s, slide %d: %w", slidesSource, i+1, err)
		}
		if i == 0 {
			title = p.Title
		}
		parts = append(parts, p.Body)
	}
	tmpl, err := template.ParseFS(web, "web/slides.html")
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := tmpl.Execute(&page, map[string]any{"Title": title, "Slides": parts}); err != nil {
		return err
	}
	files[pathOf(slidesSource)] = page.Bytes()
	return nil
}

// sourceOf is the Markdown file of a page of the site.
func sourceOf(page string) string {
	if strings.HasSuffix(page, "index.html") {
		return strings.TrimSuffix(page, "index.html") + "README.md"
	}
	return strings.TrimSuffix(page, ".html") + ".md"
}
