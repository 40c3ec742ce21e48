package progress

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/run/event"
)

// scene is a terminal of some width, and a clock that the test moves.
type scene struct {
	out   bytes.Buffer
	width int
	env   map[string]string
	time  time.Time
	*Progress
}

func newScene(t *testing.T, mode string, width int, env map[string]string) *scene {
	t.Helper()
	s := &scene{width: width, env: env, time: time.Date(2026, 11, 20, 23, 22, 58, 112e6, time.UTC)}
	p, err := New(Config{
		Mode: mode, Out: &s.out, Width: func() int { return s.width },
		Getenv: func(name string) string { return s.env[name] }, Now: func() time.Time { return s.time },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Progress = p
	return s
}

func (s *scene) play(events ...event.Event) {
	for _, e := range events {
		s.Event(event.Record{Time: s.time, Event: e})
		s.time = s.time.Add(time.Second)
	}
}

// The values of the mock-up in the interface's description.
var (
	start = event.Start{Steps: 6750, Epochs: 15}
	step  = event.Step{
		Step: 1061, Steps: 6750, Epoch: 3, EpochStep: 161, EpochSteps: 450, Loss: 1.7213, Acc: 0.3822, LR: 0.0991,
		ImgS: 203, StepS: 0.493, ETA: 2805, Elapsed: 523,
	}
	unsure = event.Step{
		Step: 1, Steps: 6750, Epoch: 1, EpochStep: 1, EpochSteps: 450, Loss: math.NaN(), LR: 1.2e-6, ETA: math.NaN(),
	}
	epoch = event.Epoch{
		Epoch: 2, Epochs: 15, TrainLoss: 1.805, TrainAcc: 0.348, ValLoss: 1.721, ValAcc: 0.38, LR: 0.1,
		ImgS: 204, WallS: 221, Best: true,
	}
	worse = event.Epoch{
		Epoch: 15, Epochs: 15, TrainLoss: 0.5, TrainAcc: 1, ValLoss: 12.25, ValAcc: 0.0123, LR: 3.4e-5,
		ImgS: 2040, WallS: 3661,
	}
	eval = event.Eval{Split: "test", Step: 6750, N: 10000, Loss: 1.234, Acc: 0.5678}
	warn = event.Warn{Message: "step 7 was skipped"}
)

func TestBar(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		want  string
	}{
		{"120 columns", 120, "epoch  3/15  [########................] 161/450  loss 1.72  acc 38.2 %  203 img/s  eta " +
			"46:45"},
		{"95 columns", 95, "epoch  3/15  [########................] 161/450  loss 1.72  acc 38.2 %  203 img/s  eta " +
			"46:45"},
		{"80 columns", 80, "epoch  3/15  [###......] 161/450  loss 1.72  acc 38.2 %  203 img/s  eta 46:45"},
		{"60 columns", 60, "epoch  3/15  [####........] 161/450  loss 1.72  eta 46:45"},
		{"40 columns", 40, "epoch  3/15  161/450  eta 46:45"},
		{"20 columns", 20, "epoch  3/15  161/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, "auto", tt.width, nil)
			s.play(start, step)
			if diff := cmp.Diff(tt.want, s.out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An epoch without an evaluation has no accuracy, and that is not 0 %.
func TestEpochLineWithoutEvaluation(t *testing.T) {
	e := worse
	e.ValLoss, e.ValAcc = math.NaN(), math.NaN()
	for width, want := range map[int]string{
		120: "epoch 15/15  train loss 0.500 acc 100.0 %   val –   lr 3.4e-05   2040 img/s   1h01",
		30:  "epoch 15/15  val –",
	} {
		if got := epochLine(e, width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

func TestEpochLine(t *testing.T) {
	for _, tt := range []struct {
		width int
		want  []string
	}{
		{120, []string{
			"epoch  2/15  train loss 1.805 acc 34.8 %   val loss 1.721 acc 38.0 %   lr 0.1        204 img/s   3:41  " +
				"best",
			"epoch 15/15  train loss 0.500 acc 100.0 %   val loss 12.250 acc  1.2 %   lr 3.4e-05   2040 img/s   1h01",
		}},
		{80, []string{
			"epoch  2/15  train loss 1.805 acc 34.8 %  val loss 1.721 acc 38.0 %   3:41  best",
			"epoch 15/15  train 0.500  val loss 12.250 acc  1.2 %   1h01",
		}},
		{40, []string{"epoch  2/15  val 38.0 %  best", "epoch 15/15  val  1.2 %"}},
	} {
		for i, e := range []event.Epoch{epoch, worse} {
			if diff := cmp.Diff(tt.want[i], epochLine(e, tt.width)); diff != "" {
				t.Errorf("%d columns: %s", tt.width, diff)
			}
		}
	}
}

// The loss of smoothed labels says so: it is not comparable with that of validation.
func TestSmoothedLoss(t *testing.T) {
	e := epoch
	e.Smoothed = true
	for width, want := range map[int]string{
		0: "epoch  2/15  train loss 1.805 (smoothed) acc 34.8 %   val loss 1.721 acc 38.0 %   lr 0.1        204 " +
			"img/s   3:41  best",
		80: "epoch  2/15  train 1.805 (smoothed)  val loss 1.721 acc 38.0 %   3:41  best",
	} {
		if diff := cmp.Diff(want, epochLine(e, width)); diff != "" {
			t.Errorf("%d columns: %s", width, diff)
		}
	}
}

// While the network is evaluated, after the last step of an epoch, the bar says so.
func TestEvaluating(t *testing.T) {
	e := step
	e.EpochStep = e.EpochSteps
	if got, want := barLine(e, 15, 80),
		"epoch  3/15  [###################] 450/450  loss 1.72  acc 38.2 %  evaluating"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPlain(t *testing.T) {
	s := newScene(t, "auto", 0, nil)
	s.play(start, unsure)
	for range 12 { // a second each: one line after ten
		s.play(step)
	}
	s.play(epoch, event.Heads{}, eval, warn, event.End{})
	s.Line("saving ...")
	s.Close()
	want := `step 1/6,750 (0.0 %)  epoch 1  loss NaN  acc  0.0 %  lr 1.2e-06  0 img/s  0:00  eta -:--
step 1,061/6,750 (15.7 %)  epoch 3  loss 1.721  acc 38.2 %  lr 0.0991  203 img/s  8:43  eta 46:45
epoch  2/15  train loss 1.805 acc 34.8 %   val loss 1.721 acc 38.0 %   lr 0.1        204 img/s   3:41  best
test   loss 1.234 acc 56.8 %   10,000 images, step 6,750
warning: step 7 was skipped
saving ...
`
	if diff := cmp.Diff(want, s.out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBarLeavesLinesBehind(t *testing.T) {
	s := newScene(t, "auto", 120, nil)
	s.play(start, step, epoch, step, warn)
	s.Line("saving ...")
	s.Close()
	bar := "epoch  3/15  [########................] 161/450  loss 1.72  acc 38.2 %  203 img/s  eta 46:45"
	want := bar + "\r\x1b[K" + epochLine(epoch, 120) + "\n" + bar + "\r\x1b[Kwarning: step 7 was skipped\nsaving ...\n"
	if diff := cmp.Diff(want, s.out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBarObeysResize(t *testing.T) {
	s := newScene(t, "bar", 100, nil)
	s.play(start, step)
	s.out.Reset()
	s.width = 50 // the 92 columns on the screen are now two rows
	s.play(step)
	if got, want := s.out.String(),
		"\r\x1b[K\x1b[1A\x1b[Kepoch  3/15  [####.........] 161/450  eta 46:45"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBarIsNotRedrawnTooOften(t *testing.T) {
	s := newScene(t, "bar", 100, nil)
	s.play(start, step)
	drawn := s.out.Len()
	s.time = s.time.Add(-time.Second + 50*time.Millisecond)
	s.play(step)
	if s.out.Len() != drawn {
		t.Error("redrawn after 50 ms")
	}
	last := step
	last.EpochStep = last.EpochSteps
	s.time = s.time.Add(-time.Second)
	s.play(last)
	if s.out.Len() == drawn {
		t.Error("the last step of the epoch is not shown")
	}
}

func TestMode(t *testing.T) {
	for _, tt := range []struct {
		name, mode string
		width      int
		env        map[string]string
		bar        bool
	}{
		{"terminal", "auto", 80, nil, true},
		{"file", "auto", 0, nil, false},
		{"bar into a file", "bar", 0, nil, false},
		{"dumb terminal", "bar", 80, map[string]string{"TERM": "dumb"}, false},
		{"accessible", "auto", 80, map[string]string{"ACCESSIBLE": "1"}, false},
		{"not accessible", "auto", 80, map[string]string{"ACCESSIBLE": "0"}, true},
		{"no color", "auto", 80, map[string]string{"NO_COLOR": "1"}, false},
		{"no color, but a bar", "bar", 80, map[string]string{"NO_COLOR": "1"}, true},
		{"plain on a terminal", "plain", 80, nil, false},
		{"off", "off", 80, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, tt.mode, tt.width, tt.env)
			s.play(start, step, epoch, warn)
			out := s.out.String()
			control := strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && unicode.IsControl(r) })
			if control != tt.bar {
				t.Errorf("control characters: %v\n%q", control, out)
			}
			if !strings.Contains(out, "warning: step 7") {
				t.Errorf("no warning in %q", out)
			}
		})
	}
	if _, err := New(Config{Mode: "ba", Out: &bytes.Buffer{}}); err == nil ||
		err.Error() != "progress \"ba\": not one of auto, bar, plain, json, off\n  did you mean \"bar\"?" {
		t.Errorf("got %v", err)
	}
}

func TestJSON(t *testing.T) {
	s := newScene(t, "json", 80, nil)
	s.play(start, step, epoch, unsure)
	lines := strings.Split(strings.TrimSuffix(s.out.String(), "\n"), "\n")
	want := `{"v":1,"t":"2026-11-20T23:22:59.112Z","ev":"step","step":1061,"epoch":3,"loss":1.7213,"acc":0.3822,` +
		`"lr":0.0991,"img_s":203,"step_s":0.493,"eta_s":2805}`
	if len(lines) != 4 || lines[1] != want {
		t.Fatalf("got %q\nwant %q", lines, want)
	}
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
}

// A bar has room for the ^C that a terminal writes behind it, and no permanent line is wider than the terminal.
func TestNothingWraps(t *testing.T) {
	long, smoothed := epoch, epoch
	smoothed.Smoothed = true
	long.Epoch, long.Epochs, long.WallS, long.TrainLoss = 12345, 100000, 1e6, 1e9
	for width := 1; width <= 250; width++ {
		huge := event.Step{Epoch: 100000, EpochStep: 1e9, EpochSteps: 1e9, Loss: 1e9, ImgS: 1e7, ETA: 1e8}
		for _, e := range []event.Step{step, unsure, huge} {
			if line := barLine(e, 100000, width); visible.Columns(line+"^C") >= max(width, 4) {
				t.Errorf("%d columns: bar of %d", width, visible.Columns(line))
			}
		}
		for _, e := range []event.Step{step, unsure, huge} {
			if line := stepLine(e, width); visible.Columns(line) > width {
				t.Errorf("%d columns: heartbeat of %d", width, visible.Columns(line))
			}
		}
		for _, e := range []event.Epoch{epoch, worse, long, smoothed} {
			if line := epochLine(e, width); visible.Columns(line) > width {
				t.Errorf("%d columns: line of %d", width, visible.Columns(line))
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		rate(0): "0", rate(0.05): "0.05", rate(0.09912): "0.0991", rate(0.003): "0.003", rate(3.44e-5): "3.44e-05",
		percent(0.5776): "57.8 %", percent(0.012): " 1.2 %", count(3.14): "3.1", count(203.1): "203",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWidthOfNoTerminal(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := Width(f)(); w != 0 {
		t.Errorf("a file has %d columns", w)
	}
	if w := Width(&bytes.Buffer{})(); w != 0 {
		t.Errorf("a buffer has %d columns", w)
	}
}
