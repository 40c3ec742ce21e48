package engine

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/option"
)

// hostile is a path that each engine's text must keep as one word.
const hostile = "/srv/it's; a $(touch no) $HOME `x` \"y\" %A #z"

func job() Job {
	return Job{Name: "attnconv-mine-1", About: "12 runs of a sweep, 4 a task",
		Command: []string{"/opt/attnconv", "sweep", "run", hostile},
		Dir:     hostile, Logs: hostile + "/jobs", Tasks: 3, Time: 70 * time.Minute, Memory: 1<<30 + 1, Cores: 4}
}

// A text that changes by a character fails here: UPDATE_GOLDEN=1 accepts it, once it was read.
func TestTextsAreGolden(t *testing.T) {
	for _, e := range Engines {
		plain, full := job(), job()
		plain.Dir, plain.Logs, plain.Command = "/srv", "/srv/mine/jobs",
			[]string{"/opt/attnconv", "sweep", "run", "/srv/mine"}
		for key, set := range map[string]func(){
			"at-most": func() { full.AtMost = 2 }, "queue": func() { full.Queue = "long" },
			"account": func() { full.Account = "p17" },
			"arg":     func() { full.Extra = []string{"--gres=gpu:1"} },
			"image":   func() { full.Image, plain.Image = "registry/attnconv:1", "i" },
			"claim":   func() { full.Claim, plain.Claim = "work", "c" },
		} {
			for _, takes := range e.Takes {
				if takes == key {
					set()
				}
			}
		}
		jobs := map[string]Job{"plain": plain, "full": full}
		if slices.Contains(e.Takes, "ranks") {
			ranks := plain
			ranks.Ranks = 2
			jobs["ranks"] = ranks
		}
		for name, j := range jobs {
			text, err := e.Text(j)
			if err != nil {
				t.Errorf("%s, %s: %v", e.Name, name, err)
				continue
			}
			golden := filepath.Join("testdata", e.Name+"-"+name+e.Suffix)
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || string(want) != string(text) {
				t.Errorf("%s: %v; got\n%s", golden, err, text)
			}
		}
	}
}

// A field that an engine would drop silently, or that it misses, is an error that names it.
func TestFieldsThatAnEngineDoesNotKnow(t *testing.T) {
	for _, tt := range []struct {
		engine, key string
		change      func(j *Job)
	}{
		{"slurm", "image", func(j *Job) { j.Image = "x" }},
		{"sge", "claim", func(j *Job) { j.Claim = "x" }},
		{"hyperqueue", "queue", func(j *Job) { j.Queue = "x" }},
		{"kubernetes", "image", func(j *Job) { j.Claim = "x" }},
		{"kubernetes", "claim", func(j *Job) { j.Image = "x" }},
		{"sge", "ranks", func(j *Job) { j.Ranks = 2 }},
		{"slurm", "ranks", func(j *Job) { j.Ranks = -1 }},
		{"slurm", "ranks", func(j *Job) { j.Ranks = 1 << 40 }},
		{"kubernetes", "at-most", func(j *Job) { j.Image, j.Claim, j.Ranks, j.AtMost = "x", "x", 2, 2 }},
		{"kubernetes", "name", func(j *Job) {
			j.Image, j.Claim, j.Ranks, j.Name = "x", "x", 2,
				strings.Repeat("a", 41)
		}},
		{"kubernetes", "folder", func(j *Job) { j.Image, j.Claim, j.Dir = "x", "x", "/a:b" }},
		{"kubernetes", "folder", func(j *Job) { j.Image, j.Claim, j.Logs = "x", "x", "/a\nb" }},
		{"kubernetes", "command", func(j *Job) { j.Image, j.Claim, j.Logs = "x", "x", "/\xff" }},
		{"slurm", "queue", func(j *Job) { j.Queue = "a b" }},
		{"slurm", "arg", func(j *Job) { j.Extra = []string{"--x\nrm"} }},
		{"slurm", "name", func(j *Job) { j.Name = "-x" }},
		{"slurm", "name", func(j *Job) { j.Name = strings.Repeat("a", 51) }},
		{"slurm", "time", func(j *Job) { j.Time = 90 * time.Second }},
		{"slurm", "memory", func(j *Job) { j.Memory = 0 }},
		{"slurm", "cores", func(j *Job) { j.Cores = 0 }},
		{"slurm", "tasks", func(j *Job) { j.Tasks = 0 }},
		{"slurm", "folder", func(j *Job) { j.Dir = "mine" }},
		{"slurm", "command", func(j *Job) { j.Command = []string{"a", "b\x00"} }},
		{"slurm", "cores", func(j *Job) { j.Cores = 1 << 40 }},
		{"slurm", "memory", func(j *Job) { j.Memory = math.MaxInt64 }},
		{"hyperqueue", "time", func(j *Job) { j.Time = 20_000 * time.Hour }},
		{"sge", "at-most", func(j *Job) { j.AtMost = math.MaxInt }},
	} {
		j := job()
		tt.change(&j)
		var wrong *option.Error
		if _, err := Engines.Find(tt.engine).Text(j); !errors.As(err, &wrong) || wrong.Key != tt.key {
			t.Errorf("%s: %v, want an error of %s", tt.engine, err, tt.key)
		}
	}
}

