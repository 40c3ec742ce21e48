//go:build cgo && linux

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/gpu/pjrt/fake"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/train"
)

// The program of one training step, as XLA gets it, is golden: it shows every change of an operation's lowering or of
// GoMLX. UPDATE_GOLDEN=1 accepts a change.
func TestProgramOfAStepOnAGPU(t *testing.T) {
	plugin := fakePlugin(t)
	programs := t.TempDir()
	t.Setenv(fake.Programs, programs)
	getenv := func(name string) string { return map[string]string{accelerator.Variable: plugin}[name] }
	d, err := accelerator.Open("gpu", train.Float32, getenv)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	spec := model.Default()
	spec.Layers, spec.Dim, spec.FFN, spec.Pool, spec.Image = model.Equal(1), 4, 6, 2, [3]int{4, 6, 3}
	spec.Heads, spec.Dropout, spec.AttentionDropout = model.Ints{2}, 0, 0
	net, err := model.New(spec, 0)
	if err != nil {
		t.Fatal(err)
	}
	o := train.Default()
	o.Device = d.Accelerator
	s, err := train.NewStepper(net, train.Shape{2, 4, 6, 3}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	text, err := os.ReadFile(filepath.Join(programs, "2.mlir")) // after the probe
	if err != nil {
		t.Fatal(err)
	}
	got, golden := canonical(string(text)), filepath.Join("testdata", "step.mlir")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
}

var (
	attributes = regexp.MustCompile(`(?s)\) \{\n      [a-z_]+ = .*?\n    \} :`) // those on lines of their own
	assignment = regexp.MustCompile(`(?m)^ *%(\d+) = .*$`)
	result     = regexp.MustCompile(`%\d+\b`)
)

// canonical removes irrelevant differences from a program: it sorts attributes, which go-xla writes in any order, and
// numbers results relative to their use.
func canonical(text string) string {
	text = assignment.ReplaceAllStringFunc(text, func(line string) string {
		at, _ := strconv.Atoi(assignment.FindStringSubmatch(line)[1])
		return result.ReplaceAllStringFunc(line, func(name string) string {
			n, _ := strconv.Atoi(name[1:])
			return strings.TrimSuffix("%-"+strconv.Itoa(at-n), "-0")
		})
	})
	return attributes.ReplaceAllStringFunc(text, func(block string) string {
		lines := strings.Split(block, "\n")
		inside := lines[1 : len(lines)-1]
		for i, line := range inside {
			inside[i] = strings.TrimSuffix(strings.TrimSpace(line), ",")
		}
		slices.Sort(inside)
		return ") { " + strings.Join(inside, " ") + " } :"
	})
}
