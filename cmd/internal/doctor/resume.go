package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/model/ckpt"
)

// checkResume trains a small model twice, once without interruption, once killed and resumed. Both must end with the
// same weights.
func checkResume(ctx context.Context, o Options) (status Status, detail string) {
	if o.Program == nil {
		return "", ""
	}
	dir, err := os.MkdirTemp("", "attnconv-doctor-")
	if err != nil {
		return Fail, o.Message(err)
	}
	defer os.RemoveAll(dir)
	begin := time.Now()
	whole, broken := filepath.Join(dir, "whole"), filepath.Join(dir, "broken")
	program := func(args ...string) *exec.Cmd {
		return o.Program(ctx, append([]string{"train", "-q", "--runs", dir, "--device", "cpu"}, args...)...)
	}
	newRun := func(out string) *exec.Cmd {
		return program("--data", "shapes32", "--preset", "smoke", "--epochs", "1", "--limit-train-batches", "20",
			"--limit-val-batches", "2", "--layers", "2", "--dim", "16", "--save-every", "5", "--out", out)
	}
	if out, err := newRun(whole).CombinedOutput(); err != nil {
		return Fail, "a small run failed: " + strings.TrimSpace(string(out))
	}
	killed, err := killHalfway(newRun(broken), broken)
	if err != nil {
		return Fail, "a small run failed: " + o.Message(err)
	}
	if !killed {
		return Warn, "a small run ended before it could be killed: try again when the machine is less busy"
	}
	if out, err := program("--resume", broken).CombinedOutput(); err != nil {
		return Fail, "the killed run could not be resumed: " + strings.TrimSpace(string(out))
	}
	want, err := tensorDigest(whole)
	if err != nil {
		return Fail, o.Message(err)
	}
	got, err := tensorDigest(broken)
	if err != nil {
		return Fail, o.Message(err)
	}
	if got != want {
		return Fail, fmt.Sprintf("a run that was killed and resumed ended with other weights (%.8s) "+
			"than one that was not (%.8s)", got, want)
	}
	return Pass, fmt.Sprintf("a run that was killed and resumed ended with the same weights (%.1f s)",
		time.Since(begin).Seconds())
}

// killHalfway starts a run in dir and kills it after its first checkpoint. killed is false if the run ended before.
func killHalfway(cmd *exec.Cmd, dir string) (killed bool, err error) {
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return false, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
			}
			return false, nil
		case <-time.After(time.Millisecond):
		}
		if term.Exists(filepath.Join(dir, "checkpoints", "last.ckpt")) {
			cmd.Process.Kill()
			return <-ended != nil, nil
		}
	}
}

// tensorDigest returns the digest of all tensors in a run's last checkpoint.
func tensorDigest(dir string) (string, error) {
	h, err := ckpt.ReadHeader(filepath.Join(dir, "checkpoints", "last.ckpt"))
	if err != nil {
		return "", err
	}
	return h.Meta["attnconv.tensor_sha256"], nil
}
