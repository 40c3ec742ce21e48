package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
)

func TestUserMessage(t *testing.T) {
	open := func(name string, err error) error { return &fs.PathError{Op: "open", Path: name, Err: err} }
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a package's own", &run.Corrupt{Path: "r/run.json", Reason: "over a megabyte"}, "r/run.json: over a megabyte"},
		{"one in another", fmt.Errorf("run: r has none: %w", errors.New("ckpt: x: model: no kind")), "r has none: x: no kind"},
		{"of two lines", errors.Join(errors.New("data: a: bad"), errors.New("data: b: bad")), "a: bad\nb: bad"},
		{"the user's own key", &configs.Error{Msg: "my.yaml:3: data: want a mapping"}, "my.yaml:3: data: want a mapping"},
		{"a checkpoint", &ckpt.Corrupt{Path: "a.ckpt", Reason: "cut short"},
			"a.ckpt: cut short\n  try another one: a run has several in its folder checkpoints"},
		{"a file", fmt.Errorf("run: %w", open("a/b", fs.ErrNotExist)), "a/b: file does not exist"},
		{"a file not yet whole", fmt.Errorf("ckpt: o/m.ckpt: %w", open("o/.m.ckpt.4904-136c0206.tmp", syscall.ENOSPC)),
			"o/m.ckpt: no space left on device\n  the disk is full: make room there, or name a folder on another one"},
		{"a name", fmt.Errorf("run: %w", &os.LinkError{Op: "rename", Old: "r/.run.json.1-00000000.tmp", New: "r/run.json",
			Err: syscall.EACCES}), "r/run.json: permission denied\n  this user lacks permission: grant it, or name another place"},
	} {
		if got := UserMessage(tt.err); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestRefuseExistingRefusesWhatIsNoFile(t *testing.T) {
	for _, name := range []string{os.DevNull, t.TempDir()} {
		if err := RefuseExisting("-o", name, true); !Is[*UsageError](err) {
			t.Errorf("%s: %v, want a usage error", name, err)
		}
	}
}

// Every package that prefixes its errors with its name is in packages.
func TestPackagesThatPrefixTheirErrors(t *testing.T) {
	clause, prefix := regexp.MustCompile(`(?m)^package (\w+)`), regexp.MustCompile(`(?:errors\.New|fmt\.Errorf)\("([a-z]+): `)
	found := 0
	err := filepath.WalkDir("../../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := clause.FindSubmatch(text)
		for _, m := range prefix.FindAllSubmatch(text, -1) {
			if name != nil && string(m[1]) == string(name[1]) && string(m[1]) != "fake" { // a plugin of tests
				if found++; !slices.Contains(packages, string(m[1])) {
					t.Errorf("%s: the prefix %s is not in packages", path, m[1])
				}
			}
		}
		return nil
	})
	if err != nil || found < 100 {
		t.Errorf("%d errors with a prefix, %v", found, err)
	}
}
