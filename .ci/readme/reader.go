package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A reader has a clone of this repository, an empty HOME, and the caches of Go.
type reader struct {
	ctx             context.Context
	dir, clone, bin string
	env             []string
}

// short shortens training to seconds.
var short = []string{
	"ATTNCONV_TRAIN_LIMIT_TRAIN_BATCHES=4", "ATTNCONV_TRAIN_LIMIT_VAL_BATCHES=2", "ATTNCONV_TRAIN_EPOCHS=2",
}

func newReader(ctx context.Context) (*reader, error) {
	dir, err := os.MkdirTemp("", "readme")
	if err != nil {
		return nil, err
	}
	r := &reader{ctx: ctx, dir: dir, clone: filepath.Join(dir, "clone"), bin: filepath.Join(dir, "bin")}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o777); err != nil {
		return nil, err
	}
	caches, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE", "GOCACHE", "GOPROXY").Output()
	if err != nil {
		return nil, err
	}
	where := strings.Split(strings.TrimSpace(string(caches)), "\n")
	r.env = []string{
		"HOME=" + home, "PATH=" + r.bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "GOBIN=" + r.bin,
		"GOMODCACHE=" + where[0], "GOCACHE=" + where[1], "GOPROXY=" + where[2], "CGO_ENABLED=0", "LANG=C.UTF-8",
	}
	r.env = append(r.env, short...)
	if out, err := exec.CommandContext(ctx, "git", "clone", "-q", ".", r.clone).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git clone: %w\n%s", err, out)
	}
	return r, nil
}

// shell returns a command that runs in the clone.
func (r *reader) shell(command string) *exec.Cmd {
	c := exec.CommandContext(r.ctx, "bash", "-c", command)
	c.Dir, c.Env, c.WaitDelay = r.clone, r.env, time.Second
	return c
}

// begin runs a command at full size until its output matches all of p.full, and kills it. What it trains goes to a
// separate folder of runs; a command without an end shows the runs that there are.
func (r *reader) begin(command string, p promise) error {
	path := filepath.Join(r.dir, "full.txt")
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer out.Close()
	c := r.shell("exec " + command)
	c.Env = slices.DeleteFunc(slices.Clone(r.env), func(v string) bool { return slices.Contains(short, v) })
	if !p.endless {
		c.Env = append(c.Env, "ATTNCONV_RUNS="+filepath.Join(r.dir, "full"))
	}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		return err
	}
	defer c.Wait()
	defer c.Process.Kill()
	lacks, text := "", []byte(nil)
	for began := time.Now(); time.Since(began) < 3*time.Minute; time.Sleep(50 * time.Millisecond) {
		if text, err = os.ReadFile(path); err != nil {
			return err
		}
		if lacks = missing(p.full, text); lacks == "" {
			return nil
		}
	}
	return fmt.Errorf("at its full size it does not say %q\n%s", lacks, text)
}

// interrupted starts a run and kills it once it has a checkpoint.
func interrupted(r *reader) error {
	c := r.shell("exec attnconv train --encoding quadratic --out runs/killed --save-every 1 --progress off")
	if err := c.Start(); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(time.Millisecond) {
		if found, _ := filepath.Glob(filepath.Join(r.clone, "runs/killed/checkpoints/*.ckpt")); len(found) > 0 {
			err := c.Process.Kill()
			c.Wait()
			return err
		}
	}
	return fmt.Errorf("the run that is to be killed saved nothing in two minutes")
}

// vision puts the weights of a vision transformer and two pictures where the reader has them.
func vision(r *reader) error {
	b, err := os.ReadFile(filepath.Join(r.clone, "analyse/vision/testdata/convit.pth"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.clone, "vit.pth"), b, 0o666); err != nil {
		return err
	}
	pictures := filepath.Join(r.dir, "home/Pictures")
	if err := os.Mkdir(pictures, 0o777); err != nil {
		return err
	}
	if err := cat(r); err != nil {
		return err
	}
	if b, err = os.ReadFile(filepath.Join(r.clone, "cat.jpg")); err != nil {
		return err
	}
	for _, name := range []string{"1.jpg", "2.jpg"} {
		if err := os.WriteFile(filepath.Join(pictures, name), b, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// cat writes an image of the reader's: larger than the network's images, and not square.
func cat(r *reader) error {
	m := image.NewRGBA(image.Rect(0, 0, 300, 200))
	for y := range 200 {
		for x := range 300 {
			m.Set(x, y, color.RGBA{uint8(x), uint8(y), uint8(x ^ y), 255})
		}
	}
	f, err := os.Create(filepath.Join(r.clone, "cat.jpg"))
	if err != nil {
		return err
	}
	if err := jpeg.Encode(f, m, nil); err != nil {
		return err
	}
	return f.Close()
}
