// Package clitest tests commands as a user meets them. A package of commands has scripts in testdata/script, and in its
// tests
//
//	func TestMain(m *testing.M) { clitest.Main(m, clitest.Of(compare.New, train.New), compare.Documents) }
//	func TestScripts(t *testing.T) { clitest.Scripts(t) }
//
// The program in its scripts has only these commands, so that a change to another command leaves its tests in the
// cache.
package clitest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/model/ckpt"
)

// The program under test: its commands, and the documents that they write.
var (
	commands  refs.Commands
	documents []term.Document
)

// Of lists commands.
func Of(make ...func(*term.Console) *cobra.Command) refs.Commands {
	return func(c *term.Console) (all []*cobra.Command) {
		for _, m := range make {
			all = append(all, m(c))
		}
		return all
	}
}

// Main runs the tests of a package. Under the name attnconv the test binary is a program that has these commands and
// checks what they print.
func Main(m *testing.M, program refs.Commands, written ...[]term.Document) {
	commands, documents = program, slices.Concat(written...)
	testscript.Main(timedTests{m}, map[string]func(){"attnconv": func() { os.Exit(runChecked(os.Args[1:])) }})
}

// timedTests says that the machine is slow shortly before the go command ends it.
type timedTests struct{ *testing.M }

func (m timedTests) Run() int {
	flag.Parse()
	if limit := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration); limit > 0 {
		defer time.AfterFunc(limit*9/10, func() {
			fmt.Fprintf(os.Stderr, "The tests of this package have taken %v of %v. This machine is slow or busy: "+
				"give them more time,\n"+
				"for example go test -timeout 1h ./...\n", limit*9/10, limit)
		}).Stop()
	}
	return m.M.Run()
}

// Run runs a command in this process, without standard input, and returns its exit code and what it wrote.
func Run(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = refs.Main(context.Background(), args, io.MultiReader(), &o, &e, commands)
	return code, o.String(), e.String()
}

// Program links the test binary into dir as attnconv, by which name it runs the program, and returns the path.
func Program(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "attnconv")
	if err := os.Symlink(self, path); err != nil {
		t.Skip(err)
	}
	return path
}

// Root returns the folder of go.mod.
func Root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			err = os.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal(err)
	return ""
}

// ExitCode returns the exit code of a program that has been run, 0 if err is nil.
func ExitCode(err error) int {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	return 0
}

// Digest returns the digest of all tensors in the last checkpoint of the run in a folder.
func Digest(t *testing.T, run string) string {
	t.Helper()
	h, err := ckpt.ReadHeader(filepath.Join(run, "checkpoints", "last.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	return h.Meta["attnconv.tensor_sha256"]
}

// runChecked runs the program. It fails if what a command prints with --json is not the document that package document
// describes, read strictly.
func runChecked(args []string) int {
	ctx := context.Background()
	var printed bytes.Buffer
	code := refs.Main(ctx, args, os.Stdin, plainOutput{io.MultiWriter(os.Stdout, &printed)}, plainOutput{os.Stderr},
		commands)
	root, _ := refs.NewRoot(term.NewConsole(strings.NewReader(""), io.Discard, io.Discard, nil), commands)
	d, err := Document(root, documents, args)
	if d != nil && printed.Len() > 0 {
		_, err = Decode(d, printed.Bytes())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 98
	}
	return code
}

// Document returns the document that the program writes when it is called with args, or nil if that is not --json.
func Document(root *cobra.Command, documents []term.Document, args []string) (*term.Document, error) {
	if !slices.Contains(args, "--json") {
		return nil, nil
	}
	found, _, err := root.Find(args)
	if err != nil {
		return nil, nil // the program says so
	}
	command := strings.TrimPrefix(strings.TrimPrefix(found.CommandPath(), root.Name()), " ")
	if command == "" {
		command = "version"
	}
	if d := Find(documents, command, args); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("no list Documents has a document of %q", command)
}

// A plainOutput ends the program at once if it writes a control byte without --color always.
type plainOutput struct{ to io.Writer }

func (s plainOutput) Write(b []byte) (int, error) {
	forced := slices.Contains(os.Args, "always") || os.Getenv("CLICOLOR_FORCE") != ""
	i := bytes.IndexFunc(b, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
	if i >= 0 && !forced {
		fmt.Fprintf(os.Stderr, "a control byte: %q\n", b[i:min(i+20, len(b))])
		os.Exit(99)
	}
	return s.to.Write(b)
}
