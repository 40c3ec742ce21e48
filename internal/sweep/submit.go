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
	"github.com/attnconv/attnconv/internal/sweep/engine"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
)

// A Request says how to submit trials to an engine. What is zero is taken from the plan.
type Request struct {
	Engine  *engine.Engine
	Program string   // path of attnconv, or of a program whose main calls cmd.Main
	Args    []string // global flags of the program
	RunArgs []string // flags of sweep run: --device cpu
	Dir     string   // where it runs; an absolute path
	Pack    int      // trials of a task, one after the other; 0: 1

	Time   time.Duration // limit of a task; 0: Margin times the plan's estimate, and MarginTime
	Memory int64         // bytes of a task, or of each of its ranks; 0: Margin times the plan's estimate
	Cores  int           // likewise; 0: those of the planning machine

	engine.Options
	Collect bool // submit a job that collects afterwards, too
}

// A Submission is jobs/001.json: trials that were submitted to an engine.
type Submission struct {
	Format  int       `json:"format"`            // version of the file: 1
	Engine  string    `json:"engine"`            // its name
	ID      string    `json:"id"`                // that the engine gave; "": not yet
	Collect string    `json:"collect,omitempty"` // id of the job that collects
	Created time.Time `json:"created"`           // RFC 3339
	Trials  string    `json:"trials"`            // as ranges: 0-3,7
	Pack    int       `json:"pack"`              // trials of a task
	TimeS   int       `json:"time_s"`            // limit of a task
	Memory  int64     `json:"memory_b"`          // of a task, or of each of its ranks
	Cores   int       `json:"cores"`             // likewise

	engine.Options

	Path   string `json:"-"` // of the file
	Script string `json:"-"` // path of what was submitted
	trials []int
}

// Document returns the submission as part of a JSON document.
func (s Submission) Document() Job {
	return Job{Engine: s.Engine, ID: s.ID, Collect: s.Collect, Runs: s.Trials, Tasks: Tasks(s.trials, s.Pack),
		Pack:  s.Pack,
		TimeS: s.TimeS, Memory: s.Memory, Cores: s.Cores, Script: s.Script, Created: s.Created.Format(time.RFC3339)}
}

// Runs is the number of trials.
func (s Submission) Runs() int { return len(s.trials) }

// Request returns what was asked for, without what Program, Args and Dir say of the machine.
func (s Submission) Request() Request {
	return Request{Engine: engine.Engines.Find(s.Engine), Pack: s.Pack, Time: seconds(float64(s.TimeS)),
		Memory: s.Memory,
		Cores:  s.Cores, Options: s.Options, Collect: s.Collect != ""}
}

// Submissions reads the jobs of the sweep, the oldest first.
func (p *Plan) Submissions() (all []Submission, err error) {
	list, err := os.ReadDir(filepath.Join(p.Path, jobsFolder)) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		stem, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON || stem == "" || strings.Trim(stem, "0123456789") != "" {
			continue
		}
		file := filepath.Join(p.Path, jobsFolder, e.Name())
		b, err := run.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if len(b) == 0 { // another process is submitting it
			continue
		}
		s, err := p.parseSubmission(b)
		if err != nil {
			return nil, &run.CorruptError{Path: file, Reason: err.Error()}
		}
		s.Path = file
		if e := engine.Engines.Find(s.Engine); e != nil {
			s.Script = filepath.Join(p.Path, jobsFolder, stem+e.Suffix)
		}
		all = append(all, s)
	}
	return all, nil
}

func (p *Plan) parseSubmission(b []byte) (s Submission, err error) {
	if err := json.Unmarshal(b, &s); err != nil {
		return s, err
	}
	if s.Format != Format {
		return s, fmt.Errorf("format %d; this is format %d", s.Format, Format)
	}
	if s.Pack < 1 {
		return s, fmt.Errorf("pack %d: want at least 1", s.Pack)
	}
	s.trials, err = ParseTrials(s.Trials, len(p.Trials))
	return s, err
}

// Margins of what is asked for, over the plan's estimate: other machines are slower, and busy; the first and the last
// minutes of a run are no steps.
const (
	Margin     = 1.5 // of time and memory
	MarginTime = 5 * time.Minute
)

// JobScript is a job's text, with what it asks for.
type JobScript struct {
	Submission
	Text  []byte
	Needs time.Duration // estimated time of the longest task, without margin
	job   engine.Job
}

