package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// stages shows a short stage and one of 100 seconds, a call a second, which ends after 45.
func stages(t *testing.T, mode string, width int) string {
	t.Helper()
	var out bytes.Buffer
	now := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	s, err := NewStages(Config{
		Mode: mode, Out: &out, Width: func() int { return width }, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Next("regressions of layer 1 of 6")
	s.At(0)
	s.Next("accuracy with layers replaced")
	for i := range 45 {
		now = now.Add(time.Second)
		s.At(float64(i+1) / 100)
	}
	s.Close()
	return out.String()
}

func TestStagesInALog(t *testing.T) {
	const want = `regressions of layer 1 of 6
accuracy with layers replaced
accuracy with layers replaced  10.0 %  eta 1:30
accuracy with layers replaced  20.0 %  eta 1:20
accuracy with layers replaced  30.0 %  eta 1:10
accuracy with layers replaced  40.0 %  eta 1:00
`
	if got := stages(t, "plain", 0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := stages(t, "off", 0); got != "" {
		t.Errorf("off: %q", got)
	}
}

func TestStagesOnATerminal(t *testing.T) {
	for width, want := range map[int]string{
		100: "\r\x1b[Kaccuracy with layers replaced  [##########..............]   45 %  eta 0:55\r\x1b[K",
		60:  "\r\x1b[K[##########..............]   45 %  eta 0:55\r\x1b[K",
		30:  "\r\x1b[K 45 %  eta 0:55\r\x1b[K",
	} {
		got := stages(t, "bar", width)
		if !strings.HasSuffix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%d columns: got %q, want it to end with %q", width, got, want)
		}
	}
}

func TestStagesForPrograms(t *testing.T) {
	lines := strings.Split(stages(t, "json", 0), "\n")
	if !strings.Contains(lines[0], `"ev":"note"`) || !strings.Contains(lines[0], "regressions of layer 1 of 6") {
		t.Error(lines[0])
	}
	const want = `{"v":1,"t":"2026-11-20T23:00:25Z","ev":"stage","name":"accuracy with layers replaced","part":0.25,` +
		`"eta_s":75}`
	if lines[26] != want {
		t.Errorf("got %s, want %s", lines[26], want)
	}
}
