package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/run/event"
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

// Describe returns the environment of this process, with the name of the host if host is set.
func Describe(args []string, dataDigest string, host bool) Environment {
	e := Environment{
		V: event.Schema, Time: time.Now().UTC().Truncate(time.Millisecond), Args: args, DataDigest: dataDigest,
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