// A line of a folder's name would be a directive to the engine, whatever quotes are around it.
func TestNamesAreNoDirectives(t *testing.T) {
	const evil = "/srv/a\n#$ -l h_rt=1\n#SBATCH --uid=0\n#HQ --cpus=9"
	for _, e := range Engines {
		for where, change := range map[string]func(j *Job){
			"dir": func(j *Job) { j.Dir = evil }, "logs": func(j *Job) { j.Logs = evil },
			"command": func(j *Job) { j.Command = append(j.Command, evil) },
		} {
			j := job()
			if len(e.Needs) > 0 {
				j.Image, j.Claim = "x", "x"
			}
			change(&j)
			if text, err := e.Text(j); err == nil {
				t.Errorf("%s, %s:\n%s", e.Name, where, text)
			}
		}
	}
	for _, names := range [][3]string{{evil, "/", "/l"}, {"x", evil, "/l"}, {"x", "/", evil}} {
		if text, err := Script([]string{names[0]}, names[1], names[2]); err == nil {
			t.Errorf("the script that collects:\n%s", text)
		}
	}
}

// run runs the script of a job, whose command is a shell's, without an engine; requeue prints that it was asked to.
func runScript(t *testing.T, command string) (code int, out string) {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	j := job()
	j.Dir, j.Command = t.TempDir(), []string{"bash", "-c", command}
	cmd := exec.Command(shell, "-c", string(j.script("#X", nil, "", "echo requeued; exit 0")))
	b, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

// The script passes SIGUSR1 on and waits for the command, survives SIGTERM without passing it on, returns the command's
// exit code, and is run again only after 75.
func TestScriptsWaitForTheirCommand(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		code          int
		out           string
	}{
		{"done", "exit 0", 0, ""},
		{"failed", "exit 7", 7, ""},
		{"killed", "kill -9 $$", 137, ""},
		{"saved", "exit 75", 0, "requeued\n"},
		{"told", `trap 'echo told; exit 75' USR1; kill -USR1 $PPID; for i in $(seq 100); do sleep 0.1; done`, 0,
			"told\nrequeued\n"},
		{"terminated", `trap 'echo twice' TERM; kill -TERM $PPID; sleep 0.5; exit 143`, 143, ""},
	} {
		code, out := runScript(t, tt.command)
		if out = strings.ReplaceAll(out, "Killed\n", ""); code != tt.code || !strings.HasSuffix(out, tt.out) ||
			strings.Contains(out, "twice") {
			t.Errorf("%s: exit code %d, %q; want %d, %q", tt.name, code, out, tt.code, tt.out)
		}
	}
}

func TestIDsOfEngines(t *testing.T) {
	for engine, ids := range map[string]map[string]string{
		"slurm": {"17": "17", "17;cluster": "17", "": "", "sbatch: error": ""},
		"sge":   {"3.1-12:1": "3", "4": "4", "Your job 3": ""},
		"kubernetes": {"job.batch/attnconv-mine-1": "attnconv-mine-1",
			"mpijob.kubeflow.org/attnconv-mine-1-0\nmpijob.kubeflow.org/attnconv-mine-1-1": "mpijobs/attnconv-mine-1"},
		"hyperqueue": {"5": "5", "Job submitted": ""},
	} {
		for printed, want := range ids {
			if got := Engines.Find(engine).ID(printed); got != want {
				t.Errorf("%s: %q is job %q, want %q", engine, printed, got, want)
			}
		}
	}
}

// A task saves by its own clock before its engine tells it to, and both leave most of the limit to training.
func TestReserve(t *testing.T) {
	for _, limit := range []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 100 * time.Hour} {
		if n, r := Notice(limit), Reserve(limit); n >= r || r > limit/2 || r > MostReserve {
			t.Errorf("limit %v: told %v before, saves %v before", limit, n, r)
		}
	}
}

func TestName(t *testing.T) {
	for s, want := range map[string]string{"attnconv-mine-1": "attnconv-mine-1",
		"attnconv-20261121-0915": "attnconv-20261121-0915",
		"9 Lives!":               "lives", hostile: "srv-it-s-a-touch-no-home-x-y-a-z",
		strings.Repeat("a", 60): strings.Repeat("a", 50), "é": ""} {
		if got := Name(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
