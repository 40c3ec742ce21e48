package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// UserMessage returns the message of an error for the user, with advice that the error itself does not have.
func UserMessage(err error) string {
	var missing *data.Missing
	var full *run.NotEmpty
	var present *data.Present
	switch {
	case errors.As(err, &present):
		return fmt.Sprintf("%s exists already: %s\n  to replace it: --force   to keep both, unless it is CIFAR: --name NAME",
			present.Name, present.Path)
	case errors.As(err, &missing) && len(missing.Looked) > 0:
		return noData(missing)
	case errors.As(err, &full) && full.Forced:
		return fmt.Sprintf("--out %s: the folder holds files that are not a run's; nothing was changed\n"+
			"  choose another one; --force only overwrites an earlier run", full.Path)
	case errors.As(err, &full):
		return fmt.Sprintf("--out %s: the folder is not empty\n"+
			"  choose another one, or overwrite an earlier run there with --force", full.Path)
	}
	if Is[*UsageError](err) || Is[*configs.Error](err) || Is[*invalid.Error](err) {
		return err.Error() // "data: " may be a key in the user's file
	}
	return ShortMessage(err) + advice(err)
}

// ShortMessage is UserMessage without advice.
func ShortMessage(err error) string { return TrimPackages(fileMessage(err)) }

// packages prefix their errors with their names.
var packages = []string{"bench", "ckpt", "configs", "convert", "convolution", "data", "describe", "figures", "gemm", "heads", "kernel", "measure", "model", "mpi",
	"nn", "op", "report", "run", "session", "study", "sweep", "tfevents", "theorem", "train", "viz", "xla"}

// packageName matches such a prefix, also inside a message, where errors are wrapped.
var packageName = regexp.MustCompile("(?m)(^|: )(?:" + strings.Join(packages, "|") + "): ")

// TrimPackages removes the names of packages from a message.
func TrimPackages(text string) string {
	for packageName.MatchString(text) { // adjacent matches overlap
		text = packageName.ReplaceAllString(text, "$1")
	}
	return text
}

// temporary matches the name under which a file is written before it is renamed.
var temporary = regexp.MustCompile(`\.([^/\\]+)\.\d+-[0-9a-f]{8}\.tmp`)

// fileMessage returns the message of err with a file system error in it as "FILE: message", without the system call.
func fileMessage(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	text := err.Error()
	switch {
	case errors.As(err, &path):
		name := temporary.ReplaceAllString(path.Path, "$1")
		text = strings.Replace(text, path.Error(), name+": "+path.Err.Error(), 1)
		text = strings.Replace(text, name+": "+name+": ", name+": ", 1) // the wrapping error may name it, too
	case errors.As(err, &link):
		text = strings.Replace(text, link.Error(), temporary.ReplaceAllString(link.New, "$1")+": "+link.Err.Error(), 1)
	}
	return text
}

// advice returns a line of advice for an error that has none.
func advice(err error) string {
	if strings.Contains(err.Error(), "\n") {
		return ""
	}
	if bad := (*ckpt.Corrupt)(nil); errors.As(err, &bad) && filepath.Ext(bad.Path) != ".ckpt" {
		return "\n  for weights written by another program, or by export: " + Command("import", bad.Path)
	} else if bad != nil {
		return "\n  try another one: a run has several in its folder checkpoints"
	}
	if Is[*memory.TooLarge](err) {
		return "\n  a smaller batch needs less: --batch, --set train.eval_batch=N; " + Program() + " inspect shows the memory of a model"
	}
	var none *run.NotFound
	if errors.As(err, &none) && study.TrainArgs(none) != "" {
		return "\n  train one: " + Program() + " train " + study.TrainArgs(none)
	}
	if none != nil && none.What == "sweep" {
		return "\n  plan one, with several values of a setting: " + Program() + " sweep plan --lr 0.001,0.003"
	}
	if none != nil && (none.What == "run" || none.What == "checkpoint") && none.Ref != "" {
		list := []string{"runs", "ls"}
		if none.Root != "" && none.Root != "runs" {
			list = append(list, "--runs", none.Root)
		}
		return "\n  to list them: " + Command(list...)
	}
	for _, a := range []struct {
		is   error
		what string
	}{
		{syscall.ENOSPC, "the disk is full: make room there, or name a folder on another one"},
		{syscall.EDQUOT, "your share of the disk is used up: make room there, or name a folder on another one"},
		{syscall.EROFS, "that disk can only be read: name a folder on another one"},
		{syscall.ENOTDIR, "a part of that path is a file: name another one"},
		{syscall.EISDIR, "that is a folder: name a file"},
		{fs.ErrPermission, "this user lacks permission: grant it, or name another place"},
	} {
		if errors.Is(err, a.is) {
			return "\n  " + a.what
		}
	}
	return ""
}

// noData returns the message for a missing data set, and how to get it.
func noData(e *data.Missing) string {
	archives, files := data.Downloads(e.Name), data.Files(e.Name)
	if files != nil {
		total := int64(0)
		for _, f := range files {
			total += f.Size
		}
		return fmt.Sprintf(`data set %q is not here yet
  looked in:   %s
  get it:      %[3]s data get %[1]s   # %[4]s, or none of it: apt install dataset-%[1]s
  have a copy: %[3]s data import DIR
  no data:     %[3]s train --encoding quadratic --data shapes32`, e.Name, e.Dir, Program(), table.Size(total))
	}
	if archives == nil {
		return fmt.Sprintf("data set %q is not in %s\n  to list them: %[3]s data ls   a new one: %[3]s data import PATH",
			e.Name, e.Dir, Program())
	}
	return fmt.Sprintf(`data set %q is not here yet
  looked in:   %s
  get it:      %[3]s data get %[1]s   # %[4]s, from a slow host
  have a copy: %[3]s data import %[5]s
  no data:     %[3]s train --encoding quadratic --data shapes32`,
		e.Name, e.Dir, Program(), table.Size(archives[0].Size), archives[1].File)
}

// Unmeasurable names the file in an error of package measure about values in it.
func Unmeasurable(path string, err error) error {
	if wrong := (*analyse.Error)(nil); errors.As(err, &wrong) {
		return &ckpt.Corrupt{Path: path, Reason: TrimPackages(err.Error())}
	}
	return err
}
