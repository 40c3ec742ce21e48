package sets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// files writes files, by their names; a name that ends with a slash makes a folder.
func files(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		switch {
		case strings.HasSuffix(name, "/"):
			if err := os.MkdirAll(path, 0o777); err != nil {
				t.Fatal(err)
			}
		case isPicture(name):
			write(t, path, plain(".png", 32, 32, red))
		default:
			write(t, path, []byte("text"))
		}
	}
}

// pictures are the names of n pictures in a folder.
func pictures(dir string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%s/%03d.png", dir, i))
	}
	return names
}

// report is what an import would take, as "train val test" of the classes.
func report(t *testing.T, dir string) (r ImportReport, text string) {
	t.Helper()
	r, err := ImportFrom(t.Context(), dir, ImportOptions{Dir: t.TempDir(), Name: "x", DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	return r, fmt.Sprintf("%d %d %d of %s", r.Train, r.Val, r.Test, strings.Join(r.Classes, " "))
}

// leftNames are the names of all that was left.
func leftNames(v data.Inventory) (names []string) {
	for _, r := range v.Left {
		names = append(names, r.Names...)
	}
	slices.Sort(names)
	return names
}

// everyKind is a folder with every kind of thing that can be left out.
func everyKind(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "pets")
	for _, part := range []string{"Train", "val", "test"} {
		for _, class := range []string{"cat", "dog"} {
			files(t, dir, pictures(part+"/"+class, 3)...)
			files(t, dir, part+"/"+class+"/day 1/deep.PNG", part+"/"+class+"/Thumbs.db", part+"/"+class+"/._a.png",
				part+"/"+class+"/notes.txt", part+"/"+class+"/phone.heic", part+"/"+class+"/day 1/desktop.ini",
				part+"/"+class+"/no ending", part+"/"+class+"/empty/")
		}
		files(t, dir, part+"/stray.png", part+"/.DS_Store", part+"/runs/events.txt", part+"/__MACOSX/cat/._1.png",
			part+"/@eaDir/thumb.jpg", part+"/list.csv")
	}
	files(t, dir, pictures("extra/cat", 2)...)
	files(t, dir, "README.md", "labels.json", "top.png", ".git/config", "System Volume Information/x", "lost+found/",
		"weights.npy", "nothing/", "Train/cat/line\nbreak.txt", "Train/dog/\x1b[31m.txt")
	write(t, filepath.Join(dir, "Train/cat/empty.jpg"), nil)
	write(t, filepath.Join(dir, "Train/dog/cut.jpg"), plain(".jpg", 64, 64, red)[:640])
	write(t, filepath.Join(dir, "test/dog/page.png"), []byte("<!DOCTYPE html>"))
	return dir
}

// checkAccount requires that every file in dir is a picture that was taken, was read for its labels, or is named.
func checkAccount(t *testing.T, dir string, v data.Inventory) {
	t.Helper()
	left, seen := leftNames(v), map[string]bool{}
	present, images := 0, 0
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, _ error) error {
		name, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			return nil
		}
		present++
		at := slices.IndexFunc(left, func(l string) bool {
			return l == name || strings.HasSuffix(l, "/") && strings.HasPrefix(name, l)
		})
		switch {
		case at >= 0:
			seen[left[at]] = true
		case slices.Contains(v.Read, name):
		case isPicture(name):
			images++
		default:
			t.Errorf("%q was neither taken nor left", name)
		}
		return nil
	})
	if images != v.Taken {
		t.Errorf("%d pictures of %d files were not left, and %d were taken: left %q", images, present, v.Taken, left)
	}
	for _, l := range left {
		if !seen[l] && !strings.HasSuffix(l, "/") {
			t.Errorf("%q is said to be left, and is not there", l)
		}
	}
	if got := len(slices.Compact(slices.Clone(left))); got != len(left) {
		t.Errorf("%d names of %d are there twice: %q", len(left)-got, len(left), left)
	}
}