// Render returns the job array of trials. The error is an *option.Error.
func (p *Plan) Render(trials []int, r Request, name string) (*JobScript, error) {
	if r.Engine == nil || len(trials) == 0 {
		return nil, errors.New("a job needs an engine and trials")
	}
	r.Pack = max(1, r.Pack)
	needs, err := p.ask(trials, &r)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(p.Path)
	if err != nil {
		return nil, err
	}
	if inside, err := filepath.Rel(r.Dir, path); r.Claim != "" && (err != nil || !filepath.IsLocal(inside)) {
		return nil, option.Errorf("claim", "%s: it is mounted at %s, and the sweep is outside, in %s", r.Claim, r.Dir,
			path)
	}
	command := append([]string{r.Program, "--threads", fmt.Sprint(r.Cores)}, r.Args...)
	command = append(append(command, "sweep", "run", path), r.RunArgs...)
	command = append(command, "--task", "env", "--trials", FormatTrials(trials), "--pack", fmt.Sprint(r.Pack),
		"--time-budget", fmt.Sprint(r.Time-engine.Reserve(r.Time)))
	if r.Ranks > 0 {
		command = append(command, "--ranks", fmt.Sprint(r.Ranks))
	}
	s := Submission{Format: Format, Engine: r.Engine.Name, Created: time.Now().UTC(), Trials: FormatTrials(trials),
		Pack:  r.Pack,
		TimeS: int(r.Time / time.Second), Memory: r.Memory, Cores: r.Cores, Options: r.Options, trials: trials}
	job := engine.Job{
		Name: name, About: fmt.Sprintf("%d runs of a sweep, %d a task", len(trials), r.Pack), Command: command,
		Dir:  r.Dir,
		Logs: filepath.Join(path, jobsFolder), Tasks: Tasks(trials, r.Pack), Time: r.Time, Memory: r.Memory,
		Cores: r.Cores, Options: r.Options,
	}
	text, err := r.Engine.Text(job)
	return &JobScript{s, text, needs, job}, err
}

// ask fills in what r leaves to the plan, and returns the estimated time of the longest task. On fewer cores, those of
// all ranks together, a step is taken to be slower in proportion; on more, not to be faster.
func (p *Plan) ask(trials []int, r *Request) (needs time.Duration, err error) {
	if r.Cores == 0 {
		r.Cores = max(1, p.Cores)
	}
	slower := max(1, float64(p.Cores)/(float64(r.Cores)*float64(max(1, r.Ranks))))
	longest, memory := 0.0, int64(0)
	for i := range Tasks(trials, r.Pack) {
		task := 0.0
		for _, k := range PackOf(trials, r.Pack, i) {
			task += p.Trials[k].ETA * slower
			memory = max(memory, p.Trials[k].Memory)
		}
		longest = max(longest, task)
	}
	needs = seconds(longest)
	if r.Time == 0 {
		r.Time = seconds(Margin*longest) + MarginTime
	}
	if r.Time < engine.MostTime { // more is refused
		r.Time = (r.Time + time.Minute - 1).Truncate(time.Minute)
	}
	switch {
	case r.Memory > 0:
	case memory == 0:
		return 0, option.Errorf("memory",
			"is missing: the plan was written by an earlier version, which did not measure it")
	default:
		r.Memory = int64(Margin * float64(min(memory, engine.MostMemory)))
	}
	return needs, nil
}

// JobName is the name of the sweep's next job.
func (p *Plan) JobName(number int) string {
	stem := engine.Name("attnconv-" + filepath.Base(p.Path))
	return engine.Name(fmt.Sprintf("%s-%d", strings.TrimRight(stem[:min(len(stem), 36)], "-"), number))
}

// ErrNothing is the error of Submit if no trial is to be submitted.
var ErrNothing = errors.New("no run is left to submit")

// patience is how long Submit waits for another process that submits runs of the same sweep.
const patience = time.Minute

// Submit submits the trials that pick chooses. Of several processes that submit, one at a time picks, and sees what the
// others have submitted. The error is ErrNothing, an *option.Error, an *engine.MissingError or an *engine.SubmitError;
// with the last, the job may be submitted and only the one that collects be missing: then it is returned as well.
func (p *Plan) Submit(r Request, pick func(*Overview) []int) (*JobScript, error) {
	folder, err := p.jobs()
	if err != nil {
		return nil, err
	}
	lock, err := p.acquire(filepath.Join(jobsFolder, ".lock"))
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	trials, _, err := p.pick(pick)
	if err != nil {
		return nil, err
	}
	stem, number, err := p.reserve()
	if err != nil {
		return nil, err
	}
	job, err := p.Render(trials, r, p.JobName(number))
	if err == nil { // a job that no machine could submit is refused as such wherever that is tried
		err = r.Engine.Here()
	}
	if err == nil {
		err = p.send(job, r, folder, stem)
	}
	if err != nil && (job == nil || job.ID == "") {
		p.folder().Remove(filepath.Join(jobsFolder, stem+".json")) // made by reserve
		return nil, err
	}
	return job, err
}

