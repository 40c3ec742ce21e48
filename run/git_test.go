package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/run"
)

// A repository is a folder with a committed file, which has then been changed, and a mark that no program may leave.
type repository struct {
	*testing.T
	dir, mark string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir()) // check looks for what was left there; other tests have folders in the usual one
	r := repository{t, filepath.Join(t.TempDir(), "foreign"), filepath.Join(t.TempDir(), "mark")}
	r.git("init", "-q", r.dir)
	r.write("code.txt", "one\n")
	r.write("sub/deep.txt", "deep\n")
	r.in("add", ".")
	r.commit()
	r.write("code.txt", "two\n")
	t.Chdir(r.dir)
	return r
}

func (r repository) git(args ...string) string {
	r.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repository) in(args ...string) string {
	r.Helper()
	return r.git(append([]string{"-C", r.dir}, args...)...)
}

func (r repository) commit() {
	r.Helper()
	r.in("-c", "user.name=me", "-c", "user.email=me@here", "commit", "-q", "-m", "commit")
}

func (r repository) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		r.Fatal(err)
	}
}

// evil is a shell command that leaves the mark.
func (r repository) evil() string { return "touch " + r.mark + "; cat" }

// program is the path of a program that leaves the mark.
func (r repository) program(name string) string {
	r.Helper()
	r.write(name, "#!/bin/sh\ntouch "+r.mark+"\ncat\n")
	return filepath.Join(r.dir, name)
}

// check requires the state of the folder, and that nothing has run: dirty is true, false or unknown, of which the last
// is for files with a filter.
func (r repository) check(dirty string) {
	r.Helper()
	f := run.Describe(nil, "", false).Folder
	patch, err := run.Uncommitted()
	if _, err := os.Lstat(r.mark); err == nil {
		r.Error("a program that the folder names has run")
	}
	if f == nil {
		r.Fatal("no working tree")
	}
	got := map[bool]string{true: "true", false: "false"}
	switch {
	case f.Dirty == nil && dirty != "unknown", f.Dirty != nil && got[*f.Dirty] != dirty:
		r.Errorf("dirty is %v, want %s", f.Dirty, dirty)
	case f.Commit != r.in("rev-parse", "HEAD"):
		r.Errorf("commit %s", f.Commit)
	}
	switch text := string(patch); {
	case dirty == "unknown":
		if err == nil || !strings.Contains(err.Error(), "filter") {
			r.Errorf("patch %q, error %v: want one about the filter", text, err)
		}
	case err != nil:
		r.Error(err)
	case dirty == "true" && !strings.Contains(text, "--- a/code.txt\n+++ b/code.txt\n@@ -1 +1 @@\n-one\n+two\n"),
		dirty == "false" && text != "":
		r.Errorf("patch %q", text)
	}
	if list, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "attnconv-git-*")); len(list) > 0 {
		r.Errorf("left %q", list)
	}
}

