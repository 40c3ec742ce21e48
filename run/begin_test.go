package run

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/run/event"
)

func TestSummary(t *testing.T) {
	d := create(t, t.TempDir())
	events(t, d, event.Epoch{Epoch: 1, Step: 10, TrainLoss: math.NaN(), ValAcc: 0.5, Best: true})
	if err := d.WriteSummary(d.Summary(event.End{State: event.Diverged, Step: 12})); err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal([]byte(text(t, d.Path, "summary.json")), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("v id state preset model encoding data seed epochs steps params train_loss " +
		"val_acc test_acc best_epoch wall_s img_s gflop_step peak_rss checkpoint") { // other programs read these
		if _, ok := keys[key]; !ok {
			t.Errorf("no %s", key)
		}
	}
	s, err := d.ReadSummary()
	if err != nil || s.State != event.Diverged || s.Steps != 12 || s.ValAcc != 0.5 || !math.IsNaN(s.TrainLoss) ||
		!math.IsNaN(s.TestAcc) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestLogger(t *testing.T) {
	d := create(t, t.TempDir())
	log, err := d.Logger(slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("not this")
	log.Info("hello", "step", 3)
	got := text(t, d.Path, "log.jsonl")
	if !strings.Contains(got, `"msg":"hello","step":3}`) || strings.Count(got, "\n") != 1 {
		t.Errorf("log.jsonl: %s", got)
	}
	for _, line := range []string{"one\n", "two\n"} { // a resumed run adds to it
		w, err := d.Text()
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, line)
	}
	if got := text(t, d.Path, "train.log"); got != "one\ntwo\n" {
		t.Errorf("train.log: %q", got)
	}
}

func TestDescribe(t *testing.T) {
	e := Describe([]string{"attnconv"}, "abc", false)
	if e.Host != "" || e.Cores < 1 || e.Go == "" || e.DataDigest != "abc" {
		t.Errorf("%+v", e)
	}
	b, err := indentJSON(e)
	host, _ := os.Hostname()
	if err != nil || bytes.Contains(b, []byte(`"host"`)) {
		t.Errorf("the host %q shows: %s, %v", host, b, err)
	}
	if runtime.GOOS == "linux" && (e.Memory < 1<<20 || PeakRSS() < 1<<20) {
		t.Errorf("memory %d, peak %d", e.Memory, PeakRSS())
	}
}
