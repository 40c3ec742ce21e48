package listing

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
)

// What can be read of a run is described, whatever else is damaged.
func TestDetails(t *testing.T) {
	root := t.TempDir()
	write := func(dir, name, text string) {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	config, err := configs.Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	const epoch = `{"v":1,"t":"2020-11-20T11:01:00.000Z","ev":"epoch","epoch":1,"step":140,"train_loss":2.2,"val_acc":0.25,"best":true}` + "\n"
	for _, name := range []string{"a", "b"} {
		write(name, "run.json", `{"format":1,"id":"k00`+name+`","state":"done","preset":"tiny","epoch":1,"started":"2020-11-20T10:00:00Z"}`)
		write(name, "config.yaml", string(config.YAML()))
	}
	write("a", "metrics.jsonl", epoch)
	write("b", "metrics.jsonl", "no JSON\n"+epoch)
	list, err := run.List(root)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d runs, %v", len(list), err)
	}
	d, l, err := Details(list[0])
	if err != nil || d.ID != "k00a" || len(d.EpochRows) != 1 || float64(d.EpochRows[0].ValAcc) != 0.25 ||
		d.EpochRows[0].ValLoss.Known() ||
		d.Checkpoint != "" || d.Bytes == 0 || d.Nulls == nil || l.Config == nil {
		t.Errorf("%+v, %v", d, err)
	}
	if d, _, err = Details(list[1]); err == nil || d.ID != "k00b" || d.EpochRows == nil {
		t.Errorf("damaged records: %+v, %v", d, err)
	}
}
