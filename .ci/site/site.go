package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// repository is where links to files go that are not on the site.
const repository = "https://github.com/attnconv/attnconv"

// mark is in every folder that this program made, and may therefore replace.
const mark = ".attnconv-site"

//go:embed web
var web embed.FS

// sources are the pages of the site, besides those in docs.
var sources = []string{"README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
	"examples/README.md", "studies/README.md", "studies/verdict.md", "studies/notebook.md"}

// pictures are folders that are copied.
var pictures = []string{"docs/figures", "docs/images"}

// A page is a Markdown file and what is made of it.
type page struct {
	Source string // path in the repository
	Path   string // path on the site
	Title  string
	Body   template.HTML
	TOC    []heading
	parts  []section
}

// A heading is one of the list "on this page".
type heading struct {
	Level    int
	ID, Text string
}

// pathOf is where a Markdown file is on the site: README.md is the index of its folder.
func pathOf(source string) string {
	dir, name := path.Split(source)
	if name == "README.md" {
		return dir + "index.html"
	}
	return dir + strings.TrimSuffix(name, ".md") + ".html"
}

func build(root, out, demo string) error {
	pages, err := readPages(root)
	if err != nil {
		return err
	}
	groups, err := navigation(pages)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	tmpl, err := template.New("page.html").Funcs(template.FuncMap{"rel": rel}).ParseFS(web, "web/page.html")
	if err != nil {
		return err
	}
	for _, p := range pages {
		p.withExplorer(demo != "")
		var b bytes.Buffer
		err := tmpl.Execute(&b, map[string]any{"Page": p, "Groups": groups, "Demo": demo != "",
			"Edit": repository + "/blob/main/" + p.Source})
		if err != nil {
			return err
		}
		files[p.Path] = b.Bytes()
	}
	if files["search.js"], err = searchIndex(pages); err != nil {
		return err
	}
	if err := slides(root, files); err != nil {
		return err
	}
	if files["code.css"], err = codeStyle(); err != nil {
		return err
	}
	for _, name := range []string{"site.css", "site.js", "slides.css", "slides.js"} {
		if files[name], err = web.ReadFile("web/" + name); err != nil {
			return err
		}
	}
	for _, dir := range pictures {
		if err := copyFolder(root, dir, files); err != nil {
			return err
		}
	}
	if demo != "" {
		if files["explorer.html"], err = os.ReadFile(demo); err != nil {
			return err
		}
	}
	if err := check(files); err != nil {
		return err
	}
	return write(out, files)
}

// readPages renders every page.
func readPages(root string) (pages []*page, err error) {
	all := slices.Clone(sources)
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		name, err = filepath.Rel(root, name)
		if name = filepath.ToSlash(name); name != slidesSource {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, name := range all {
		known[name] = true
	}
	if _, err := os.Stat(filepath.Join(root, slidesSource)); err == nil {
		known[slidesSource] = true // which slides makes
	}
	for _, name := range all {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		p := &page{Source: name, Path: pathOf(name)}
		if err := p.render(b, root, known); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// A group is a list of the navigation.
type group struct {
	Name  string
	Links []link
}

type link struct{ Text, Path string }

// navigation is the lists of docs/README.md: links to pages under the headings, without what follows them.
func navigation(pages []*page) (groups []group, err error) {
	titles := map[string]string{}
	for _, p := range pages {
		titles[p.Path] = p.Title
	}
	for _, p := range pages {
		if p.Source != "docs/README.md" {
			continue
		}
		for _, s := range p.parts {
			g := group{Name: s.heading.Text}
			for _, l := range s.links {
				if titles[l.Path] != "" && s.heading.Level == 2 {
					g.Links = append(g.Links, link{strings.ToUpper(l.Text[:1]) + l.Text[1:], l.Path})
				}
			}
			if len(g.Links) > 1 {
				groups = append(groups, g)
			}
		}
	}
	if len(groups) == 0 {
		return nil, errors.New("docs/README.md has no lists of pages")
	}
	return groups, nil
}

// rel is the relative address of a file, seen from a page.
func rel(from, to string) string {
	to, anchor, _ := strings.Cut(to, "#")
	r, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil {
		panic(err) // both are below the root of the site
	}
	if anchor != "" {
		return filepath.ToSlash(r) + "#" + anchor
	}
	return filepath.ToSlash(r)
}

func copyFolder(root, dir string, files map[string][]byte) error {
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(root, dir, e.Name()))
		if err != nil {
			return err
		}
		files[dir+"/"+e.Name()] = b
	}
	return nil
}

// write replaces the folder by the files. It refuses a folder that is not empty and that it did not make.
func write(out string, files map[string][]byte) error {
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(out, mark)); err != nil {
			return fmt.Errorf("%s is not empty and has no %s: want a new folder, or one with an older site", out, mark)
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(out, e.Name())); err != nil {
				return err
			}
		}
	}
	files[mark] = nil
	for name, b := range files {
		name = filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, b, 0o666); err != nil {
			return err
		}
	}
	return nil
}
