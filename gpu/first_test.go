//go:build cgo && linux

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A firstRun is .ci/gpu/first in a folder that is packed for a test. The program is a script that may fail, the plugin
// is the fake one, and PyTorch, JAX and nvidia-smi print what a test needs.
type firstRun struct {
	t                   *testing.T
	pack, out, tmp, pid string   // pid is a file with the process of a program that hangs
	env                 []string // of first, which passes little of it on
}

// newFirst packs a program that does what the script says before it runs attnconv, or instead.
func newFirst(t *testing.T, script string) *firstRun {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil || testing.Short() {
		t.Skip("it needs python3, and a minute")
	}
	attnconv, err := exec.LookPath("attnconv") // this test program, by testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "it's a \"folder\"")
	f := &firstRun{t: t, pack: dir + "/pack", out: dir + "/out", tmp: dir + "/tmp", pid: dir + "/pid"}
	python := dir + "/python"
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	first, err := os.ReadFile("../.ci/gpu/first")
	if err != nil {
		t.Fatal(err)
	}
	write(f.pack+"/first", string(first))
	write(f.pack+"/attnconv.xz", "#!/bin/bash\npid='"+strings.ReplaceAll(f.pid, "'", `'\''`)+"'\nargs=(\"$@\")\n"+script+
		"\nexec "+attnconv+` "${args[@]/#paper*/smoke}"`+"\n")
	if err := exec.Command("python3", "-c", "import lzma, sys; p = sys.argv[1]; b = open(p, 'rb').read(); "+
		"lzma.open(p, 'wb').write(b)", f.pack+"/attnconv.xz").Run(); err != nil {
		t.Fatal(err)
	}
	write(f.pack+"/commit", "abc\n")
	write(f.pack+"/bench.py", `print('{"step_s": 0.05}')`)
	write(f.pack+"/plan.json", `[{"study": "control-full", "trial": "search-me", "args": []},
{"study": "zoo", "trial": "b", "args": []},
{"study": "control-full", "trial": "smoke-seed0", "args": ["--preset", "smoke", "--data", "shapes32", "--epochs", "2",
 "--limit-train-batches", "3", "--limit-val-batches", "1", "--seed", "0"]},
{"study": "control-full", "trial": "smoke-seed1", "args": ["--preset", "smoke", "--data", "shapes32", "--epochs", "1",
 "--limit-train-batches", "3", "--limit-val-batches", "1", "--seed", "1"]}]`)
	write(python+"/jax/__init__.py", "devices = lambda: ['CudaDevice(id=0)']")
	write(dir+"/bin/nvidia-smi", "#!/bin/sh\necho \"\033[31mH100, 80 GB, 580\"\n")
	for _, d := range []string{f.out, f.tmp} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	f.env = []string{"PATH=" + dir + "/bin:" + os.Getenv("PATH"), "PYTHONPATH=" + python, "TMPDIR=" + f.tmp,
		"ATTNCONV_DEVICE=cpu", "XLA_FLAGS=--none", "PYTHONSTARTUP=/none", "BASH_ENV=/none", "LC_ALL=xx", "NVIDIA_TF32_OVERRIDE=1"}
	return f
}

// withPlugin installs the fake plugin where JAX has its own.
func (f *firstRun) withPlugin() *firstRun {
	folder := filepath.Dir(f.pack) + "/python/jax_plugins/xla_cuda13"
	if err := os.MkdirAll(folder, 0o777); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(fakePlugin(f.t), folder+"/xla_cuda_plugin.so"); err != nil {
		f.t.Fatal(err)
	}
	return f
}

// start begins it. What it says is in the buffer once it has ended.
func (f *firstRun) start(seconds string) (*exec.Cmd, *bytes.Buffer) {
	f.t.Helper()
	said := new(bytes.Buffer)
	cmd := exec.Command(f.pack+"/first", "--seconds", seconds, f.out)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = f.env, "/", said, said
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, said
}

