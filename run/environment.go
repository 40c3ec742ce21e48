package run

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/attnconv/attnconv/internal/memory"
)

// An Environment is environment.json: where, by what and on what a run was made. What is not known is left out.
type Environment struct {
	V          int       `json:"v"`
	Time       time.Time `json:"time"`
	Args       []string  `json:"args"` // the command line
	Version    string    `json:"version,omitempty"`
	Commit     *string   `json:"commit"` // of the program's source; null: the build does not say, as with go run
	CommitTime string    `json:"commit_time,omitempty"`
	Dirty      *bool     `json:"dirty"`  // the source had changes beyond the commit; null: not known
	Folder     *Revision `json:"folder"` // of the folder the program was started in; null: no working tree of git
	Go         string    `json:"go"`
	OS         string    `json:"os"`
	Arch       string    `json:"arch"`
	CPU        string    `json:"cpu,omitempty"`
	Features   []string  `json:"features"` // of the processor, those that arithmetic can use
	Cores      int       `json:"cores"`    // that the process may use
	Threads    int       `json:"threads"`  // that Go uses
	Memory     int64     `json:"memory,omitempty"`
	Device     string    `json:"device,omitempty"` // where steps run: cpu, or what a GPU's plugin calls it
	Host       string    `json:"host,omitempty"`   // only if the user asked for it
	DataDigest string    `json:"data_digest,omitempty"`
	Modules    []string  `json:"modules"` // path@version
}

// A Revision says which commit the files of a working tree are.
type Revision struct {
	Commit string `json:"commit"`
	Dirty  *bool  `json:"dirty"` // tracked files had changes beyond the commit; null: not known
}

// Describe looks at the machine and at how the program was built. The host's name is left out unless it is wanted.
func Describe(args []string, dataDigest string, host bool) Environment {
	e := Environment{
		V: Schema, Time: time.Now().UTC().Truncate(time.Millisecond), Args: args, DataDigest: dataDigest,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuName(), Features: features(),
		Cores: runtime.NumCPU(), Threads: runtime.GOMAXPROCS(0), Memory: memory.Total(),
		Folder: folderRevision(),
	}
	if host {
		e.Host, _ = os.Hostname()
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return e
	}
	e.Version = info.Main.Version
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		e.Modules = append(e.Modules, m.Path+"@"+m.Version)
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			e.Commit = &s.Value
		case "vcs.time":
			e.CommitTime = s.Value
		case "vcs.modified":
			dirty := s.Value == "true"
			e.Dirty = &dirty
		}
	}
	return e
}

// gitTime is how long git may take to answer: a run does not wait for a tree of a million files.
const gitTime = 2 * time.Second

// folderRevision asks git for the commit of the folder the program was started in. Files that git does not track, such
// as the runs themselves, are no change; a monitor, which is a program that the tree names, is not run.
func folderRevision() *Revision {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	git := func(args ...string) (string, error) {
		args = append([]string{"--no-optional-locks", "-c", "core.fsmonitor=false"}, args...)
		out, err := exec.CommandContext(ctx, "git", args...).Output()
		return strings.TrimSpace(string(out)), err
	}
	commit, err := git("rev-parse", "--verify", "HEAD")
	if err != nil {
		return nil
	}
	r := &Revision{Commit: commit}
	if changes, err := git("status", "--porcelain", "--untracked-files=no"); err == nil {
		dirty := changes != ""
		r.Dirty = &dirty
	}
	return r
}

// Environment reads environment.json: that of the run's first leg. A run without one has a zero Environment.
func (d *Dir) Environment() (Environment, error) {
	var e Environment
	path := filepath.Join(d.Path, environmentFile)
	b, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(b, &e); err != nil {
		return e, &Corrupt{path, err.Error()}
	}
	return e, nil
}

func features() []string {
	var list []string
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"avx", cpu.X86.HasAVX}, {"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"bmi2", cpu.X86.HasBMI2},
		{"avx512f", cpu.X86.HasAVX512F}, {"avx512bw", cpu.X86.HasAVX512BW}, {"avx512dq", cpu.X86.HasAVX512DQ},
		{"avx512vl", cpu.X86.HasAVX512VL}, {"avx512vnni", cpu.X86.HasAVX512VNNI}, {"avx512bf16", cpu.X86.HasAVX512BF16},
		{"asimd", cpu.ARM64.HasASIMD}, {"asimdhp", cpu.ARM64.HasASIMDHP}, {"asimddp", cpu.ARM64.HasASIMDDP},
		{"sve", cpu.ARM64.HasSVE},
	} {
		if f.has {
			list = append(list, f.name)
		}
	}
	return list
}

// field returns the value of the first "key : value" line of text, as the files of /proc hold them, or "".
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
