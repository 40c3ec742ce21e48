package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/study"
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
	for b.Loop() {
		rows, err := study.List(root, study.Listing{Sort: "val_acc"})
		if err != nil || len(rows) != 1000 || differences(rows[0]) != "lr 0.5" {
			b.Fatalf("%d runs, %v: %+v", len(rows), err, rows[0])
		}
	}
}
