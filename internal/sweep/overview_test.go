package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/sweep/engine"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/train"
)

// dead makes trial i that of a process that was killed: run.json still says running.
func dead(t *testing.T, p *Plan, i int) {
	t.Helper()
	text := `{"format":1,"id":"k3f9","state":"running","pid":1,"machine":"x","heartbeat":"2020-01-01T00:00:00Z"}`
	writeRun(t, p, i, text)
}

// Each state of an overview, from only files. Without the job or the attempt that the state is read from, it is
// another.
func TestOverview(t *testing.T) {
	p := planned(t, 12)
	end(t, p, 1, event.Done)
	end(t, p, 2, event.Stopped)
	end(t, p, 3, event.Failed)
	dead(t, p, 4)
	p.Begin(5, "", "").End(t.Context(), Waiting, false, errors.New("no data"))
	p.Begin(6, "", "")
	p.Begin(7, "", "")
	old := Attempt{Format: Format, Began: time.Now().Add(-2 * starting)}
	if err := p.noteAttempt(7, old); err != nil {
		t.Fatal(err)
	}
	end(t, p, 9, event.Stopped)
	p.Begin(9, "", "").end(attemptRequeue, "")
	end(t, p, 10, event.Failed)
	p.Begin(10, "", "").End(t.Context(), Waiting, false, errors.New("before the retry"))
	write := func(name, trials string, created time.Time) {
		text := `{"format":1,"engine":"slurm","id":"17","pack":1,"trials":"` + trials + `","created":"` +
			created.UTC().Format(time.RFC3339Nano) + `"}`
		if err := errors.Join(os.MkdirAll(filepath.Join(p.Path, "jobs"), 0o777),
			os.WriteFile(filepath.Join(p.Path, "jobs", name), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("001.json", "8-9", time.Now().Add(-time.Hour))
	write("002.json", "10", time.Now().Add(time.Minute))
	write("003.json~", "11", time.Now()) // no job: an editor's copy
	o, err := p.Overview()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		Waiting,
		event.Done,
		event.Stopped,
		event.Failed,
		Lost,
		event.Failed,
		event.Running,
		Lost,
		Queued,
		Queued,
		Queued,
		Waiting,
	}
	if !slices.Equal(o.States, want) {
		t.Errorf("states\n%v, want\n%v", o.States, want)
	}
	for what, lists := range map[string][2][]int{
		"retry":             {o.Retry(false), {3, 4, 5, 7}},
		"retry of stopped":  {o.Retry(true), {2, 3, 4, 5, 7}},
		"idle":              {o.Idle(false), {0, 2, 3, 4, 5, 7, 11}},
		"idle, with queued": {o.Idle(true), {0, 2, 3, 4, 5, 7, 8, 9, 10, 11}},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: %v, want %v", what, lists[0], lists[1])
		}
	}
	d := o.Document()
	if len(d.Problems) != 4 || d.Problems[2].Error != "no data" || d.Left != 11 || len(d.Running) != 1 {
		t.Errorf("%+v", d)
	}
}

// A worker notes why a trial failed and that its task is to run again; a finished trial leaves no note.
func TestWorkerNotesAttempts(t *testing.T) {
	p := planned(t, 3)
	ctx, cancel := context.WithCancelCause(t.Context())
	w := Worker{Plan: p, Trials: []int{0, 1, 2}, Task: "job 17", Train: func(_ context.Context, i int, _ bool,
		_ int) error {
		switch i {
		case 0:
			end(t, p, 0, event.Done)
			return nil
		case 1:
			return errors.New(strings.Repeat("x", 5000))
		}
		end(t, p, 2, event.Stopped)
		cancel(ErrLimit)
		return train.ErrStopped
	}}
	if _, err := w.Run(ctx); !errors.Is(err, train.ErrStopped) {
		t.Error(err)
	}
	if a := p.Attempt(0); a != nil {
		t.Errorf("the attempt that finished its trial is still noted: %+v", a)
	}
	if a := p.Attempt(1); a == nil || a.Outcome != attemptFailed || len(a.Error) != longestError || a.Task != "job 17" {
		t.Errorf("of a failure: %+v", a)
	}
	if a := p.Attempt(2); a == nil || a.Outcome != attemptRequeue || a.Ended.IsZero() {
		t.Errorf("of a limit: %+v", a)
	}
}

// The end of an attempt tells a failure from a signal, a limit and another process's work.
func TestAttemptsEnd(t *testing.T) {
	p := planned(t, 1)
	signaled, stop := context.WithCancel(t.Context())
	stop()
	limited, limit := context.WithCancelCause(t.Context())
	limit(ErrLimit)
	for name, tt := range map[string]struct {
		ctx   context.Context
		state string
		err   error
		want  string
	}{
		"failed":           {t.Context(), event.Failed, errors.New("no data"), attemptFailed},
		"signaled":         {signaled, event.Stopped, train.ErrStopped, attemptStopped},
		"limited":          {limited, event.Stopped, train.ErrStopped, attemptRequeue},
		"trained by other": {t.Context(), event.Running, fmt.Errorf("it is: %w", &run.BusyError{}), ""},
		"own budget":       {t.Context(), event.Stopped, nil, ""},
	} {
		p.Begin(0, "", "").End(tt.ctx, tt.state, false, tt.err)
		if p.Attempt(0) == nil || p.Attempt(0).Outcome != tt.want {
			t.Errorf("%s: %+v, want %q", name, p.Attempt(0), tt.want)
		}
	}
	if p.Begin(0, "", "").End(limited, event.Diverged, true, errors.New("NaN")); p.Attempt(0) != nil {
		t.Errorf("a finished trial keeps its note: %+v", p.Attempt(0))
	}
}

// A worker of some trials leaves the others as they are.
func TestWorkerOfSomeTrials(t *testing.T) {
	p := planned(t, 4)
	var trained []int
	w := Worker{Plan: p, Trials: []int{1, 3}, Train: func(_ context.Context, i int, _ bool, _ int) error {
		trained = append(trained, i)
		end(t, p, i, event.Done)
		return nil
	}}
	if o, err := w.Run(t.Context()); err != nil || o.Done != 2 || !slices.Equal(trained, []int{1, 3}) {
		t.Errorf("%v: %+v, %v", trained, o, err)
	}
}

func TestTrialsAsRanges(t *testing.T) {
	for text, trials := range map[string][]int{"0": {0}, "0-3,7": {0, 1, 2, 3, 7}, "1,3,5-9": {1, 3, 5, 6, 7, 8, 9}} {
		got, err := ParseTrials(text, 10)
		if err != nil || !slices.Equal(got, trials) || FormatTrials(trials) != text {
			t.Errorf("%s is %v, %v; and back %s", text, got, err, FormatTrials(trials))
		}
	}
	for _, text := range []string{"", "10", "3-1", "2,2", "0-3,2", "-1", "0-", "a", "0-999999999999999999999", "1 ,2"} {
		if got, err := ParseTrials(text, 10); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// Every trial is in one task, whatever the pack.
func TestPacks(t *testing.T) {
	trials := []int{2, 3, 5, 7, 11}
	for pack := 1; pack < 8; pack++ {
		var all []int
		for i := range Tasks(trials, pack) {
			all = append(all, PackOf(trials, pack, i)...)
		}
		if !slices.Equal(all, trials) {
			t.Errorf("packs of %d: %v", pack, all)
		}
	}
}

func TestDeadlineOfTheEngine(t *testing.T) {
	of := func(env map[string]string) (time.Time, bool) {
		return Deadline(func(name string) string { return env[name] })
	}
	if at, ok := of(map[string]string{"SLURM_JOB_END_TIME": "10060", "SLURM_JOB_START_TIME": "10000"}); !ok ||
		at.Unix() != 10040 {
		t.Errorf("of a minute: %v, %v", at.Unix(), ok)
	}
	if at, ok := of(map[string]string{"SLURM_JOB_END_TIME": "10000"}); !ok || at.Unix() != 10000-180 {
		t.Errorf("without a start: %v, %v", at.Unix(), ok)
	}
	for _, start := range []string{"0", "-9223372036854775808", "9223372036854775807", "x"} { // overflows nothing
		env := map[string]string{"SLURM_JOB_END_TIME": "1099511627775", "SLURM_JOB_START_TIME": start}
		if at, ok := of(env); !ok || at.Unix() != 1<<40-1-180 {
			t.Errorf("from %s: %v, %v", start, at.Unix(), ok)
		}
	}
	for _, text := range []string{"", "0", "-1", "never", "1099511627776", "9223372036854775807", "99999999999999999999"} {
		if at, ok := of(map[string]string{"SLURM_JOB_END_TIME": text}); ok {
			t.Errorf("%q: %v", text, at)
		}
	}
}

// scheduler puts a program into the PATH that answers as sbatch does, after a while, and counts its calls.
func scheduler(t *testing.T, answer string) (calls func() int) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\necho x >>" + filepath.Join(dir, "calls") + "\nsleep 0.2\n" + answer + "\n"
	if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() int {
		b, _ := os.ReadFile(filepath.Join(dir, "calls"))
		return len(b) / 2
	}
}

func request(t *testing.T) Request {
	return Request{Engine: engine.Engines.Find("slurm"), Program: "/opt/attnconv", Dir: t.TempDir(), Cores: 1,
		Memory: 1 << 30}
}

// Of two submits at once one submits all runs, and the other finds nothing left.
func TestTwoSubmitsAtOnce(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh here")
	}
	p, r := planned(t, 4), request(t)
	calls := scheduler(t, "echo 17")
	var both sync.WaitGroup
	errs := make([]error, 2)
	for k := range errs {
		both.Go(func() {
			_, errs[k] = p.Submit(r, func(o *Overview) []int { return o.Idle(false) })
		})
	}
	both.Wait()
	if errors.Is(errs[0], ErrNothing) == errors.Is(errs[1], ErrNothing) || errs[0] != nil && errs[1] != nil ||
		calls() != 1 {
		t.Errorf("%v, %v; %d calls", errs[0], errs[1], calls())
	}
	jobs, err := p.Submissions()
	if err != nil || len(jobs) != 1 || jobs[0].ID != "17" || jobs[0].Trials != "0-3" {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// A job that the engine refuses leaves no record, so that its runs are not taken to be queued.
func TestRefusedJobIsNotRecorded(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh here")
	}
	p, r := planned(t, 2), request(t)
	scheduler(t, "echo 'sbatch: error: invalid partition' >&2; exit 1")
	var refused *engine.SubmitError
	if _, err := p.Submit(r, func(o *Overview) []int { return o.Idle(false) }); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "invalid partition") {
		t.Error(err)
	}
	if jobs, err := p.Submissions(); err != nil || len(jobs) != 0 {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// Time and memory are the plan's with the margin; a task of two runs needs twice the time, half the cores twice as
// well.
func TestWhatAJobAsksFor(t *testing.T) {
	p := planned(t, 4)
	p.Cores = 4
	for i := range p.Trials {
		p.Trials[i].ETA, p.Trials[i].Memory = 600, 1<<30
	}
	r := request(t)
	r.Pack, r.Cores, r.Memory = 2, 2, 0
	job, err := p.Render(p.All(), r, "x")
	if err != nil || job.Needs != 40*time.Minute || job.TimeS != 65*60 || job.Memory != 3<<29 ||
		!strings.Contains(string(job.Text), "--time-budget 1h2m0s") {
		t.Errorf("needs %v, asks for %d s and %d bytes, %v", job.Needs, job.TimeS, job.Memory, err)
	}
	p.Trials[0].Memory, p.Trials[1].Memory, p.Trials[2].Memory, p.Trials[3].Memory = 0, 0, 0, 0
	if _, err := p.Render(p.All(), r, "x"); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("a plan without memory: %v", err)
	}
}

// A foreign plan of any size is refused by its field: no product overflows into a job that looks sound.
func TestWhatAForeignPlanAsksFor(t *testing.T) {
	for want, change := range map[string]func(trial *Trial, r *Request){
		"time":   func(trial *Trial, r *Request) { trial.ETA = 1e308 },
		"memory": func(trial *Trial, r *Request) { trial.Memory = math.MaxInt64 },
		"cores":  func(trial *Trial, r *Request) { r.Cores, r.Ranks = math.MaxInt, 2 },
	} {
		p, r := planned(t, 1), request(t)
		p.Trials[0].ETA, p.Trials[0].Memory, r.Memory, r.Time, r.Pack = 600, 1<<30, 0, 0, math.MaxInt
		change(&p.Trials[0], &r)
		var wrong *option.Error
		if _, err := p.Render(p.All(), r, "x"); !errors.As(err, &wrong) || wrong.Key != want {
			t.Errorf("%v, want an error of %s", err, want)
		}
	}
}

// The newest job is the last one that was submitted.
func TestNewest(t *testing.T) {
	if job := (&Overview{}).Newest(); job != nil {
		t.Errorf("no job: %+v", job)
	}
	for n := 1; n <= 2; n++ {
		o := Overview{Jobs: make([]Submission, n)}
		if o.Newest() != &o.Jobs[n-1] {
			t.Errorf("of %d jobs, the newest is not the last", n)
		}
	}
}

// A run needs the memory of its graphs, of all images of its set, and of the process.
func TestMemoryOfARun(t *testing.T) {
	r, err := configs.Resolve(configs.Sources{Set: []string{"preset=smoke", "data.name=shapes32"}},
		func(name string) (string, error) { return name, nil })
	if err != nil {
		t.Fatal(err)
	}
	set, err := sets.Open(r.Run.Data, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(session.Options{Settings: r.Run, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := (&timer{}).measure(t.Context(), r, set)
	images := int64(len(set.Train.Pixels) + len(set.Val.Pixels) + len(set.Test.Pixels))
	if want := s.Plan().Memory + images + runtimeBytes; err != nil || p.memory != want {
		t.Errorf("%d bytes (%v), want %d, of which %d are images", p.memory, err, want, images)
	}
}
