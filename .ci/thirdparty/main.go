// Thirdparty writes THIRD_PARTY.md to standard output: the modules linked into the program on any of the released
// systems, with version, license and origin, and the texts of the licenses. It reads the module cache, not the network.
package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// targets lists the systems of .ci/release.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

const program = "github.com/attnconv/attnconv/cmd/attnconv"

// A module is linked into the program.
type module struct {
	path, version, dir string
	licenses           []string // by SPDX
	texts              []string // of its files
}

func main() {
	modules, err := linked()
	if err == nil {
		err = write(os.Stdout, modules)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "thirdparty:", err)
		os.Exit(1)
	}
}

// linked lists the modules, sorted by path.
func linked() ([]module, error) {
	found := map[string]module{}
	for _, target := range targets {
		system, machine, _ := strings.Cut(target, "/")
		list := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", program)
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", target, err)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
				found[f[0]] = module{path: f[0], version: f[1], dir: f[2]}
			}
		}
	}
	var all []module
	for _, path := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[path])
	}
	for i := range all {
		if err := all[i].read(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// licenseFile matches names of files with a license or notice.
var licenseFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents|ftl\.txt)`)

// read finds the module's licenses.
func (m *module) read() error {
	for _, dir := range []string{m.dir, filepath.Join(m.dir, "licenses")} {
		entries, err := os.ReadDir(dir)
		if err != nil && dir == m.dir {
			return fmt.Errorf("%s: %w (go mod download)", m.path, err)
		}
		for _, e := range entries {
			if e.IsDir() || !licenseFile.MatchString(e.Name()) {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
			m.texts = append(m.texts, text)
			for _, name := range recognize(text) {
				if !slices.Contains(m.licenses, name) {
					m.licenses = append(m.licenses, name)
				}
			}
		}
	}
	if m.licenses == nil {
		return fmt.Errorf("%s %s: no license that is known here in %s", m.path, m.version, m.dir)
	}
	return nil
}

// sentences identify licenses.
var sentences = []struct{ spdx, words string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
	{"FTL", "The FreeType Project LICENSE"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0"},
}

// recognize returns the licenses in a text; a notice has none.
func recognize(text string) (names []string) {
	flat := flatten(text)
	for _, s := range sentences {
		if strings.Contains(flat, flatten(s.words)) {
			names = append(names, s.spdx)
		}
	}
	switch { // the third clause is the difference
	case !strings.Contains(flat, flatten("Redistribution and use in source and binary forms")):
	case strings.Contains(flat, "endorse or promote products"):
		names = append(names, "BSD-3-Clause")
	default:
		names = append(names, "BSD-2-Clause")
	}
	return names
}

// flatten removes what differs between copies of a text: line breaks, commas, capitals.
func flatten(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " ")), " "))
}

func write(to *os.File, modules []module) error {
	var b bytes.Buffer
	b.WriteString("# Third-party software in attnconv\n\n" +
		"In addition to its own code, the program contains Go's library (BSD-3-Clause, with the text of\n" +
		"golang.org/x/sys) and these modules, on " + strings.Join(targets, ", ") + ".\n" +
		"Made by `make third-party`.\n\n" +
		"| module | version | license | text |\n| --- | --- | --- | --- |\n")
	var texts []string
	for _, m := range modules {
		var at []string
		for _, text := range m.texts {
			i := slices.IndexFunc(texts, func(t string) bool {
				return slices.Equal(strings.Fields(t),
					strings.Fields(text))
			})
			if i < 0 {
				i = len(texts)
				texts = append(texts, text)
			}
			at = append(at, fmt.Sprintf("[%d](#text-%d)", i+1, i+1))
		}
		fmt.Fprintf(&b, "| [%s](https://pkg.go.dev/%s@%s) | %s | %s | %s |\n", m.path, m.path, m.version, m.version,
			strings.Join(m.licenses, ", "), strings.Join(at, " "))
	}
	for i, text := range texts {
		fmt.Fprintf(&b, "\n## Text %d\n\n```text\n%s\n```\n", i+1, text)
	}
	_, err := to.Write(b.Bytes())
	return err
}