// Preview returns the job that Submit would submit, and submits nothing.
func (p *Plan) Preview(r Request, pick func(*Overview) []int) (*JobScript, error) {
	trials, jobs, err := p.pick(pick)
	if err != nil {
		return nil, err
	}
	if _, err := p.jobs(); err != nil { // gets the logs
		return nil, err
	}
	return p.Render(trials, r, p.JobName(jobs+1))
}

// pick returns the trials that pick chooses of the sweep as it is now, and the number of its jobs. The error is
// ErrNothing if none is chosen.
func (p *Plan) pick(pick func(*Overview) []int) (trials []int, jobs int, err error) {
	o, err := p.Overview()
	if err != nil {
		return nil, 0, err
	}
	if trials = pick(o); len(trials) == 0 {
		return nil, 0, ErrNothing
	}
	return trials, len(o.Jobs), nil
}

// jobs makes the folder of the sweep's jobs, and returns its absolute path.
func (p *Plan) jobs() (string, error) {
	folder, err := filepath.Abs(filepath.Join(p.Path, jobsFolder))
	if err == nil {
		err = p.folder().MkdirAll(jobsFolder)
	}
	return folder, err
}

// acquire takes the lock of a sweep's jobs; nil where the file system has no locks: there, two submits at once may
// submit a trial twice, of which the run's own lock or heartbeat lets one train.
func (p *Plan) acquire(name string) (*disk.Lock, error) {
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		lock, err := p.folder().Acquire(name)
		switch {
		case err == nil:
			return lock, nil
		case errors.Is(err, disk.ErrNoLocks):
			return nil, nil
		case !errors.Is(err, disk.ErrHeld):
			return nil, err
		case time.Since(begin) > patience:
			return nil, fmt.Errorf("another process is submitting runs of this sweep: it holds %s",
				p.folder().Path(name))
		}
	}
}

// reserve makes the empty file of the next job and returns its name without .json.
func (p *Plan) reserve() (stem string, number int, err error) {
	for number = 1; ; number++ {
		stem = fmt.Sprintf("%03d", number)
		f, err := p.folder().OpenFile(filepath.Join(jobsFolder, stem+".json"), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if err == nil {
			return stem, number, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", 0, err
		}
	}
}

// send writes the job's script, submits it, and records its id.
func (p *Plan) send(job *JobScript, r Request, folder, stem string) (err error) {
	write := func(ending string, b []byte) error {
		return p.folder().Replace(filepath.Join(jobsFolder, stem+ending), disk.Bytes(b))
	}
	job.Script = filepath.Join(folder, stem+r.Engine.Suffix)
	if err := write(r.Engine.Suffix, job.Text); err != nil {
		return err
	}
	if job.ID, err = r.Engine.Call(r.Engine.Submit(job.Script)); err != nil {
		return err
	}
	record := func() error {
		b, err := json.MarshalIndent(job.Submission, "", "  ")
		if err != nil {
			return err
		}
		return write(".json", append(b, '\n'))
	}
	if err := record(); err != nil || !r.Collect || r.Engine.After == nil {
		return err
	}
	script, err := p.collector(r, filepath.Join(folder, stem))
	if err == nil {
		err = write("-collect.sh", script)
	}
	if err != nil {
		return err
	}
	collect := filepath.Join(folder, stem+"-collect.sh")
	if job.Collect, err = r.Engine.Call(r.Engine.After(job.job, job.ID, collect)); err != nil {
		return fmt.Errorf("job %s is submitted; the one that collects its runs is not: %w", job.ID, err)
	}
	return record()
}

// collector returns the script of the job that collects after the one of stem.
func (p *Plan) collector(r Request, stem string) ([]byte, error) {
	path := filepath.Dir(filepath.Dir(stem))
	command := append([]string{r.Program}, r.Args...)
	command = append(command, "sweep", "collect", path, "-o", filepath.Join(path, "collected.csv"), "--force")
	return engine.Script(command, r.Dir, stem+"-collect.log")
}

// Newest returns the newest job of the sweep; nil: there is none.
func (o *Overview) Newest() *Submission {
	if len(o.Jobs) == 0 {
		return nil
	}
	return &o.Jobs[len(o.Jobs)-1]
}
