package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/cmd/internal/cli"
)

// checkResume trains a small model twice, once without interruption, once killed and resumed. Both must end with the
// same weights.
func checkResume(ctx context.Context, c *cli.Console) (status, detail string) {
	dir, err := os.MkdirTemp("", "attnconv-doctor-")
	if err != nil {
		return fail, cli.ShortMessage(err)
	}
	defer os.RemoveAll(dir)
	self, err := cli.Self()
	if err != nil {
		return fail, cli.ShortMessage(err)
	}
	begin := time.Now()
	whole, broken := filepath.Join(dir, "whole"), filepath.Join(dir, "broken")
	program := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self, append([]string{"train", "-q", "--runs", dir, "--device", "cpu"}, args...)...)
		cmd.Env = cli.ChildEnv(c.Env)
		return cmd
	}
	newRun := func(out string) *exec.Cmd {
		return program("--data", "shapes32", "--preset", "smoke", "--epochs", "1", "--limit-train-batches", "20",
			"--limit-val-batches", "2", "--layers", "2", "--dim", "16", "--save-every", "5", "--out", out)
	}
	if out, err := newRun(whole).CombinedOutput(); err != nil {
		return fail, "a small run failed: " + strings.TrimSpace(string(out))
	}
	killed, err := killHalfway(newRun(broken), broken)
	if err != nil {
		return fail, "a small run failed: " + cli.ShortMessage(err)
	}
	if !killed {
		return warn, "a small run ended before it could be killed: try again when the machine is less busy"
	}
	if out, err := program("--resume", broken).CombinedOutput(); err != nil {
		return fail, "the killed run could not be resumed: " + strings.TrimSpace(string(out))
	}
	want, err := tensorDigest(whole)
	if err != nil {
		return fail, cli.ShortMessage(err)
	}
	got, err := tensorDigest(broken)
	if err != nil {
		return fail, cli.ShortMessage(err)
	}
	if got != want {
		return fail, fmt.Sprintf("a run that was killed and resumed ended with other weights (%.8s) "+
			"than one that was not (%.8s)", got, want)
	}
	return pass, fmt.Sprintf("a run that was killed and resumed ended with the same weights (%.1f s)",
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
		if cli.Exists(filepath.Join(dir, "checkpoints", "last.ckpt")) {
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
