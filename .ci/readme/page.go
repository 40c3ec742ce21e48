package main

import (
	"regexp"
	"strings"
)

// A step is a command of a page, or a program that the page tells the reader to save.
type step struct {
	command    string
	shown      string // the block of text below the command, which shows its output
	file, code string
}

var (
	fenced  = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	program = regexp.MustCompile(`^# (\w+\.py)\n`)
	comment = regexp.MustCompile(`\s+#\s.*$`) // what follows a command on its line
)

// steps returns what a page tells the reader to do. A block of python is a program if its first line has its name.
func steps(page []byte) (list []step) {
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		language, text := block[1], block[2]
		named := program.FindStringSubmatch(text)
		switch {
		case language == "sh":
			for line := range strings.Lines(text) {
				if line = comment.ReplaceAllString(strings.TrimSpace(line), ""); line != "" {
					list = append(list, step{command: line})
				}
			}
		case language == "python" && named != nil:
			list = append(list, step{file: named[1], code: text})
		case language == "text" && len(list) > 0:
			list[len(list)-1].shown += text
		}
	}
	return list
}

// number is any number; its digits depend on rounding where a promise is inexact. So does ~, the mark of an accuracy on
// some of the images, as runs of the promises have.
var number = regexp.MustCompile(`~?[-+−]?\b\d+(\.\d+)?(e[-+]?\d+)?\b`)

// differs returns the first line of shown that out does not have, in the order of shown. Spaces do not count, nor do
// numbers where they are inexact. A line of … is for lines that the page leaves out.
func differs(shown, out string, inexact bool) string {
	plain := func(line string) string {
		line = strings.Join(strings.Fields(line), " ")
		if inexact {
			line = number.ReplaceAllString(line, "0")
		}
		return line
	}
	var printed []string
	for line := range strings.Lines(out) {
		printed = append(printed, plain(line))
	}
	for line := range strings.Lines(shown) {
		want := plain(line)
		if want == "" || want == "…" {
			continue
		}
		for len(printed) > 0 && printed[0] != want {
			printed = printed[1:]
		}
		if len(printed) == 0 {
			return line
		}
		printed = printed[1:]
	}
	return ""
}
