// Package sweep is a folder of many runs under one plan: the plan, the settings of each trial, and the trials' runs.
// The plan never changes, and the state of a trial is that of its run. So any number of processes, on any number of
// machines that share the folder, can work on a sweep, and each may be killed at any moment.
//
//	sweeps/20261121-091500-k3f9/
//	  sweep.json          the plan
//	  configs/000.yaml    every setting of trial 0, for attnconv train -c
//	  trials/000-lr-0.1-s0/   run of trial 0
//	  attempts/000.json   how the last attempt at trial 0 ended, unless it finished the trial
//	  jobs/001.json, jobs/001.sh   a job array that was submitted, and its script
//
// Stable: the files of a sweep and their keys, Plan and Open.
package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/run"
)

// Format is the version of sweep.json. A plan of a later format is refused. One with halving has format 2, since an
// earlier program would train all of its trials to the end.
const (
	Format        = 1
	formatHalving = 2
)

const (
	planFile      = "sweep.json"
	configsFolder = "configs"
	trialsFolder  = "trials"
	attemptFolder = "attempts"
	jobsFolder    = "jobs"
)

// A Plan is sweep.json.
type Plan struct {
	Format  int       `json:"format"`  // version of the file: 1, or 2 with halving
	Created time.Time `json:"created"` // RFC 3339
	Version string    `json:"version"` // of the program
	Args    []string  `json:"args"`    // the command line
	Axes    []Axis    `json:"axes"`    // the settings that vary, the seed last
	Trials  []Trial   `json:"trials"`  // the runs

	Cores int `json:"cores,omitempty"` // of the planning machine, that ETA is for; 0: an earlier version wrote the plan

	Drawn   int      `json:"drawn,omitempty"`   // combinations that were drawn; 0: the plan has all of the grid
	Halving *Halving `json:"halving,omitempty"` // nil: every trial is trained to its end

	Path string `json:"-"`
}

// A Trial is one run of a sweep. Trials count from 0, as array tasks of most schedulers do.
type Trial struct {
	Name   string   `json:"name"`   // of its folder
	Values []string `json:"values"` // one for each axis
	ETA    float64  `json:"eta_s"`  // estimated seconds on all cores of the planning machine

	Memory int64 `json:"memory_b,omitempty"` // estimated bytes of its process; 0: unknown
}

// Seed is the key of the axis of seeds.
const Seed = "seed"

// grid returns every combination of values of the axes; the last axis varies fastest.
func grid(axes []Axis) [][]string {
	all := [][]string{nil}
	for _, a := range axes {
		var product [][]string
		for _, values := range all {
			for _, v := range a.Values {
				product = append(product, append(values[:len(values):len(values)], v))
			}
		}
		all = product
	}
	return all
}

// errNoPlan is the error for a nil plan.
var errNoPlan = errors.New("the plan is nil: want one of New or Open")

// nameOf returns the folder name of trial i of n: its index, the settings that vary, the seed.
func nameOf(i, n int, axes []Axis, values []string) string {
	digits := max(3, len(fmt.Sprint(n-1)))
	name := fmt.Sprintf("%0*d", digits, i)
	for j, a := range axes {
		switch short := a.Key[strings.LastIndexByte(a.Key, '.')+1:]; {
		case a.Key == Seed:
			name += "-s" + slug(values[j])
		case isNumber(values[j]):
			name += "-" + slug(short) + "-" + slug(values[j])
		default:
			name += "-" + slug(values[j])
		}
	}
	if len(name) > 80 {
		name = strings.TrimRight(name[:80], "-.")
	}
	return name
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.,+-eE[] ") == ""
}

// slug replaces everything in s that is not safe in every file system and shell by dashes.
func slug(s string) string {
	other := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.')
	}
	return strings.Join(strings.FieldsFunc(s, other), "-")
}

