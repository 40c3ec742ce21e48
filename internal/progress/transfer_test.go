package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// transfer shows a download of 170 MB at 55 kB/s, a sample a second, and returns what was drawn.
func transfer(t *testing.T, mode string, width, seconds int) string {
	t.Helper()
	var out bytes.Buffer
	now := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	tr, err := NewTransfer(Config{
		Mode: mode, Out: &out, Width: func() int { return width }, Now: func() time.Time { return now },
	}, "cifar-10-binary.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	const resumed = 100_000_000 // does not count for the speed
	for i := range seconds {
		tr.At(resumed+int64(i)*55_000, 170_052_171)
		now = now.Add(time.Second)
	}
	tr.Line("the server says 503 Service Unavailable")
	tr.At(170_052_171, 170_052_171)
	tr.Close()
	return out.String()
}

func TestTransferInALog(t *testing.T) {
	const want = `cifar-10-binary.tar.gz  58.8 %  100.0/170.1 MB  0 kB/s  eta -:--
cifar-10-binary.tar.gz  59.1 %  100.5/170.1 MB  55 kB/s  eta 21:04
the server says 503 Service Unavailable
cifar-10-binary.tar.gz  100.0 %  170.1/170.1 MB  5.8 MB/s  eta 0:00
`
	if got := transfer(t, "auto", 0, 12); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTransferOnATerminal(t *testing.T) {
	for _, tt := range []struct {
		width int
		want  string
	}{
		{120, "cifar-10-binary.tar.gz  [##############..........]   59 %  100.1/170.1 MB  55 kB/s  eta 21:12"},
		{80, "[##############..........]   59 %  100.1/170.1 MB  55 kB/s  eta 21:12"},
		{50, " 59 %  100.1/170.1 MB  55 kB/s  eta 21:12"},
		{40, " 59 %  100.1/170.1 MB  eta 21:12"},
		{20, " 59 %  eta 21:12"},
	} {
		got := transfer(t, "bar", tt.width, 3)
		if !strings.Contains(got, tt.want+"\r\x1b[K") {
			t.Errorf("%d columns: got %q, want %q", tt.width, got, tt.want)
		}
		if !strings.HasSuffix(got, "\r\x1b[K") {
			t.Errorf("%d columns: the line remains: %q", tt.width, got)
		}
	}
}

func TestTransferForPrograms(t *testing.T) {
	got := strings.Split(transfer(t, "json", 0, 2), "\n")
	const want = `{"v":1,"t":"2026-11-20T23:00:01Z","ev":"download","file":"cifar-10-binary.tar.gz",` +
		`"have":100055000,"size":170052171,"bytes_s":55000,"eta_s":1272.6758363636363}`
	if len(got) != 5 || got[1] != want {
		t.Errorf("got %q, want four lines, the second %s", got, want)
	}
	if got := transfer(t, "off", 0, 2); got != "the server says 503 Service Unavailable\n" {
		t.Errorf("off: %q, want the line alone", got)
	}
}
