package cmd

import (
	"bytes"
	"image"
	"image/png"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// small makes a training that takes less than a second.
const small = " --preset smoke --data pics --dim 16 --batch 8 --limit-train-batches 2"

// everyCommand lists commands that together run almost every command of the program, in this order, on small networks.
var everyCommand = []string{
	"help", "help references", "version",
	"config ls", "config show small/quadratic", "config cp tiny my.yaml", "config validate my.yaml",
	"inspect paper/quadratic", "inspect tiny -v",
	"train --epochs 2 --label-smoothing 0.1 --name größe" + small,
	"train --epochs 1 --encoding quadratic-general --limit-val-batches 1 --note text" + small,
	"train --epochs 1 --encoding learned" + small,
	"train --epochs 1 --model conv-twin --set model.border=zero --name twin" + small, "convert twin -o t.ckpt", "runs rename twin zwei",
	"train --epochs 1 --model resnet10 --width 4" + small,
	"runs ls", "runs ls --where lr=7", "runs show größe", "runs diff größe latest", "runs tag größe wide",
	"runs note größe text", "runs gc",
	"eval größe --confusion", "predict größe pics/test/a/0.png", "inspect größe", "serve größe --export page.html", "report größe",
	"analyse größe --no-images --null-seeds 2 --draws 3",
	"analyse größe --over epochs --null-seeds 2",
	"plot-heads größe", "plot-heads größe --figure maps", "plot-heads quadratic-general", "plot-curves größe",
	"plot-maps größe pics/test/a/0.png",
	"export größe -o w.safetensors", "import w.safetensors -o w.ckpt", "compare --no-train",
	"prove --kernel 3 --channels 2:2 --size 6 --trials 1", "prove --exercise", "prove --from resnet10 --trials 1",
	"sweep plan --lr 0.1,0.01 --out sweep" + small, "sweep status sweep", "sweep collect sweep",
	"data ls", "data path", "runs rm FOLDER", // of größe
	"runs examples --runs examples", "runs examples --runs examples",
}

// elsewhere has the commands that take long, or need an engine of jobs or the network.
var elsewhere = map[string]bool{
	"attnconv config cat": true, // a file as it is
	"attnconv demo":       true, "attnconv doctor": true, "attnconv bench": true, "attnconv data get": true,
	"attnconv data import": true,
	"attnconv data verify": true, "attnconv data rm": true, "attnconv data show": true, "attnconv sweep run": true,
	"attnconv sweep submit": true, "attnconv sweep retry": true,
}

// On a terminal of 80 columns no line of any command is wider, so that none breaks inside a word. Only a path or a
// command to copy may be.
func TestEveryCommandFits80Columns(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Chdir(t.TempDir())
	for _, dir := range []string{"pics/train/a", "pics/train/b", "pics/test/a", "pics/test/b"} {
		for i := range 20 {
			writeImage(t, filepath.Join(dir, strconv.Itoa(i)+".png"), uint8(10*i+len(dir)))
		}
	}
	ran := map[string]bool{}
	for _, line := range everyCommand {
		var said bytes.Buffer
		c := term.NewConsole(strings.NewReader(""), &said, &said, []string{"NO_COLOR=1", "TERM=dumb"})
		c.OutWidth, c.ErrWidth = func() int { return 80 }, func() int { return 80 }
		if folders, _ := filepath.Glob("runs/*größe*"); len(folders) > 0 {
			line = strings.ReplaceAll(line, "FOLDER", folders[0])
		}
		args := append(strings.Fields(line), "--data-dir", "data", "-y")
		root, err := refs.NewRoot(c, commands)
		if err != nil {
			t.Fatal(err)
		}
		if cmd, _, err := root.Find(args); err == nil {
			ran[cmd.CommandPath()] = true
		}
		root.SetArgs(args)
		if err := root.ExecuteContext(t.Context()); err != nil {
			refs.Report(t.Context(), c, err)
			t.Errorf("attnconv %s:\n%s", line, said.String())
		}
		if _, next, ok := strings.Cut(said.String(), "\nnext:\n"); ok && strings.HasPrefix(line, "train ") {
			for text := range strings.Lines(next) {
				if !strings.Contains(text, " # ") {
					t.Errorf("attnconv %s: no comment behind%s", line, text)
				}
			}
		}
		for text := range strings.Lines(said.String()) {
			text = strings.TrimSuffix(text, "\n")
			if n := utf8.RuneCountInString(text); n > 80 && !copied(text) {
				t.Errorf("attnconv %s: %d columns:\n%s", line, n, text)
			}
		}
	}
	for _, cmd := range tree(documentedRoot()) {
		if path := cmd.CommandPath(); !cmd.HasSubCommands() && !cmd.Hidden && cmd.Runnable() && !ran[path] &&
			!elsewhere[path] && cmd.Parent().Name() != "completion" {
			t.Errorf("%s is not tried", path)
		}
	}
}

// copied reports whether a line is a path or a command, which people copy.
func copied(line string) bool {
	words := strings.Fields(line)
	return len(words) <= 2 || strings.HasPrefix(strings.TrimSpace(line), "attnconv ")
}

func writeImage(t *testing.T, name string, gray uint8) {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 32, 32))
	img.Pix[0] = gray
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := term.WriteFile(name, b.Bytes()); err != nil {
		t.Fatal(err)
	}
}
