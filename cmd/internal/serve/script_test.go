package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/serve"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) { clitest.Main(m, clitest.Of(serve.New, train.New), train.Documents) }

func TestScripts(t *testing.T) { clitest.Scripts(t) }

// A port that is in use is refused, and no other one is taken in its place.
func TestBusyPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	code, out, errs := clitest.Run("serve", "--runs", t.TempDir(), "--port", fmt.Sprint(port))
	if code != 2 || out != "" || !strings.Contains(errs, fmt.Sprint(":", port)) ||
		!strings.Contains(errs, "another port: --port N") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

// The page answers at the address that is printed, and an interrupt ends it.
func TestServes(t *testing.T) {
	cmd := exec.Command(clitest.Program(t, t.TempDir()), "serve", "--runs", t.TempDir())
	cmd.Env = os.Environ()
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	defer cmd.Process.Kill()
	lines, notes, address := bufio.NewScanner(out), "", ""
	for address == "" && lines.Scan() {
		notes += lines.Text() + "\n"
		_, address, _ = strings.Cut(lines.Text(), "http://")
	}
	answer, err := (&http.Client{Timeout: time.Minute}).Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || !strings.Contains(string(page), "<title>attnconv explorer</title>") {
		t.Errorf("%.80s, %v", page, err)
	}
	if runtime.GOOS == "windows" { // has no interrupts
		return
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, out)
	if code := clitest.ExitCode(cmd.Wait()); code != 0 && code != 130 {
		t.Errorf("exit code %d, %s", code, notes)
	}
	if !strings.Contains(notes, "ssh -L") {
		t.Errorf("no line for another machine: %q", notes)
	}
}