// run runs it, and returns its exit code and what it said.
func (f *firstRun) run(seconds string) (code int, said string) {
	f.t.Helper()
	begin := time.Now()
	cmd, buffer := f.start(seconds)
	cmd.Wait()
	if limit, _ := strconv.ParseFloat(seconds, 64); time.Since(begin).Seconds() > limit {
		f.t.Errorf("it took %v, more than %s s", time.Since(begin), seconds)
	}
	if strings.Contains(buffer.String(), "\033") {
		f.t.Errorf("control characters reached the terminal: %q", buffer)
	}
	return cmd.ProcessState.ExitCode(), buffer.String()
}

// await waits ten seconds for a condition.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no sign in time: %s", what)
		}
	}
}

// pids are the processes of programs that hang.
func (f *firstRun) pids() []string {
	b, _ := os.ReadFile(f.pid)
	return strings.Fields(string(b))
}

// gone waits until all of them have ended.
func (f *firstRun) gone() {
	f.t.Helper()
	for _, pid := range f.pids() {
		await(f.t, "the end of process "+pid, func() bool {
			b, err := os.ReadFile("/proc/" + pid + "/stat")
			return err != nil || bytes.Contains(b, []byte(") Z "))
		})
	}
}

// archives returns the files of each archive, which begins with the summary and has at most 16 MB.
func (f *firstRun) archives() (all []map[string]string) {
	f.t.Helper()
	await(f.t, "an empty folder of temporary files", func() bool {
		left, _ := filepath.Glob(f.tmp + "/*")
		return len(left) == 0
	})
	paths, _ := filepath.Glob(f.out + "/*")
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.t.Fatal(err)
		}
		if len(b) > 16_000_000 {
			f.t.Errorf("%s has %d bytes", path, len(b))
		}
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			f.t.Fatal(err)
		}
		files := map[string]string{}
		for r := tar.NewReader(z); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				f.t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				f.t.Fatal(err)
			}
			_, name, _ := strings.Cut(h.Name, "/")
			if (name == "summary.txt") != (len(files) == 0) {
				f.t.Errorf("%s is entry %d", name, len(files))
			}
			files[name] = string(text)
		}
		all = append(all, files)
	}
	return all
}

// match reports the patterns that a text lacks.
func match(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(text) {
			t.Errorf("no %q in:\n%s", p, text)
		}
	}
}

// The fake plugin's numbers are made up, so the two comparisons with the CPU fail, and only these.
func TestFirst(t *testing.T) {
	f := newFirst(t, "").withPlugin()
	code, said := f.run("540")
	files := f.archives()[0]
	summary := files["summary.txt"]
	if code != 1 || !strings.Contains(said, summary[strings.Index(summary, "\nPASS"):]) { // before that are seconds
		t.Errorf("exit code %d, and\n%s", code, said)
	}
	match(t, summary, `4 of 6 steps passed`, `^program  abc$`, `^machine  +\[31mH100, 80 GB, 580; `, `^PASS  find `,
		`^FAIL  doctor .* attempt 1, with nothing set: parity: relative`, `^FAIL  parity .* after ten steps, tiny: losses differ`,
		`^PASS  resume .* weights after a kill are the same bytes \(--xla_gpu`, `^PASS  speed .* 36 measured`,
		`^paper/content      bfloat16  +\d+\.\d\d     50\.00     50\.00 `, `^PASS  study .* 2 runs finished, 0 did not, 0 did not begin$`,
		`^control-full-gpu/smoke-seed0: 2 epochs, .* of the validation images$`)
	match(t, files["results/control-full-gpu-smoke-seed0.json"], `"study": "control-full-gpu"`, `"program": "abc"`, `"gpu": ".*H100`,
		`"train_loss"`, `"right"`, `"centers"`)
	match(t, files["results/bench.json"], `"precision": "tf32", "who": "compiled"`)
	if files["weights/smoke-seed0.ckpt"] == "" {
		t.Error("no weights")
	}
}

