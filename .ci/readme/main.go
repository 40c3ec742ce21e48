// Readme runs the commands of README.md, docs/features.md and docs/tutorial.md in order, in a clone of the last commit
// with an empty HOME. Environment variables shorten training; nothing else differs from what a reader types. Each
// command needs an entry in promises, with the output that the page promises.
//
// ATTNCONV_CIFAR10 names the folder of CIFAR-10's binary files; without it, noise of the same size takes their place.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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
	kept := map[string]bool{}
	for _, name := range pages {
		page, err := os.ReadFile(filepath.Join(w.clone, name))
		if err != nil {
			return err
		}
		for _, command := range commands(page) {
			p, ok := promises[command]
			if !ok {
				return fmt.Errorf("%s: %s\n  no promise: say in .ci/readme/promises.go what it prints", name, command)
			}
			if kept[command] {
				continue // on an earlier page
			}
			kept[command] = true
			began := time.Now()
			if err := w.keep(command, p); err != nil {
				return fmt.Errorf("%s: %s\n  %w", name, command, err)
			}
			fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), command)
		}
	}
	for command := range promises {
		if !kept[command] {
			return fmt.Errorf("promises.go: %s\n  no page has this command", command)
		}
	}
	return nil
}

// comment is what follows a command on its line.
var comment = regexp.MustCompile(`\s+#\s.*$`)

// commands returns the lines of a page's fenced sh blocks, without comments.
func commands(page []byte) (list []string) {
	inside := false
	for lines := bufio.NewScanner(bytes.NewReader(page)); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```sh"
		case inside && strings.TrimSpace(line) != "":
			list = append(list, comment.ReplaceAllString(line, ""))
		}
	}
	return list
}

// A promise is what README says of a command.
type promise struct {
	says    []string            // regular expressions that standard output and error must match, in any order
	code    int                 // exit code
	full    []string            // the same for a run at full size, which is then killed
	before  func(*reader) error // what the reader does first
	endless bool                // it does not end by itself: there is nothing behind full
}

// keep runs a command as a shell would and holds what it prints against its promise.
func (r *reader) keep(command string, p promise) error {
	if p.before != nil {
		if err := p.before(r); err != nil {
			return err
		}
	}
	if p.full != nil {
		if err := r.begin(command, p); err != nil {
			return err
		}
	}
	if p.endless {
		return nil
	}
	out, err := r.shell(command).CombinedOutput()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		return err
	}
	if code != p.code {
		return fmt.Errorf("exit code %d, want %d\n%s", code, p.code, out)
	}
	if lacks := missing(p.says, out); lacks != "" {
		return fmt.Errorf("it does not say %q\n%s", lacks, out)
	}
	return nil
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
