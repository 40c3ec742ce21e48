package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// mostText is how much of a section can be found.
const mostText = 300

// searchIndex is a script that sets the list of sections: a browser without a server may load scripts, but no JSON.
func searchIndex(pages []*page) ([]byte, error) {
	type entry struct {
		Page    string `json:"p"`
		Heading string `json:"h,omitempty"`
		Path    string `json:"u"`
		Text    string `json:"t"`
	}
	var all []entry
	for _, p := range pages {
		for _, s := range p.parts {
			text := strings.Join(strings.Fields(s.text), " ")
			if len(text) > mostText {
				text = strings.ToValidUTF8(text[:mostText], "")
			}
			e := entry{Page: p.Title, Path: p.Path, Text: text}
			if s.heading.Level > 1 {
				e.Heading, e.Path = s.heading.Text, p.Path+"#"+s.heading.ID
			}
			if s.heading.ID != "" {
				all = append(all, e)
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("window.sections = ")
	e := json.NewEncoder(&b)
	if err := e.Encode(all); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