// Every file of a folder is taken, read for its labels, or named as left.
func TestFolderIsAccountedFor(t *testing.T) {
	dir := everyKind(t)
	r, err := ImportFrom(t.Context(), dir, ImportOptions{Dir: t.TempDir(), SkipBroken: true})
	if err != nil {
		t.Fatal(err)
	}
	v := r.Inventory
	if v.Taken != 24 || v.Taken != r.Train+r.Val+r.Test {
		t.Errorf("taken %d of %d + %d + %d, want 24", v.Taken, r.Train, r.Val, r.Test)
	}
	checkAccount(t, dir, v)
	for why, want := range map[string]int{"broken: the file is empty": 1, "broken: want a whole image": 1,
		"broken: want an image": 1, "a format that is not read": 7, "not the name of a split": 1,
		"no pictures in it": 4, "in no folder of a": 4} {
		n := 0
		for _, r := range v.Left {
			if strings.HasPrefix(r.Why, why) {
				n += len(r.Names)
			}
		}
		if n != want {
			t.Errorf("%q: %d, want %d", why, n, want)
		}
	}
}

// The same of folders that are put together at random, of all the names that mean something.
func TestRandomFoldersAreAccountedFor(t *testing.T) {
	folders := strings.Fields("train Training val valid test testing training_set images cat dog bird masks __MACOSX " +
		"@eaDir .git runs a b")
	plain := strings.Fields("x.png y.PNG cat.0.png cat.1.png dog.0.png dog.1.png 1.png 2.png 3.png Thumbs.db .DS_Store " +
		"notes.txt labels.csv train.csv test_annotations.txt a.heic broken.jpg")
	read := 0
	for seed := range 200 {
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		dir := filepath.Join(t.TempDir(), "set")
		var fill func(folder string, depth int)
		fill = func(folder string, depth int) {
			files(t, dir, folder+"/")
			for range rng.IntN(6) {
				switch name := plain[rng.IntN(len(plain))]; filepath.Ext(name) {
				case ".jpg":
					write(t, filepath.Join(dir, folder, name), []byte("no picture"))
				case ".csv", ".txt":
					write(t, filepath.Join(dir, folder, name), []byte("id,label\n1,cat\n2,dog\n3,cat\nx,dog\n"))
				default:
					files(t, dir, folder+"/"+name)
				}
			}
			for range rng.IntN(4) * min(1, depth) {
				fill(filepath.Join(folder, folders[rng.IntN(len(folders))]), depth-1)
			}
		}
		fill(".", 3)
		o := ImportOptions{Dir: t.TempDir(), Name: "x", SkipBroken: true, DryRun: true}
		r, err := ImportFrom(t.Context(), dir, o)
		if err != nil {
			continue
		}
		read++
		if checkAccount(t, dir, r.Inventory); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if read < 30 {
		t.Errorf("only %d of the folders are sets", read)
	}
}

// Folders of splits may have any of the usual names, and what became of them is said.
func TestFoldersOfSplits(t *testing.T) {
	for _, tt := range []struct{ folders, want, note, left string }{
		{"train test", "6 0 4 of cat dog", "", ""},
		{"train valid", "6 0 4 of cat dog", "valid/ became the test images", ""},
		{"train validation", "6 0 4 of cat dog", "validation/ became the test images", ""},
		{"train dev", "6 0 4 of cat dog", "dev/ became the test images", ""},
		{"train Test", "6 0 4 of cat dog", "", ""},
		{"TRAIN testing", "6 0 4 of cat dog", "", ""},
		{"train eval", "6 0 4 of cat dog", "", ""},
		{"Training Validation Testing", "6 4 4 of cat dog", "", ""},
		{"train val evaluation", "6 4 4 of cat dog", "", ""},
		{"training_set test_set", "6 0 4 of cat dog", "", ""},
		{"seg_train seg_test seg_pred", "6 0 4 of cat dog", "", "seg_pred/"},
		{"train extra test", "6 0 4 of cat dog", "", "extra/"},
		{"train2017 val2017", "6 0 4 of cat dog", "val2017/ became the test images", ""},
		{"test", "0 0 4 of cat dog", "no training images", ""},
		{"val", "0 0 4 of cat dog", "no training images", ""},
	} {
		dir := t.TempDir()
		for _, folder := range strings.Fields(tt.folders) {
			n := 2
			if strings.Contains(strings.ToLower(folder), "train") {
				n = 3
			}
			files(t, dir, pictures(folder+"/cat", n)...)
			files(t, dir, pictures(folder+"/dog", n)...)
		}
		r, got := report(t, dir)
		if got != tt.want || !strings.Contains(strings.Join(r.Inventory.Notes, "\n"), tt.note) ||
			strings.Join(leftNames(r.Inventory), " ") != tt.left {
			t.Errorf("%s: %s, left %v, %q; want %s, left %s, %q", tt.folders, got, leftNames(r.Inventory),
				r.Inventory.Notes, tt.want, tt.left, tt.note)
		}
	}
	for _, folders := range []string{"train val valid", "train Training test", "train test Test"} {
		dir := t.TempDir()
		for _, folder := range strings.Fields(folders) {
			files(t, dir, pictures(folder+"/cat", 2)...)
			files(t, dir, pictures(folder+"/dog", 2)...)
		}
		_, err := OpenFolder(dir)
		wantCorrupt(t, err, "two folders of")
	}
	for want, folders := range map[string]string{ // classes that have the names of splits
		"10 0 2 of bus train": "bus train", "10 0 2 of control test": "control test/day1", "10 0 2 of dev prod": "dev prod",
	} {
		dir := t.TempDir()
		for _, folder := range strings.Fields(folders) {
			files(t, dir, pictures(folder, 6)...)
		}
		if _, got := report(t, dir); got != want {
			t.Errorf("%s: %s", folders, got)
		}
	}
	for _, tt := range []struct{ folders, want string }{
		{"cat/train cat/test dog/train dog/test", "want them around the classes, as test/cat/"},
		{"a/train/cat a/train/dog b/train/cat b/train/dog", "it holds several sets, such as a/: name one of them"},
	} {
		dir := t.TempDir()
		for _, folder := range strings.Fields(tt.folders) {
			files(t, dir, pictures(folder, 2)...)
		}
		_, err := OpenFolder(dir)
		wantCorrupt(t, err, tt.want)
	}
}

// A folder without pictures is not a class. It is left, or refused where it may have been meant as a class.
func TestFoldersWithoutPictures(t *testing.T) {
	for _, tt := range []struct{ file, left, err string }{
		{"__MACOSX/cat/._000.png", "__MACOSX/", ""},
		{"@eaDir/thumb.jpg", "@eaDir/", ""},
		{".ipynb_checkpoints/000.png", ".ipynb_checkpoints/", ""},
		{"$RECYCLE.BIN/000.png", "$RECYCLE.BIN/", ""},
		{"lost+found/", "lost+found/", ""},
		{"System Volume Information/x", "System Volume Information/", ""},
		{"runs/events.txt", "runs/", ""},
		{"runs/train/weights.txt", "runs/", ""},
		{"bird/", "", "no training images of bird/"},
		{"bird/.DS_Store", "", "no training images of bird/"},
		{"bird/phone.HEIC", "", "no training images of bird/"},
	} {
		dir := t.TempDir()
		files(t, dir, slices.Concat(pictures("cat", 6), pictures("dog", 6), []string{tt.file})...)
		if tt.err != "" {
			_, err := OpenFolder(dir)
			wantCorrupt(t, err, tt.err)
			continue
		}
		r, got := report(t, dir)
		if got != "10 0 2 of cat dog" || strings.Join(leftNames(r.Inventory), " ") != tt.left {
			t.Errorf("%s: %s, left %v, want %s", tt.file, got, leftNames(r.Inventory), tt.left)
		}
	}
	empty := t.TempDir()
	files(t, empty, slices.Concat(pictures("test/cat", 1), pictures("test/dog", 1), []string{"train/cat/a.heic"})...)
	_, err := OpenFolder(empty)
	wantCorrupt(t, err, "train: no training images: want pictures (.png")
	dir := t.TempDir() // next to test images
	files(t, dir, slices.Concat(pictures("train/cat", 2), pictures("train/dog", 2), pictures("test/cat", 1))...)
	files(t, dir, "test/__MACOSX/", "test/old/", "val/cat/")
	r, got := report(t, dir)
	if got != "4 0 1 of cat dog" || !slices.Contains(r.Inventory.Notes, "no test images of 1 class (dog)") ||
		strings.Join(leftNames(r.Inventory), " ") != "test/__MACOSX/ test/old/ val/" {
		t.Errorf("test images of one class: %s, left %v, %q", got, leftNames(r.Inventory), r.Inventory.Notes)
	}
}

// Pictures in folders below a class are pictures of the class, and one folder around a set is not a class.
func TestNestedFolders(t *testing.T) {
	for _, tt := range []struct {
		name, want, note string
		files            []string
	}{
		{"below one class", "20 0 4 of cat dog", "6 pictures in folders below a class (dog/day1/)",
			slices.Concat(pictures("cat", 12), pictures("dog", 6), pictures("dog/day1", 4), pictures("dog/day2", 2))},
		{"below both", "10 0 2 of cat dog", "if these folders are the classes",
			slices.Concat(pictures("cat/a", 3), pictures("cat/b", 3), pictures("dog/a", 3), pictures("dog/b", 3))},
		{"one folder around", "4 0 2 of cat dog", "pets/ was read",
			slices.Concat(pictures("pets/train/cat", 2), pictures("pets/train/dog", 2), pictures("pets/test/cat", 1),
				pictures("pets/test/dog", 1), []string{"README.md", "docs/x.txt"})},
		{"one folder around each split", "4 0 2 of cat dog", "test_set/test_set/ was read",
			slices.Concat(pictures("training_set/training_set/cat", 2), pictures("training_set/training_set/dog", 2),
				pictures("test_set/test_set/cat", 1), pictures("test_set/test_set/dog", 1))},
		{"masks next to it", "10 0 2 of cat dog", "images/ was read",
			slices.Concat(pictures("images/cat", 6), pictures("images/dog", 6), pictures("masks", 3))},
		{"two folders around", "10 0 2 of cat dog", "a/b/ was read",
			slices.Concat(pictures("a/b/cat", 6), pictures("a/b/dog", 6))},
		{"names of pictures", "10 0 2 of cat dog", "cat.0.png is of cat",
			strings.Fields("cat.0.png cat.1.png cat.2.png cat.3.png cat.4.png cat.5.png dog.0.png dog.1.png dog.2.png " +
				"dog.3.png dog.4.png dog.5.png")},
	} {
		dir := t.TempDir()
		files(t, dir, tt.files...)
		r, got := report(t, dir)
		if got != tt.want || !strings.Contains(strings.Join(r.Inventory.Notes, "\n"), tt.note) {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, got, r.Inventory.Notes, tt.want, tt.note)
		}
	}
	dir := t.TempDir()
	files(t, dir, "images/cat_1.png", "images/cat_2.png", "images/dog_1.png")
	_, err := OpenFolder(dir)
	wantCorrupt(t, err, "got 1 (images) with 3 images")
	_, err = OpenFolder(filepath.Join(dir, "images"))
	wantCorrupt(t, err, "got 3 images in no such folder\n  their names begin with cat, dog")
}

