package fetch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain also serves as a program that fetches one file, for the test below to kill.
func TestMain(m *testing.M) {
	if url := os.Getenv("FETCH_URL"); url != "" {
		f := File{URLs: []string{url}, Path: os.Getenv("FETCH_PATH"), Size: int64(len(published)),
			SHA256: sum(published)}
		if err := Get(context.Background(), f, Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// Whenever the program is killed, there is no file or the right one, and the next program resumes. The server does the
// killing, after a number of chunks: on a busy machine the program may take long to start.
func TestGetSurvivesBeingKilled(t *testing.T) {
	t.Parallel()
	var program atomic.Pointer[os.Process]
	var chunks atomic.Int64 // to send before the kill
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		from := 0
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		begin(w, r, published, 0)
		for ; from < len(published) && r.Context().Err() == nil; from += 3000 { // about 0.3 s for all
			send(w, published[from:min(from+3000, len(published))])
			time.Sleep(3 * time.Millisecond)
			if p := program.Load(); chunks.Add(-1) <= 0 && p != nil {
				p.Kill()
			}
		}
	})
	path := filepath.Join(t.TempDir(), "file")
	r := rand.New(rand.NewPCG(7, 7))
	killed := 0
	for range 100 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "FETCH_URL="+s.URL, "FETCH_PATH="+path)
		program.Store(nil)
		chunks.Store(int64(r.IntN(40)))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		program.Store(cmd.Process)
		err := cmd.Wait()
		if _, statErr := os.Stat(path); statErr == nil {
			wantFile(t, path)
			t.Logf("complete after %d kills", killed)
			return
		}
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("the program failed by itself: %v", err)
		}
		killed++
	}
	t.Errorf("no file after %d kills", killed)
}
