package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
)

func TestUserMessage(t *testing.T) {
	open := func(name string, err error) error { return &fs.PathError{Op: "open", Path: name, Err: err} }
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a package's own", &run.CorruptError{Path: "r/run.json", Reason: "over a megabyte"}, "r/run.json: over a megabyte"},
		{"of two lines", errors.Join(errors.New("a: bad"), errors.New("b: bad")), "a: bad\nb: bad"},
		{"the user's own key", &configs.Error{Msg: "my.yaml:3: data: want a mapping"},
			"my.yaml:3: data: want a mapping"},
		{"a checkpoint", &ckpt.CorruptError{Path: "a.ckpt", Reason: "cut short"},
			"a.ckpt: cut short\n  try another one: a run has several in its folder checkpoints"},
		{"a file", fmt.Errorf("runs: %w", open("a/b", fs.ErrNotExist)), "runs: a/b: file does not exist"},
		{"a file not yet whole", fmt.Errorf("o/m.ckpt: %w", open("o/.m.ckpt.4904-136c0206.tmp", syscall.ENOSPC)),
			"o/m.ckpt: no space left on device\n  the disk is full: make room there, or name a folder on another one"},
		{"a name", fmt.Errorf("runs: %w", &os.LinkError{Op: "rename", Old: "r/.run.json.1-00000000.tmp",
			New: "r/run.json",
			Err: syscall.EACCES}), "runs: r/run.json: permission denied\n  this user lacks permission: grant it, or " +
			"name another place"},
	} {
		if got := UserMessage(tt.err); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