// A set may have as many classes as the documentation says.
func TestThreeHundredClasses(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		files(t, dir, pictures(fmt.Sprintf("train/%03d", i), 1)...)
	}
	files(t, dir, pictures("test/299", 1)...)
	r, _ := report(t, dir)
	if r.Train != 300 || len(r.Classes) != 300 || !slices.Contains(r.Inventory.Notes,
		"no test images of 299 classes, from 000 to 298") {
		t.Errorf("%d images of %d classes, %q", r.Train, len(r.Classes), r.Inventory.Notes)
	}
}

// An archive of pictures is called one, and how to unpack it is said.
func TestArchivesOfPictures(t *testing.T) {
	var zipped, tarred bytes.Buffer
	z, g := zip.NewWriter(&zipped), gzip.NewWriter(&tarred)
	a := tar.NewWriter(g)
	for _, name := range []string{"pets/README", "pets/train/cat/0.png", "pets/train/dog/0.png"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(plain(".png", 2, 2, red))
		a.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: 3})
		a.Write([]byte("abc"))
	}
	z.Close()
	a.Close()
	g.Close()
	dir := t.TempDir()
	const pictures = "an archive of pictures: unpack it, and import the folder\n  to unpack it: "
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"pets.zip", zipped.Bytes(), pictures + "unzip "}, {"pets.tar.gz", tarred.Bytes(), pictures + "tar xf "},
		{"pets.7z", []byte("7z\xbc\xaf"), "an archive that is not read: unpack it, and import the folder"},
	} {
		write(t, filepath.Join(dir, tt.name), tt.b)
		_, _, err := Recognize(filepath.Join(dir, tt.name))
		wantCorrupt(t, err, tt.want)
	}
}
