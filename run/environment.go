package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/internal/memory"
)

// An Environment is environment.json: program, machine and data of a run. Unknown fields are left out.
type Environment struct {
	V       int       `json:"v"`                 // 1
	Time    time.Time `json:"time"`              // RFC 3339
	Args    []string  `json:"args"`              // the command line
	Version string    `json:"version,omitempty"` // of the program
	// of the program's source; null: not in the build information, as with go run
	Commit     *string   `json:"commit"`
	CommitTime string    `json:"commit_time,omitempty"` // of that commit
	Dirty      *bool     `json:"dirty"`                 // the source had uncommitted changes; null: unknown
	Folder     *Revision `json:"folder"`                // of the current folder; null: not in a working tree of git
	Go         string    `json:"go"`                    // version of Go that built the program
	OS         string    `json:"os"`                    // operating system
	Arch       string    `json:"arch"`                  // architecture of the processor
	CPU        string    `json:"cpu,omitempty"`         // name of the processor
	Features   []string  `json:"features"`              // instruction sets of the processor
	Cores      int       `json:"cores"`                 // available to the process
	Threads    int       `json:"threads"`               // GOMAXPROCS
	Memory     int64     `json:"memory,omitempty"`      // of the machine, in bytes
	Device     string    `json:"device,omitempty"`      // cpu, or the plugin's name of the GPU
	Host       string    `json:"host,omitempty"`        // only if the user asked for it
	DataDigest string    `json:"data_digest,omitempty"` // SHA-256 of the training images
	Modules    []string  `json:"modules"`               // path@version

	// uncommitted changes of the current folder, for uncommitted.patch next to environment.json; nil: no such file
	Patch []byte `json:"-"`
}

// A Revision is the state of a working tree.
type Revision struct {
	Commit string `json:"commit"` // hash
	Dirty  *bool  `json:"dirty"`  // tracked files had uncommitted changes; null: unknown
}

// Describe returns the environment of this process, with the name of the host if host is set.
func Describe(args []string, dataDigest string, host bool) Environment {
	e := Environment{
		V: Schema, Time: time.Now().UTC().Truncate(time.Millisecond), Args: args, DataDigest: dataDigest,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuName(), Features: features(),
		Cores: runtime.NumCPU(), Threads: runtime.GOMAXPROCS(0), Memory: memory.Total(),
		Folder: folderRevision(), Version: attnconv.Built(),
	}
	if host {
		e.Host, _ = os.Hostname()
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return e
	}
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

// gitTime limits a call of git: a run does not wait for a tree of a million files.
const gitTime = 2 * time.Second

// folderRevision returns the revision of the current folder. Untracked files, such as runs, do not make it dirty.
// core.fsmonitor is off, because the tree's configuration could name any program there.
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

// mostPatch is the number of bytes of uncommitted.patch at most: more is generated files, and nobody's code.
const mostPatch = 1 << 20

// Uncommitted returns the changes of tracked files in the working tree of the current folder, as a patch for git apply;
// nil: there are none, or there is no working tree of git. The error says why they cannot be recorded.
func Uncommitted() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "--no-optional-locks", "-c", "core.fsmonitor=false", "diff", "HEAD",
		"--binary", "--no-ext-diff", "--no-textconv", "--no-color")
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	patch, err := io.ReadAll(io.LimitReader(pipe, mostPatch+1))
	if len(patch) > mostPatch {
		cancel()
		err = fmt.Errorf("they are more than %d bytes", mostPatch)
	}
	ended := cmd.Wait()
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git needs more than %s to list them", gitTime)
	case ended != nil: // not a working tree
		return nil, nil
	}
	return patch, nil
}

// Environment reads environment.json, the environment in which the run began. It is zero if there is no such file.
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
		return e, &CorruptError{path, err.Error()}
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

// field returns the value of the first line "key : value" of text, a file of /proc, or "".
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
