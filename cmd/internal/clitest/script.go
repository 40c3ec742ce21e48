package clitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
)

// Scripts runs the scripts in testdata/script of the package under test. They are also examples of the program's
// output. The variable UPDATE_SCRIPTS makes the output that is there now the expected one.
func Scripts(t *testing.T) { ScriptsIn(t, "testdata/script") }

// ScriptsIn runs the scripts in a folder with more variables, each as NAME=VALUE.
func ScriptsIn(t *testing.T, dir string, variables ...string) {
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ATTNCONV_DATA", env.Getenv("WORK")+"/data")
			env.Setenv("CIFAR10", os.Getenv("ATTNCONV_CIFAR10"))
			env.Setenv("ARRAYS", filepath.Join(Root(t), "analyse", "network", "testdata", "arrays.npz"))
			env.Setenv("VISION", filepath.Join(Root(t), "analyse", "vision", "testdata"))
			env.Vars = append(env.Vars, variables...)
			return nil
		},
		Cmds:          scriptCommands,
		Condition:     scriptCondition,
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exits": exits, "arrays": arrays,
	"images": images, "damage": damage, "events": events, "made": makeModel, "serve": serve,
	"digits": digits,
}

// scriptCondition implements the condition cifar10, if that is available.
func scriptCondition(name string) (bool, error) {
	if name != "cifar10" {
		return false, fmt.Errorf("no condition %q", name)
	}
	return os.Getenv("ATTNCONV_CIFAR10") != "", nil
}

// exits CODE PROGRAM ARG... runs a program that must end with that code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// images DIR COUNT CLASS... makes a folder with COUNT images of each class, each of one color.
func images(ts *testscript.TestScript, _ bool, args []string) {
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	for class, name := range args[2:] {
		dir := filepath.Join(ts.MkAbs(args[0]), name)
		ts.Check(os.MkdirAll(dir, 0o777))
		for i := range count {
			img := image.NewPaletted(image.Rect(0, 0, 32, 32), color.Palette{color.Gray{uint8(50*class + i)}})
			var b bytes.Buffer
			ts.Check(png.Encode(&b, img))
			ts.Check(os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".png"), b.Bytes(), 0o666))
		}
	}
}

// events FILE KIND... checks that every line of a file is an event in JSON, and that these kinds occur in this order.
func events(ts *testscript.TestScript, _ bool, args []string) {
	want := args[1:]
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e struct {
			V  int       `json:"v"`
			T  time.Time `json:"t"`
			Ev string    `json:"ev"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.V != 1 || e.T.IsZero() || e.Ev == "" {
			ts.Fatalf("no event: %s (%v)", line, err)
		}
		if len(want) > 0 && e.Ev == want[0] {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		ts.Fatalf("no %s, or not in this order", want[0])
	}
}

// serve sets SERVER to the address of a server: /page/ answers with a page, /part/ ends the connection after 1000 bytes
// and does not resume, /zeros/ has files of the size of Fashion-MNIST's first.
func serve(ts *testscript.TestScript, _ bool, _ []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const size = 26421880
		switch kind := strings.Split(r.URL.Path, "/")[1]; {
		case kind == "page":
			io.WriteString(w, "<html>Please log in to this network")
		case kind == "zeros":
			http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(zeros{}, 0, size))
		case r.Header.Get("Range") != "":
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Length", "170052171") // of the archive of cifar10
			w.Write(make([]byte, 1000))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("SERVER", server.URL)
}

// zeros is a file of zeros.
type zeros struct{}

func (zeros) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }

// digits DIR makes IDX files with the names of MNIST's: two images of one pixel, twice.
func digits(ts *testscript.TestScript, _ bool, args []string) {
	for _, part := range []string{"train", "t10k"} {
		for name, b := range map[string][]byte{
			"-images-idx3-ubyte": {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 7, 9},
			"-labels-idx1-ubyte": {0, 0, 8, 1, 0, 0, 0, 2, 0, 1},
		} {
			ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), part+name), b, 0o666))
		}
	}
}

// arrays IMAGES LABELS COUNT CLASSES makes arrays of NumPy: COUNT black images of 32 × 32, and labels 0, 1, ...
func arrays(ts *testscript.TestScript, _ bool, args []string) {
	count, err := strconv.Atoi(args[2])
	ts.Check(err)
	classes, err := strconv.Atoi(args[3])
	ts.Check(err)
	labels := make([]byte, count)
	for i := range labels {
		labels[i] = byte(i % classes)
	}
	for i, content := range [][]byte{make([]byte, count*32*32*3), labels} {
		shape := []string{"%d, 32, 32, 3", "%d,"}[i]
		head := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': ("+shape+"), }\n", count)
		path := ts.MkAbs(args[i])
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o777))
		start := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
		ts.Check(os.WriteFile(path, slices.Concat(start, []byte(head), content), 0o666))
	}
}

// damage FILE flips a bit in the middle of a file.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	b[len(b)/2] ^= 1
	ts.Check(os.WriteFile(path, b, 0o666))
}

// makeModel ROOT ID MODEL DATA SEED makes a finished run of two epochs, newer than those before it, in the folder
// ROOT/x-ID. MODEL is an encoding or a residual network.
func makeModel(ts *testscript.TestScript, _ bool, args []string) {
	root, id, name, set := ts.MkAbs(args[0]), args[1], args[2], args[3]
	seed, err := strconv.ParseUint(args[4], 10, 64)
	ts.Check(err)
	config, err := configs.Preset("tiny")
	ts.Check(err)
	config.Preset, config.Data.Name, config.Seed = "small/"+name, set, seed
	config.Model.Encoding = name
	if slices.Contains(model.Kinds.Names(), name) {
		config.Model.Kind, config.Model.Encoding = name, model.Default().Encoding
	}
	older, err := run.List(root)
	ts.Check(err)
	dir := filepath.Join(root, "x-"+id)
	started := time.Date(2026, 11, 20, 10, len(older), 0, 0, time.UTC).Format(time.RFC3339)
	status := fmt.Sprintf(`{"format":1,"id":%q,"name":%q,"state":"done","started":%q,"preset":%q,"model":%q,"encoding":%q,`+
		`"data":%q,"seed":%d,"epoch":2,"epochs":2,"val_acc":0.3,"test_acc":0.3}`, id, "x-"+id, started, config.Preset,
		config.Model.Kind, config.Model.EncodingName(), set, seed)
	events := ""
	for epoch := range 2 {
		events += fmt.Sprintf(`{"v":1,"t":%q,"ev":"epoch","epoch":%d,"step":%d,"train_loss":2,"val_loss":2,"val_acc":%g,"wall_s":9}`+"\n",
			started, epoch+1, 10*(epoch+1), 0.3+0.1*float64(seed))
	}
	ts.Check(os.MkdirAll(dir, 0o777))
	for file, text := range map[string][]byte{
		"run.json": []byte(status), "config.yaml": config.YAML(), "metrics.jsonl": []byte(events),
	} {
		ts.Check(os.WriteFile(filepath.Join(dir, file), text, 0o666))
	}
}