// hang has doctor hang, with a child, and deaf to SIGTERM.
const hang = `if [ "$1" = doctor ]; then
	trap '' TERM; sleep 1000 & echo $! $$ >>"$pid"; while :; do sleep 1; done
fi
`

// A step that hangs, a program that fails, no plugin, and checkpoints that are too large for the archive: no step stops
// those after it. Two at once are apart.
func TestFirstWhenStepsFail(t *testing.T) {
	f := newFirst(t, hang+`case "$*" in
*smoke-seed*) for a; do [ "${b:-}" != --out ] || out=$a; b=$a; done; mkdir -p "$out/checkpoints"
	head -c 17000000 /dev/zero >"$out/checkpoints/epoch-001.ckpt"; echo '{"best_epoch": 1}' >"$out/summary.json"; exit ;;
*) echo error: no luck >&2; exit 3 ;;
esac`)
	other, _ := f.start("45")
	code, said := f.run("45")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	other.Wait()
	match(t, said, `^FAIL  find .*31mH100, 80 GB, 580; no plugin of JAX`)
	all := f.archives()
	if len(all) != 2 {
		t.Fatalf("%d archives, want 2", len(all))
	}
	for _, files := range all {
		match(t, files["summary.txt"], `^FAIL  doctor .* its time was over`, `^FAIL  parity .* error: no luck`,
			`^FAIL  resume .* error: no luck`, `^FAIL  speed .* 24 measured; 12 failed`, `^PASS  study .* 2 runs finished`,
			`^left out of the archive: weights/smoke-seed0.ckpt, weights/smoke-seed1.ckpt$`)
	}
	f.gone()
}

// A signal ends the programs too, and the archive has what was known. After SIGKILL the programs end all the same.
func TestFirstSignals(t *testing.T) {
	for _, number := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		f := newFirst(t, hang)
		cmd, _ := f.start("540")
		await(t, "doctor hangs", func() bool { return len(f.pids()) == 2 })
		cmd.Process.Signal(number)
		cmd.Wait()
		f.gone()
		all := f.archives()
		if len(all) != 1 {
			t.Fatalf("%v: %d archives, want 1", number, len(all))
		}
		match(t, all[0]["summary.txt"], `^FAIL  find `, `^----  parity          not reached$`)
		if number == syscall.SIGTERM {
			if code := cmd.ProcessState.ExitCode(); code != 128+15 {
				t.Errorf("exit code %d, want 143", code)
			}
			match(t, all[0]["summary.txt"], `^LATE  doctor .* this script was told to end$`)
		}
	}
}

// Without room for its work every step fails and says why; without room for the archive the summary is on the terminal.
func TestFirstOnAFullDisk(t *testing.T) {
	for _, full := range []string{"work", "archive"} {
		f := newFirst(t, "exit 3")
		disk := map[string]string{"work": f.tmp, "archive": f.out}[full]
		if err := syscall.Mount("none", disk, "tmpfs", 0, "size=64k"); err != nil {
			t.Skipf("a small disk cannot be mounted: %v", err)
		}
		t.Cleanup(func() { syscall.Unmount(disk, 0) })
		if full == "archive" {
			os.WriteFile(disk+"/full", make([]byte, 1<<20), 0o666) // as much as fits
		}
		code, said := f.run("30")
		if code != 1 {
			t.Errorf("%s: exit code %d", full, code)
		}
		match(t, said, `^attnconv on a GPU, .* of 6 steps`, `^FAIL  doctor `, `^FAIL  study `)
		if full == "archive" {
			match(t, said, `^the archive could not be written: .*No space left`, `^no archive$`)
		}
	}
}

// A folder that cannot be written to is an error at once, not after nine minutes.
func TestFirstWithoutAFolder(t *testing.T) {
	f := newFirst(t, "")
	f.out += "/none"
	if code, said := f.run("30"); code != 1 || !strings.Contains(said, "no folder that can be written to") {
		t.Errorf("exit code %d, and %s", code, said)
	}
}
