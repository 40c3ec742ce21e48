package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// mostBytes is how large the site may be without its pictures.
const mostBytes = 3_200_000

// check reports every link and anchor that leads nowhere, id that is there twice, heading that skips a level, and file
// that a page would fetch from elsewhere.
func check(files map[string][]byte) error {
	var wrong []error
	total := 0
	ids := map[string]map[string]bool{}
	links := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(name, pictures[0]) && !strings.HasPrefix(name, pictures[1]) {
			total += len(files[name])
		}
		if !strings.HasSuffix(name, ".html") || name == "explorer.html" {
			continue
		}
		doc, err := html.Parse(bytes.NewReader(files[name]))
		if err != nil {
			return err
		}
		ids[name] = map[string]bool{}
		level := 0
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
				if next := int(n.Data[1] - '0'); next > level+1 && name != "docs/slides.html" {
					wrong = append(wrong,
						fmt.Errorf("%s: a heading of level %d follows one of level %d", name, next, level))
				} else {
					level = next
				}
			}
			for _, a := range n.Attr {
				switch a.Key {
				case "id":
					if ids[name][a.Val] {
						wrong = append(wrong, fmt.Errorf("%s: id %s is there twice", name, a.Val))
					}
					ids[name][a.Val] = true
				case "href", "src", "srcset":
					if n.Data != "a" && strings.Contains(a.Val, "//") {
						wrong = append(wrong, fmt.Errorf("%s: it fetches %s", name, a.Val))
					}
					links[name] = append(links[name], a.Val)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		for _, to := range links[name] {
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			if file = path.Join(path.Dir(name), file); strings.HasPrefix(to, "#") {
				file = name
			}
			if _, ok := files[file]; !ok {
				wrong = append(wrong, fmt.Errorf("%s: link to %s: no such file", name, to))
			} else if anchor != "" && ids[file] != nil && !ids[file][anchor] {
				wrong = append(wrong, fmt.Errorf("%s: link to %s: no such heading", name, to))
			}
		}
	}
	if total > mostBytes {
		wrong = append(wrong, fmt.Errorf("the site has %d bytes without pictures, want at most %d", total, mostBytes))
	}
	return errors.Join(wrong...)
}
