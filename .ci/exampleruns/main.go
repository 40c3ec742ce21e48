// Exampleruns trains the runs of `attnconv runs examples` and packs them into internal/exampleruns:
//
//	go run ./.ci/exampleruns                  # all of them; half an hour on 2 cores
//	go run ./.ci/exampleruns -check           # trains, packs nothing, and compares the weights with the packed ones
//	go run ./.ci/exampleruns -check quadratic # one of them
//
// The weights are the same on every machine with AVX2. Times and speeds in a run are those of its training. The runs on
// CIFAR-10 need its images in $ATTNCONV_DATA; the packed ones were trained on a JPEG copy, of another digest than the
// published images.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/internal/exampleruns"
)

// to is where the archives are.
const to = "internal/exampleruns"

func main() {
	check := flag.Bool("check", false, "compare the weights with the packed ones")
	flag.Parse()
	if err := examples(flag.Args(), *check); err != nil {
		fmt.Fprintln(os.Stderr, "exampleruns:", err)
		os.Exit(1)
	}
}

// examples trains the runs with these names, or all, and packs or checks them.
func examples(names []string, check bool) error {
	scratch, err := os.MkdirTemp("", "exampleruns")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	program := filepath.Join(scratch, "attnconv")
	build := exec.Command("go", "build", "-trimpath", "-o", program,
		"-ldflags", "-X github.com/attnconv/attnconv.release=v"+attnconv.Version, "./cmd/attnconv")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	for _, r := range exampleruns.Runs {
		if len(names) > 0 && !slices.Contains(names, r.Name) {
			continue
		}
		trained, err := train(program, filepath.Join(scratch, r.Name), r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		do := pack
		if check {
			do = compare
		}
		if err := do(trained, r); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if check {
		return nil
	}
	return packImages()
}

// train trains a run in a new folder, in which and below which are all of its paths, and returns the run's folder.
func train(program, dir string, r exampleruns.Run) (string, error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	cmd := exec.Command(program)
	again := "trained with: attnconv " + strings.Join(r.Train, " ")
	cmd.Args = slices.Concat([]string{"attnconv"}, r.Train,
		[]string{"--name", "example-" + r.Name, "--tag", "example", "--note", again, "--keep", "1"})
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "ATTNCONV_DATA=") ||
			!strings.HasPrefix(e, "ATTNCONV_") && !strings.HasPrefix(e, "HOME=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+dir, "ATTNCONV_KERNELS=avx2")
	if err := cmd.Run(); err != nil {
		return "", err
	}
	trained, err := filepath.EvalSymlinks(filepath.Join(dir, "runs", "latest"))
	if err == nil && r.Bare {
		err = strip(trained)
	}
	return trained, err
}
