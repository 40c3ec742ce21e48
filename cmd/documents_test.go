package cmd

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/report"
)

// documentsVariable names a folder in which every document that was written leaves a file.
const documentsVariable = "CHECKED_DOCUMENTS" // without the prefix of settings

// checkedMain is Main for scripts. It fails if what a command prints with --json is not the document that package report
// says, read strictly.
func checkedMain() int {
	args := os.Args[1:]
	if !typed(args, "--json") {
		return Main(context.Background(), args, os.Stdin, plainOutput{os.Stdout}, plainOutput{os.Stderr})
	}
	var printed bytes.Buffer
	code := Main(context.Background(), args, os.Stdin, plainOutput{io.MultiWriter(os.Stdout, &printed)}, plainOutput{os.Stderr})
	root, _ := newRoot(cli.NewConsole(strings.NewReader(""), io.Discard, io.Discard, nil))
	found, _, err := root.Find(args)
	if err != nil || printed.Len() == 0 {
		return code
	}
	command := strings.TrimPrefix(strings.TrimPrefix(found.CommandPath(), root.Name()), " ")
	if command == "" {
		command = "version"
	}
	d := report.Find(command, args)
	if d == nil {
		fmt.Fprintf(os.Stderr, "package report has no document of %q\n", command)
		return 98
	}
	if _, err := d.Decode(printed.Bytes()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 98
	}
	if dir := os.Getenv(documentsVariable); dir != "" {
		os.WriteFile(filepath.Join(dir, documentName(*d)), nil, 0o666)
	}
	return code
}

func documentName(d report.Document) string {
	return strings.TrimSpace(d.Command + " " + d.If)
}

// Every document is written by some script, which then has checked it.
func everyDocumentWritten(t *testing.T, dir string) {
	if testing.Short() || flag.Lookup("test.run").Value.String() != "" || flag.Lookup("test.skip").Value.String() != "" || t.Failed() {
		return // not all scripts ran
	}
	for _, d := range report.Documents {
		if d.Command == "data get" {
			continue // downloads; its type is that of data import
		}
		if _, err := os.Stat(filepath.Join(dir, documentName(d))); err != nil {
			t.Errorf("no script writes the document of %s", documentName(d))
		}
	}
}
