package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Revision is the state of a working tree.
type Revision struct {
	Commit string `json:"commit"` // hash
	// tracked files had uncommitted changes, or submodules another commit; null: unknown
	Dirty *bool `json:"dirty"`
}

const (
	gitTime   = 2 * time.Second // a run does not wait longer for git: a tree may have a million files
	mostPatch = 1 << 20         // bytes of uncommitted.patch: more is generated files, and nobody's code
	mostNames = 16 << 20        // bytes of the names of changed files
)

// A workTree is a folder with .git. Git compares its files with HEAD from a temporary git directory, which has no
// configuration, hooks or remotes: the folder may be anybody's, and its .git/config, a file that this includes and a
// submodule can name programs that filter files, watch them, show differences or fetch what a partial clone lacks.
type workTree struct {
	ctx    context.Context
	top    string   // the folder
	commit string   // HEAD
	dir    string   // the temporary git directory
	env    []string // of git
	format []string // -c and settings that say how a file's bytes are compared; no program is among them
}

// openWorkTree looks for the working tree of the current folder; nil: there is none, or no git.
func openWorkTree(ctx context.Context) *workTree {
	top, err := os.Getwd()
	for err == nil {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		above := filepath.Dir(top)
		if above == top {
			return nil
		}
		top = above
	}
	if err != nil {
		return nil
	}
	t := &workTree{ctx: ctx, top: top}
	fromGit := func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "GIT_") }
	clean := slices.DeleteFunc(os.Environ(), fromGit)
	clean = append(clean, "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")

	// These three read the tree's configuration and start nothing that it names.
	t.env = append(slices.Clone(clean), "GIT_CEILING_DIRECTORIES="+filepath.Dir(top), "GIT_WORK_TREE="+top)
	commit, err := t.git(1<<10, nil, "rev-parse", "--verify", "HEAD")
	paths, err2 := t.git(1<<16, nil, "rev-parse", "--git-path", "index", "--git-path", "objects")
	if err != nil || err2 != nil {
		return nil
	}
	settings, _ := t.git(1<<16, nil, "config", "-z", "--get-regexp",
		`^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|checkstat|trustctime)$`)
	t.commit = strings.TrimSpace(string(commit))
	index, objects, ok := strings.Cut(strings.TrimSuffix(string(paths), "\n"), "\n")
	if !ok {
		return nil
	}
	for setting := range strings.SplitSeq(strings.TrimSuffix(string(settings), "\x00"), "\x00") {
		if key, value, ok := strings.Cut(setting, "\n"); ok {
			t.format = append(t.format, "-c", key+"="+value)
		}
	}

	if t.dir, err = os.MkdirTemp("", "attnconv-git-"); err != nil {
		return nil
	}
	config := "[core]\n\trepositoryformatversion = 1\n"
	if len(t.commit) == 64 {
		config += "[extensions]\n\tobjectFormat = sha256\n"
	}
	if os.Mkdir(filepath.Join(t.dir, "refs"), 0o700) != nil ||
		os.WriteFile(filepath.Join(t.dir, "config"), []byte(config), 0o600) != nil ||
		os.WriteFile(filepath.Join(t.dir, "HEAD"), []byte(t.commit+"\n"), 0o600) != nil {
		t.close()
		return nil
	}
	t.env = append(clean, "HOME="+t.dir, "XDG_CONFIG_HOME="+t.dir, "GIT_DIR="+t.dir, "GIT_WORK_TREE="+top,
		"GIT_INDEX_FILE="+t.inside(index), "GIT_OBJECT_DIRECTORY="+t.inside(objects))
	return t
}

func (t *workTree) close() { os.RemoveAll(t.dir) }

// inside returns a path that git printed in the folder top.
func (t *workTree) inside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.top, path)
}

// git returns what git prints, at most the given number of bytes.
func (t *workTree) git(most int64, in []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancel(t.ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(t.format), args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = t.top, t.env, bytes.NewReader(in)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(pipe, most+1))
	if int64(len(out)) > most {
		cancel()
		err = fmt.Errorf("they are more than %d bytes", most)
	}
	ended := cmd.Wait()
	switch {
	case err != nil:
		return nil, err
	case t.ctx.Err() != nil:
		return nil, fmt.Errorf("git needs more than %s to list them", gitTime)
	case ended != nil:
		return nil, fmt.Errorf("git %s cannot list them: %w", args[0], ended)
	}
	return out, nil
}

// diff compares the tracked files with HEAD. It does not look into submodules, which have configurations of their own.
func (t *workTree) diff(most int64, args ...string) ([]byte, error) {
	return t.git(most, nil, append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color",
		"--ignore-submodules=dirty", t.commit}, args...)...)
}

// changed counts the files that differ from HEAD. filtered is the first one that .gitattributes sends through a filter:
// without this program nobody knows whether it has changed.
func (t *workTree) changed() (files int, filtered string, err error) {
	names, err := t.diff(mostNames, "--name-only", "-z", "--no-renames")
	if err != nil || len(names) == 0 {
		return 0, "", err
	}
	attributes, err := t.git(4*mostNames, names, "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return 0, "", err
	}
	f := strings.Split(string(attributes), "\x00") // name, "filter", value, …
	for ; len(f) >= 3; f = f[3:] {
		switch {
		case f[2] == "unspecified", f[2] == "unset", f[2] == "set":
			files++
		case filtered == "":
			filtered = f[0]
		}
	}
	return files, filtered, nil
}

// folderRevision returns the revision of the current folder. Untracked files, such as runs, do not make it dirty.
func folderRevision() *Revision {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	t := openWorkTree(ctx)
	if t == nil {
		return nil
	}
	defer t.close()
	r := &Revision{Commit: t.commit}
	if files, filtered, err := t.changed(); err == nil && (files > 0 || filtered == "") {
		dirty := files > 0
		r.Dirty = &dirty
	}
	return r
}

// Uncommitted returns the changes of tracked files in the working tree of the current folder, as a patch for git apply;
// nil: there are none, or there is no working tree of git. The error says why they cannot be recorded.
func Uncommitted() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	t := openWorkTree(ctx)
	if t == nil {
		return nil, nil
	}
	defer t.close()
	switch _, filtered, err := t.changed(); {
	case err != nil:
		return nil, err
	case filtered != "":
		return nil, fmt.Errorf("%q has a filter in .gitattributes, a program that is not run to compare it", filtered)
	}
	return t.diff(mostPatch, "--binary")
}
