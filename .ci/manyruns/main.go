// Command manyruns makes a sweep of many runs that were never trained, to time the commands that read sweeps:
//
//	go run ./.ci/manyruns 10000 /tmp/many
//	time attnconv sweep status /tmp/many
//	time attnconv sweep collect /tmp/many
//	time attnconv runs ls --runs /tmp/many/trials
//
// Each run has the run.json and config.yaml of one that is done; of every hundred, one has failed and one waits.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: manyruns NUMBER FOLDER")
		os.Exit(2)
	}
	n, err := strconv.Atoi(os.Args[1])
	if err == nil {
		err = generate(n, os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "manyruns:", err)
		os.Exit(1)
	}
}

// generate makes a sweep of n runs: learning rates of 10 seeds each.
func generate(n int, path string) error {
	settings, err := session.Settings("preset=tiny", "data.name=shapes32")
	if err != nil {
		return err
	}
	p := &sweep.Plan{Format: sweep.Format, Created: time.Now().UTC(), Version: "generated", Cores: 1,
		Axes: []sweep.Axis{{Key: "train.lr"}, {Key: sweep.Seed}}}
	var texts [][]byte
	all := make([]configs.Run, n)
	for i := range n {
		all[i] = settings
		all[i].Train.LR, all[i].Seed = 0.001*float64(1+i/10), uint64(i%10)
		lr, seed := fmt.Sprint(all[i].Train.LR), fmt.Sprint(i%10)
		p.Trials = append(p.Trials, sweep.Trial{Name: fmt.Sprintf("%05d-lr-%s-s%s", i, lr, seed),
			Values: []string{lr, seed}, ETA: 60})
		texts = append(texts, all[i].YAML())
	}
	if err := p.Create(path, texts); err != nil {
		return err
	}
	for i := range n {
		if err := write(p, i, texts[i], all[i]); err != nil {
			return err
		}
	}
	return nil
}

// write makes the folder of a run.
func write(p *sweep.Plan, i int, text []byte, r configs.Run) error {
	state := event.Done
	switch i % 100 {
	case 98:
		state = event.Failed
	case 99:
		return nil
	}
	s := map[string]any{"format": 1, "id": fmt.Sprintf("%04d", i%10000), "name": p.Trials[i].Name, "state": state,
		"pid": 1, "machine": "x",
		"leg": "x", "started": time.Now().UTC(), "heartbeat": time.Now().UTC(), "ended": time.Now().UTC(),
		"version": "generated",
		"preset":  r.Preset, "model": r.Model.Kind, "encoding": r.Model.Encoding, "data": r.Data.Name, "seed": r.Seed,
		"params": 100_000,
		"epochs": r.Train.Epochs, "steps": 1000, "epoch": r.Train.Epochs, "step": 1000, "train_loss": 1.0,
		"val_loss": 1.0,
		"val_acc":  0.5 + float64(i%97)/200, "best_epoch": 1, "test_acc": 0.5 + float64(i%89)/200, "wall_s": 60.0,
		"img_s": 1000.0}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	dir := p.Dir(i)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), text, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "run.json"), append(b, '\n'), 0o666)
}
