package sets

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// Classes are read from a table: tiny-imagenet's annotations, or a CSV of names and labels.
func TestLabelsOfTables(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		files      []string
		tables     map[string]string
		left       string
	}{
		{"tiny-imagenet", "6 0 2 of n1 n2", slices.Concat(pictures("train/n1/images", 3), pictures("train/n2/images", 3),
			pictures("val/images", 2), pictures("test/images", 2)),
			map[string]string{"val/val_annotations.txt": "000.png\tn2\t0\t0\t62\t62\n001.png\tn1\t0\t0\t62\t62\n",
				"wnids.txt": "n1\nn2\n", "train/n1/n1_boxes.txt": "n1_0.JPEG\t0\t0\t62\t62\n"},
			"test/images/000.png test/images/001.png train/n1/n1_boxes.txt wnids.txt"},
		{"trainLabels.csv", "5 0 2 of cat dog", pictures("train", 8), map[string]string{
			"trainLabels.csv":      "id,label\n000,cat\n001,cat\n002,cat\n003,cat\n004,dog\n005,dog\n006,dog\n999,dog\n",
			"sampleSubmission.csv": "id,label\n000,cat\n001,cat\n"}, "sampleSubmission.csv train/007.png"},
		{"one table of both", "3 0 2 of cat dog", slices.Concat(pictures("train", 3), pictures("test", 2)),
			map[string]string{"index.csv": "path,Class_ID,x\ntrain/000.png,cat,1\ntrain/001.png,cat,1\ntrain/002.png,dog,1\n" +
				"test/000.png,dog,1\ntest/001.png,cat,1\n"}, ""},
		{"a table of training images", "3 0 2 of cat dog", slices.Concat(pictures("train", 5), pictures("test", 2)),
			map[string]string{"labels.csv": "id,breed\n000,cat\n001,cat\n002,dog\n003,cat\n004,dog\n"},
			"test/000.png test/001.png"},
		{"by columns", "2 0 2 of a b", slices.Concat(pictures("train", 2), pictures("test", 2)), map[string]string{
			"train.csv":     "\ufefflabel;width;file_name\r\nb;32;000.png\r\n\"a\";32;001.png\r\n",
			"test/test.csv": "image_id,class\n000,a\n001,b\n"}, ""},
		{"numbers as labels", "4 0 2 of 1 2", slices.Concat([]string{"1.png", "2.png", "3.png", "4.png", "5.png", "6.png"}),
			map[string]string{"labels.csv": "label,id\n1,1\n1,2\n1,3\n2,4\n2,5\n2,6\n"}, ""},
	} {
		dir := t.TempDir()
		files(t, dir, tt.files...)
		for name, text := range tt.tables {
			write(t, filepath.Join(dir, name), []byte(text))
		}
		if r, got := report(t, dir); got != tt.want || strings.Join(leftNames(r.Inventory), " ") != tt.left {
			t.Errorf("%s: %s, left %v, %q; want %s, left %s", tt.name, got, leftNames(r.Inventory), r.Inventory.Notes,
				tt.want, tt.left)
		}
	}
	for want, tables := range map[string]map[string]string{
		"row 3: 000 is \"dog\", and \"cat\" in a row before": {"labels.csv": "id,label\n000,cat\n000,dog\n"},
		"both a.csv and b.csv say the classes":               {"a.csv": "000,cat\n001,dog\n", "b.csv": "000,cat\n001,dog\n"},
		"none is called label or class":                      {"a.csv": "name,x,y\n000,1,2\n"},
		"want a table":                                       {"a.csv": "id,label\n000,\"cat\n"},
	} {
		dir := t.TempDir()
		files(t, dir, pictures(".", 2)...)
		for name, text := range tables {
			write(t, filepath.Join(dir, name), []byte(text))
		}
		_, err := OpenFolder(dir)
		wantCorrupt(t, err, want)
	}
}

func FuzzTable(f *testing.F) {
	for _, text := range []string{"id,label\n000,cat\n", "000.png\tcat\t0\n", "a;b\n\"000\";\"c\n", "000\n", "\ufeff", ",,\n,\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.csv"), b, 0o666); err != nil {
			t.Fatal(err)
		}
		s := &survey{root: dir}
		l, err := s.readLabels(&branch{}, []string{"000.png", "001.png"}, []string{"a.csv"}, false)
		if bad := (*data.CorruptError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("got %v, want a *data.CorruptError", err)
		}
		if l != nil && (len(l.labels) > 2 || l.labels["000.png"]+l.labels["001.png"] == "" && len(l.labels) > 0) {
			t.Errorf("%q", l.labels)
		}
	})
}
