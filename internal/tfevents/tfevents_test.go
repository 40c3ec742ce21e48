package tfevents

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/run/event"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Unix(1763726400, 500_000_000)

// written returns the only file in dir.
func written(t *testing.T, dir string) []byte {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	if err != nil || len(list) != 1 {
		t.Fatalf("files: %v, %v", list, err)
	}
	b, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every event file of TensorFlow begins with these bytes: the length of the first event, 24, and its checksum. The
// event has the version.
func TestFileBeginsLikeThoseOfTensorFlow(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, noon, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := written(t, dir)
	if want := "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09"; !strings.HasPrefix(string(b), want) {
		t.Errorf("got % x", b)
	}
	if !strings.Contains(string(b), "\x1a\x0dbrain.Event:2") {
		t.Errorf("no version in % x", b)
	}
}

// The checksum of RFC 3720, B.4: 32 bytes of zeros have the CRC-32C 8a9136aa; the mask is that of TFRecords.
func TestMaskedChecksum(t *testing.T) {
	crc := uint32(0x8a9136aa)
	if got, want := maskedChecksum(make([]byte, 32)), (crc>>15|crc<<17)+0xa282ead8; got != want {
		t.Errorf("got %08x, want %08x", got, want)
	}
}

// Events of a run become scalars without the unknown values, and a resume writes its step.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, noon, 40)
	if err != nil {
		t.Fatal(err)
	}
	settings := []Setting{{"train.lr", "0.5"}, {"model.kind", "mhsa"}, {"train.early", "true"}}
	if err := w.Settings(noon, settings); err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for _, e := range []event.Event{
		event.Start{}, event.Step{Step: 50, Loss: 2, Acc: 0.25, LR: 0.5, ImgS: 100},
		event.Epoch{Epoch: 1, Step: 60, TrainLoss: 1.5, TrainAcc: nan, ValLoss: nan, ValAcc: nan, WallS: 3},
		event.Epoch{Step: 61, TrainLoss: nan, TrainAcc: nan, ValLoss: nan, ValAcc: nan, WallS: nan}, event.Warn{},
		event.Eval{Split: "test", Step: 60, Loss: 1, Acc: 0.5}, event.End{State: event.Done},
	} {
		if err := w.Record(event.Record{Time: noon, Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	var img bytes.Buffer
	if err := png.Encode(&img, image.NewRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	if err := w.Image(noon, 60, "heads", img.Bytes()); err != nil {
		t.Fatal(err)
	}
	if w.Image(noon, 60, "heads", []byte("no image")) == nil {
		t.Error("no error for bytes that are not an image")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := events(t, written(t, dir))
	const plugin = `8:{1:1 2:{2:{1:1}} 5:"\x00\x00\x00\x00"} 9:{1:{1:"hparams" 2:`
	want := []string{
		`1:1.7637264005e+09 3:"brain.Event:2"`,
		`1:1.7637264005e+09 2:41 7:{1:1}`,
		`1:1.7637264005e+09 5:{1:{1:"_hparams_/session_start_info" ` + plugin + `{3:{1:{1:"train.lr" 2:{2:0.5}} ` +
			`1:{1:"model.kind" 2:{3:"mhsa"}} 1:{1:"train.early" 2:{4:1}} 5:1.7637264005e+09}}}}}}`,
		`1:1.7637264005e+09 2:50 5:{1:{1:"train/loss" 2:2} 1:{1:"train/acc" 2:0.25} 1:{1:"lr" 2:0.5} ` +
			`1:{1:"speed/img_s" 2:100}}`,
		`1:1.7637264005e+09 2:60 5:{1:{1:"epoch/train_loss" 2:1.5} 1:{1:"epoch/wall_s" 2:3}}`,
		`1:1.7637264005e+09 2:60 5:{1:{1:"test/loss" 2:1} 1:{1:"test/acc" 2:0.5}}`,
		`1:1.7637264005e+09 5:{1:{1:"_hparams_/session_end_info" ` + plugin + `{4:{1:1 2:1.7637264005e+09}}}}}}`,
		fmt.Sprintf(`1:1.7637264005e+09 2:60 5:{1:{1:"heads" 4:{1:2 2:3 3:4 4:%q}}}`, img.Bytes()),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoFileIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		w, err := Create(dir, noon, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	if list, _ := os.ReadDir(dir); len(list) != 3 {
		t.Errorf("%d files, want 3", len(list))
	}
}

// events decodes a file, checks its checksums, and returns each event as text: field:value.
func events(t *testing.T, b []byte) (all []string) {
	t.Helper()
	for len(b) > 0 {
		n := binary.LittleEndian.Uint64(b)
		data := b[12 : 12+n]
		if binary.LittleEndian.Uint32(b[8:]) != maskedChecksum(b[:8]) ||
			binary.LittleEndian.Uint32(b[12+n:]) != maskedChecksum(data) {
			t.Fatalf("wrong checksum at % x", b[:12])
		}
		all = append(all, decoded(data, []int{}))
		b = b[16+n:]
	}
	return all
}

// messages are the paths of the fields that are messages.
var messages = []string{
	"[5]", "[5 1]", "[7]", "[5 1 4]", "[5 1 8]", "[5 1 8 2]", "[5 1 8 2 2]", "[5 1 9]", "[5 1 9 1]", "[5 1 9 1 2]",
	"[5 1 9 1 2 3]", "[5 1 9 1 2 4]", "[5 1 9 1 2 3 1]", "[5 1 9 1 2 3 1 2]",
}

func decoded(b []byte, path []int) string {
	var fields []string
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		b = b[n:]
		at := append(path[:len(path):len(path)], int(key>>3))
		text := ""
		switch key & 7 {
		case varint:
			x, n := binary.Uvarint(b)
			text, b = fmt.Sprint(x), b[n:]
		case fixed64:
			text, b = fmt.Sprint(math.Float64frombits(binary.LittleEndian.Uint64(b))), b[8:]
		case fixed32:
			text, b = fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(b))), b[4:]
		case delimited:
			size, n := binary.Uvarint(b)
			inner := b[n : n+int(size)]
			text, b = fmt.Sprintf("%q", inner), b[n+int(size):]
			for _, m := range messages {
				if m == fmt.Sprint(at) {
					text = "{" + decoded(inner, at) + "}"
				}
			}
		}
		fields = append(fields, fmt.Sprintf("%d:%s", key>>3, text))
	}
	return strings.Join(fields, " ")
}