// Create creates the folder path atomically, with the plan and the settings texts[i] of each trial i. The error is a
// *run.NotEmptyError if the folder exists.
func (p *Plan) Create(path string, texts [][]byte) error {
	if _, err := os.Lstat(path); err == nil {
		return &run.NotEmptyError{Path: path}
	}
	if err := p.check(); err != nil {
		return err
	}
	if len(texts) != len(p.Trials) {
		return fmt.Errorf("%d trials and the settings of %d", len(p.Trials), len(texts))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp := disk.Temp(path)
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := p.write(tmp, texts); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	p.Path = path
	return nil
}

func (p *Plan) write(dir string, texts [][]byte) error {
	in := disk.Folder(dir)
	for _, folder := range []string{configsFolder, trialsFolder} {
		if err := in.Mkdir(folder); err != nil {
			return err
		}
	}
	for i, text := range texts {
		if err := in.Create(p.configName(i), disk.Bytes(text)); err != nil {
			return err
		}
	}
	if err := disk.Folder(in.Path(configsFolder)).Sync(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return in.Replace(planFile, disk.Bytes(append(b, '\n')))
}

// Open reads the plan of the sweep in the folder path.
func Open(path string) (*Plan, error) {
	file := filepath.Join(path, planFile)
	b, err := run.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &run.NotFoundError{What: "sweep", Ref: path}
	}
	if err != nil {
		return nil, err
	}
	p, err := parse(b)
	if err != nil {
		return nil, &run.CorruptError{Path: file, Reason: err.Error()}
	}
	p.Path = path
	return p, nil
}

func parse(b []byte) (*Plan, error) {
	p := new(Plan)
	if err := json.Unmarshal(b, p); err != nil {
		return nil, err
	}
	if p.Format != Format && p.Format != formatHalving {
		return nil, fmt.Errorf("written by attnconv %s (format %d); this is format %d", p.Version, p.Format, Format)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, nil
}

// check refuses trials whose names are no folders' and whose values are not as many as the axes.
func (p *Plan) check() error {
	if (p.Halving != nil) != (p.Format == formatHalving) {
		return fmt.Errorf("format %d: want halving in format %d, and only there", p.Format, formatHalving)
	}
	if p.Halving != nil {
		if err := p.Halving.check(); err != nil {
			return err
		}
	}
	for i, t := range p.Trials {
		if t.Memory < 0 || t.ETA < 0 || p.Cores < 0 {
			return fmt.Errorf("trial %d: want cores, time and memory from 0", i)
		}
		if err := disk.CheckName(t.Name); err != nil {
			return fmt.Errorf("trial %d: %w", i, err)
		}
		if len(t.Values) != len(p.Axes) {
			return fmt.Errorf("trial %d: want %d values, got %d", i, len(p.Axes), len(t.Values))
		}
	}
	return nil
}

// Newest returns the newest sweep in root.
func Newest(root string) (*Plan, error) {
	list, err := filepath.Glob(filepath.Join(root, "*", planFile))
	if err != nil || len(list) == 0 {
		return nil, &run.NotFoundError{What: "sweep", Root: root}
	}
	return Open(filepath.Dir(list[len(list)-1])) // names begin with the time
}

// Config returns the path of the settings of trial i.
func (p *Plan) Config(i int) string {
	return filepath.Join(p.Path, p.configName(i))
}

func (p *Plan) configName(i int) string { return filepath.Join(configsFolder, p.number(i)+".yaml") }

// number is the number of trial i with as many digits as that of any other.
func (p *Plan) number(i int) string {
	return fmt.Sprintf("%0*d", max(3, len(fmt.Sprint(len(p.Trials)-1))), i)
}

// folder is what all writing and deleting in the sweep goes through: the sweep may come from another person.
func (p *Plan) folder() disk.Folder { return disk.Folder(p.Path) }

// Check returns an error if trial i would be trained elsewhere: its folder, or that of all trials, is a link.
func (p *Plan) Check(i int) error {
	_, err := p.folder().ReadDir(filepath.Join(trialsFolder, p.Trials[i].Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Runs returns the folder of the trials' runs.
func (p *Plan) Runs() string { return filepath.Join(p.Path, trialsFolder) }

// Dir returns the folder of the run of trial i.
func (p *Plan) Dir(i int) string { return filepath.Join(p.Runs(), p.Trials[i].Name) }
