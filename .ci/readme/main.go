// Readme does what the pages in the list pages tell a reader to do, in order, in a clone of the last commit with an
// empty HOME. It runs the commands in blocks of sh, saves the programs in blocks of python, and compares blocks of text
// with what the command above them printed. Environment variables shorten training; nothing else differs from what a
// reader types. Each command needs an entry in promises, with the output that the page promises.
//
// ATTNCONV_CIFAR10 names the folder of CIFAR-10's binary files; without it, noise of the same size takes their place.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	ctx, stop := context.WithTimeout(context.Background(), 25*time.Minute)
	defer stop()
	if err := check(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

// check runs every command, and stops at the first that breaks its promise.
func check(ctx context.Context) error {
	w, err := newReader(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(w.dir)
	printed := map[string]string{} // output by command
	for _, name := range pages {
		page, err := os.ReadFile(filepath.Join(w.clone, name))
		if err != nil {
			return err
		}
		for _, s := range steps(page) {
			if err := w.do(s, printed); err != nil {
				return fmt.Errorf("%s: %s%s\n  %w", name, s.command, s.file, err)
			}
		}
	}
	for command := range promises {
		if _, kept := printed[command]; !kept {
			return fmt.Errorf("promises.go: %s\n  no page has this command", command)
		}
	}
	return nil
}

// do saves a program, or runs a command that no earlier page has run, and compares its output with what the page shows.
func (r *reader) do(s step, printed map[string]string) error {
	if s.file != "" {
		if s.shown != "" {
			return errors.New("a block of text below a program: what prints it?")
		}
		return os.WriteFile(filepath.Join(r.clone, s.file), []byte(s.code), 0o666)
	}
	p, ok := promises[s.command]
	if !ok {
		return errors.New("no promise: say in .ci/readme/promises.go what it prints")
	}
	out, kept := printed[s.command]
	if lacks := r.python(p.needs); lacks != "" {
		printed[s.command] = ""
		fmt.Printf("skipped   %s: no Python with %s\n", s.command, lacks)
		return nil
	}
	if !kept {
		began := time.Now()
		var err error
		if out, err = r.keep(s.command, p); err != nil {
			return err
		}
		printed[s.command] = out
		fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), s.command)
	}
	if line := differs(s.shown, out, p.inexact); line != "" {
		return fmt.Errorf("the page shows a line that it does not print there: %s\n%s", line, out)
	}
	return nil
}

// A promise is what a page says of a command.
type promise struct {
	says    []string            // regular expressions that standard output and error must match, in any order
	code    int                 // exit code
	full    []string            // the same for a run at full size, which is then killed
	before  func(*reader) error // what the reader does first
	endless bool                // it does not end by itself: there is nothing behind full
	needs   []string            // modules of Python without which it is left out
	inexact bool                // the numbers that the page shows depend on the machine, or on training at full length
}

// keep runs a command as a shell would and holds what it prints against its promise.
func (r *reader) keep(command string, p promise) (string, error) {
	if p.before != nil {
		if err := p.before(r); err != nil {
			return "", err
		}
	}
	if p.full != nil {
		if err := r.begin(command, p); err != nil {
			return "", err
		}
	}
	if p.endless {
		return "", nil
	}
	out, err := r.shell(command).CombinedOutput()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		return "", err
	}
	if code != p.code {
		return "", fmt.Errorf("exit code %d, want %d\n%s", code, p.code, out)
	}
	if lacks := missing(p.says, out); lacks != "" {
		return "", fmt.Errorf("it does not say %q\n%s", lacks, out)
	}
	return string(out), nil
}

// missing returns the first of the expressions that out does not match.
func missing(says []string, out []byte) string {
	for _, want := range says {
		if !regexp.MustCompile("(?m)" + want).Match(out) {
			return want
		}
	}
	return ""
}
