package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
)

// BenchmarkListRuns lists a thousand runs with their settings; up to 300 ms feels immediate.
func BenchmarkListRuns(b *testing.B) {
	config, err := configs.Preset("tiny")
	if err != nil {
		b.Fatal(err)
	}
	config.Train.LR = 0.5
	text, root := config.YAML(), b.TempDir()
	for i := range 1000 {
		dir := filepath.Join(root, fmt.Sprintf("20261120-%06d-quadratic-shapes32-s0-k%03d", i, i))
		status := fmt.Sprintf(`{"format":1,"id":"k%03d","state":"done","preset":"tiny","started":"2026-11-20T10:00:00Z"}`, i)
		for _, err := range []error{
			os.Mkdir(dir, 0o777),
			os.WriteFile(filepath.Join(dir, "config.yaml"), text, 0o666),
			os.WriteFile(filepath.Join(dir, "run.json"), []byte(status), 0o666),
		} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	c := &cli.Console{Globals: cli.Globals{Runs: root}}
	for b.Loop() {
		rows, err := listRuns(c, listOptions{Sort: "val_acc"})
		if err != nil || len(rows) != 1000 || rows[0].differences() != "lr 0.5" {
			b.Fatalf("%d runs, %v: %+v", len(rows), err, rows[0])
		}
	}
}

// A table that is too wide for the terminal loses the columns that hold one value only, in order, and no others.
func TestNarrowedTable(t *testing.T) {
	table := func() [][]string {
		return [][]string{{"id", "preset", "data", "seed"}, {"a", "tiny", "x", "1"}, {"b", "tiny", "x", "2"}}
	}
	for _, tt := range []struct {
		width int
		want  []string
	}{{0, table()[0]}, {23, table()[0]}, {19, []string{"id", "data", "seed"}}, {5, []string{"id", "seed"}}} {
		c := &cli.Console{OutWidth: func() int { return tt.width }}
		got := c.Narrowed(table(), "seed", "preset", "data")
		if !slices.Equal(got[0], tt.want) || len(got[2]) != len(got[0]) {
			t.Errorf("%d columns: %v, want %v", tt.width, got, tt.want)
		}
	}
}