// What a repository configures is not run: filters, programs that show differences, monitors, hooks, pagers, transport,
// included files, submodules, and what the environment points to.
func TestForeignConfiguration(t *testing.T) {
	set := func(settings ...string) func(r repository) {
		return func(r repository) {
			r.Helper()
			for i := 0; i < len(settings); i += 2 {
				r.in("config", settings[i], strings.ReplaceAll(settings[i+1], "EVIL", r.evil()))
			}
		}
	}
	attributed := func(attributes string, f func(r repository)) func(r repository) {
		return func(r repository) {
			r.Helper()
			r.write(".gitattributes", attributes)
			r.in("add", ".gitattributes")
			r.commit()
			f(r)
		}
	}
	for _, c := range []struct {
		name, dirty string
		setup       func(r repository)
	}{
		{"nothing", "true", set()},
		{"filter clean", "unknown", attributed("*.txt filter=x", set("filter.x.clean", "EVIL"))},
		{"filter of an odd name", "unknown", attributed("*.txt filter=a=b.c", set("filter.a=b.c.clean", "EVIL"))},
		{"filter smudge", "unknown", attributed("*.txt filter=x",
			set("filter.x.smudge", "EVIL", "filter.x.required", "true"))},
		{"filter process", "unknown", attributed("*.txt filter=x", set("filter.x.process", "EVIL"))},
		{"filter of an unchanged file", "true", attributed("sub/* filter=x", set("filter.x.clean", "EVIL"))},
		{"textconv", "true", attributed("*.txt diff=x", set("diff.x.textconv", "EVIL"))},
		{"command of a driver", "true", attributed("*.txt diff=x", set("diff.x.command", "EVIL"))},
		{"merge driver", "true", attributed("*.txt merge=x", set("merge.x.driver", "EVIL"))},
		{"external diff", "true", set("diff.external", "EVIL")},
		{"pager", "true", set("core.pager", "EVIL", "pager.diff", "EVIL", "pager.config", "EVIL")},
		{"editor and password", "true", set("core.editor", "EVIL", "core.askPass", "EVIL", "credential.helper", "!EVIL")},
		{"aliases", "true", set("alias.diff", "!EVIL", "alias.rev-parse", "!EVIL", "alias.config", "!EVIL")},
		{"gpg", "true", set("gpg.program", "EVIL", "log.showSignature", "true", "gpg.ssh.program", "EVIL")},
		{"form of a patch", "true", set("diff.noprefix", "true", "diff.mnemonicPrefix", "true", "color.ui", "always")},
		{"monitor", "true", func(r repository) {
			r.in("update-index", "--fsmonitor")
			r.in("config", "core.fsmonitor", r.program("monitor"))
		}},
		{"hooks", "true", func(r repository) {
			for _, name := range []string{"post-index-change", "post-checkout", "fsmonitor-watchman"} {
				r.program("hooks/" + name)
			}
			r.in("config", "core.hooksPath", filepath.Join(r.dir, "hooks"))
		}},
		{"included file", "unknown", attributed("*.txt filter=x", func(r repository) {
			r.write("more", "[filter \"x\"]\n\tclean = \""+r.evil()+"\"\n")
			r.in("config", "include.path", "../more")
			r.in("config", "includeIf.onbranch:**.path", "../more")
		})},
		{"configuration of a worktree", "unknown", attributed("*.txt filter=x", func(r repository) {
			r.in("config", "extensions.worktreeConfig", "true")
			r.in("config", "--worktree", "filter.x.clean", r.evil())
		})},
		{"another worktree", "true", func(r repository) {
			other := filepath.Join(r.TempDir(), "other")
			r.git("init", "-q", other)
			r.in("config", "core.worktree", other)
			r.in("config", "core.bare", "false")
		}},
		{"environment", "true", func(r repository) {
			r.Setenv("GIT_EXTERNAL_DIFF", r.program("differ"))
			r.Setenv("GIT_CONFIG_COUNT", "1")
			r.Setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
			r.Setenv("GIT_CONFIG_VALUE_0", r.program("monitor"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepository(t)
			r.Setenv("TMPDIR", r.TempDir())
			c.setup(r)
			r.check(c.dirty)
		})
	}
}

// A file that a filter would change and nobody has touched needs no filter: its size and time are those of the index.
func TestFolderWithUntouchedFilteredFile(t *testing.T) {
	r := newRepository(t)
	r.write(".gitattributes", "sub/* filter=x")
	r.in("checkout", "-q", "code.txt")
	r.in("add", ".gitattributes")
	r.commit()
	r.in("config", "filter.x.clean", r.evil())
	r.check("false")
}

// A partial clone lacks the blob of HEAD: git would fetch it with whatever its remote names.
func TestForeignPartialClone(t *testing.T) {
	r := newRepository(t)
	r.in("config", "remote.origin.url", "ext::sh -c touch% "+r.mark)
	r.in("config", "remote.origin.promisor", "true")
	r.in("config", "extensions.partialClone", "origin")
	r.in("config", "core.repositoryFormatVersion", "1")
	r.in("config", "protocol.ext.allow", "always")
	r.in("config", "core.sshCommand", r.evil())
	blob := r.in("rev-parse", "HEAD:code.txt")
	if err := os.Remove(filepath.Join(r.dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	run.Describe(nil, "", false)
	if _, err := run.Uncommitted(); err == nil {
		t.Error("a patch without the file as it was")
	}
	if _, err := os.Lstat(r.mark); err == nil {
		t.Error("git fetched with a program that the folder names")
	}
}

// Git status asks submodules, which have configurations of their own. Another commit of one is a change.
func TestForeignSubmodule(t *testing.T) {
	r := newRepository(t)
	r.in("checkout", "-q", "code.txt")
	inner := repository{t, filepath.Join(r.dir, "inner"), r.mark}
	inner.git("init", "-q", inner.dir)
	inner.write("code.txt", "one\n")
	inner.write(".gitattributes", "* filter=x")
	inner.in("add", ".")
	inner.commit()
	r.in("-c", "advice.addEmbeddedRepo=false", "add", "inner")
	r.commit()
	inner.in("config", "filter.x.clean", r.evil())
	inner.write("code.txt", "two, and longer\n")
	r.check("false")

	inner.in("config", "--unset", "filter.x.clean")
	inner.in("add", ".")
	inner.commit()
	if f := run.Describe(nil, "", false).Folder; f == nil || f.Dirty == nil || !*f.Dirty {
		t.Errorf("another commit of the submodule is not a change: %+v", f)
	}
}

// Linked worktrees, folders below the top, SHA-256 and line ends are compared as git compares them.
func TestFolderRevision(t *testing.T) {
	t.Run("worktree", func(t *testing.T) {
		r := newRepository(t)
		linked := filepath.Join(t.TempDir(), "linked")
		r.in("worktree", "add", "-q", linked)
		r.dir = linked
		t.Chdir(linked)
		r.check("false")
		r.write("code.txt", "two\n")
		r.check("true")
	})
	t.Run("below", func(t *testing.T) {
		r := newRepository(t)
		t.Chdir(filepath.Join(r.dir, "sub"))
		r.check("true")
	})
	t.Run("sha256", func(t *testing.T) {
		r := newRepository(t)
		r.dir = filepath.Join(t.TempDir(), "sha256")
		r.git("init", "-q", "--object-format=sha256", r.dir)
		t.Chdir(r.dir)
		r.write("code.txt", "one\n")
		r.in("add", ".")
		r.commit()
		r.check("false")
		r.write("code.txt", "two\n")
		r.check("true")
	})
	t.Run("line ends", func(t *testing.T) {
		r := newRepository(t)
		r.in("config", "core.autocrlf", "true")
		r.write("code.txt", "one\r\n")
		r.check("false")
	})
	t.Run("no commit", func(t *testing.T) {
		r := newRepository(t)
		r.git("init", "-q", filepath.Join(r.dir, "empty"))
		t.Chdir(filepath.Join(r.dir, "empty"))
		if f := run.Describe(nil, "", false).Folder; f != nil {
			t.Errorf("%+v", f)
		}
	})
}
