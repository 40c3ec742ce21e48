package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

const page = "../../attention.md"

// The page shows every declaration of the program but main, in the program's order and word for word.
func TestThePageShowsTheProgram(t *testing.T) {
	src, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(src), "\n)\n\n") // behind the imports
	before, after, _ := strings.Cut(rest, "func main() {\n")
	_, after, _ = strings.Cut(after, "\n}\n\n")
	code, _ := read(t)
	if want := before + after; strings.Join(code, "\n") != want {
		t.Errorf("%s shows\n%s\nand main.go has\n%s", page, strings.Join(code, "\n"), want)
	}
}

// The lines below the blocks of the page are what the program prints.
func TestThePageShowsTheOutput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	main()
	os.Stdout = stdout
	w.Close()
	printed, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, output := read(t); output != string(printed) {
		t.Errorf("%s says that it prints\n%s\nand it prints\n%s", page, output, printed)
	}
}

// read returns the blocks of Go on the page, and its indented lines outside of lists and blocks.
func read(t *testing.T) (code []string, output string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	fence, block := "", ""
	for line := range strings.Lines(string(text)) {
		switch f, is := strings.CutPrefix(line, "```"); {
		case is && fence == "":
			fence, block = f, ""
		case is:
			if fence == "go\n" {
				code = append(code, block)
			}
			fence = ""
		case fence != "":
			block += line
		case strings.HasPrefix(line, "    "):
			output += line[4:]
		}
	}
	return code, output
}
