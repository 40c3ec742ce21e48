package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/attnconv/attnconv/cmd"
)

// A program runs attnconv in an empty folder that has the example runs.
type program struct {
	ctx       context.Context
	root, dir string
	trained   map[string]bool
}

// newProgram makes the folder and moves into it. The root of the repository is where docs is.
func newProgram(ctx context.Context, root string) (*program, error) {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		return nil, err
	}
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "ATTNCONV_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("XDG_CACHE_HOME", dir) // no data sets, no settings of the user
	os.Setenv("XDG_CONFIG_HOME", dir)
	os.Setenv("HOME", dir)
	p := &program{ctx: ctx, root: root, dir: dir, trained: map[string]bool{}}
	if err := os.Chdir(dir); err != nil {
		return nil, err
	}
	_, err = p.run("runs", "examples")
	return p, err
}

// close moves out of the folder and removes it.
func (p *program) close() error {
	if err := os.Chdir(p.root); err != nil {
		return err
	}
	return os.RemoveAll(p.dir)
}

// run runs a command and returns what it prints.
func (p *program) run(args ...string) (string, error) {
	var out, errs bytes.Buffer
	if code := cmd.Main(p.ctx, args, strings.NewReader(""), &out, &errs); code != 0 {
		return "", fmt.Errorf("attnconv %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
	}
	return out.String(), nil
}

// files runs a command that writes some files, and returns what is in them.
func (p *program) files(args []string, names ...string) (contents [][]byte, err error) {
	for _, name := range names {
		os.Remove(name)
	}
	if _, err := p.run(args...); err != nil {
		return nil, err
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		contents = append(contents, b)
	}
	return contents, nil
}

// train trains a run of the list training, once.
func (p *program) train(name string) error {
	if p.trained[name] {
		return nil
	}
	p.trained[name] = true
	_, err := p.run(append(training[name], "--out", filepath.Join("runs", name), "--progress", "off")...)
	return err
}

// training are the commands that train the runs that are not among the examples.
var training = map[string][]string{
	"content": {"train", "--data", "shapes32", "--preset", "smoke", "--encoding", "content"},
	"general": {"train", "--data", "shapes32", "--preset", "tiny", "--encoding", "quadratic-general", "--epochs", "3"},

	"four-0": fourHeads("0"), "four-1": fourHeads("1"), "four-2": fourHeads("2"),

	"dial-taps":      dialRun("--encoding", "quadratic", "--heads-init", "grid"),
	"dial-window":    dialRun("--encoding", "quadratic", "--window", "5"),
	"dial-clamp":     dialRun("--encoding", "table", "--content", "add", "--set", "model.window={size: 5, border: clamp}"),
	"dial-gate":      dialRun("--layers", "gpsa"),
	"dial-positions": dialRun("--encoding", "quadratic"),
	"dial-everything": dialRun("--encoding", "content-only", "--init", "mimetic", "--set",
		"model.absolute=sinusoid"),
}

// dialRun trains one layer for a few steps, so that its heads are no longer as drawn.
// fourHeads is a run of the tutorial's hypothesis.
func fourHeads(seed string) []string {
	return []string{"train", "--data", "shapes32", "--encoding", "quadratic", "--heads", "4", "--epochs", "4", "--keep", "10",
		"--seed", seed}
}

func dialRun(flags ...string) []string {
	return append([]string{"train", "--data", "shapes32", "--preset", "tiny", "--layers", "1", "--epochs", "1",
		"--limit-train-batches", "40", "--limit-val-batches", "2"}, flags...)
}
