package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/run/event"
)

const epochsHeader = "epoch,step,train_loss,train_acc,val_loss,val_acc,lr,img_s,wall_s,best\n"

// row returns an epoch's line of epochs.csv; unknown values are empty.
func row(e event.Epoch) string {
	cells := []string{strconv.Itoa(e.Epoch), strconv.Itoa(e.Step)}
	for _, x := range []float64{e.TrainLoss, e.TrainAcc, e.ValLoss, e.ValAcc, e.LR, e.ImgS, e.WallS} {
		cell := ""
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			cell = strconv.FormatFloat(x, 'g', 8, 64)
		}
		cells = append(cells, cell)
	}
	return strings.Join(append(cells, strconv.FormatBool(e.Best)), ",") + "\n"
}

// Event records an event of now; see Append.
func (d *Dir) Event(e event.Event) error { return d.Append(event.Record{Time: time.Now(), Event: e}) }

// Append appends a record to metrics.jsonl in one call of Write, and updates the other files: an Epoch adds a row to
// epochs.csv, Heads write a file of heads/, and run.json gets the latest values and, from an End, the state.
func (d *Dir) Append(r event.Record) error {
	line, err := r.MarshalJSON()
	if err != nil {
		return err
	}
	line = append([]byte(visible.Text(string(line))), '\n') // people also read it with cat; it decodes to the same JSON
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.metrics == nil {
		return wrap(fmt.Errorf("%s is not open for writing", d.Path))
	}
	if _, err := d.metrics.Write(line); err != nil {
		return wrap(err)
	}
	d.status.note(r.Event)
	switch e := r.Event.(type) {
	case event.Start:
		return d.beat()
	case event.Epoch:
		if _, err := d.epochs.WriteString(row(e)); err != nil {
			return wrap(err)
		}
		return d.beat()
	case event.Heads:
		return d.replace(headsName(e.Epoch), line)
	case event.End:
		d.status.Ended = r.Time.UTC().Truncate(time.Millisecond)
		return d.beat()
	}
	return nil
}

// HeadsPath returns the path of the Heads after an epoch; 0 is before training.
func (d *Dir) HeadsPath(epoch int) string {
	return filepath.Join(d.Path, headsName(epoch))
}

// HeadEpochs returns the epochs with a file at HeadsPath, in order.
func (d *Dir) HeadEpochs() ([]int, error) {
	epochs, err := d.numbersIn(headsFolder, "epoch-", ".json",
		func(n int) string { return filepath.Base(headsName(n)) })
	slices.Sort(epochs)
	return epochs, err
}

func headsName(epoch int) string {
	return filepath.Join(headsFolder, fmt.Sprintf("epoch-%03d.json", epoch))
}

// ReadHeads reads the file that a run wrote at HeadsPath. The error is a *CorruptError if it holds no Heads.
func ReadHeads(path string) (heads event.Heads, err error) {
	b, err := ReadFile(path)
	if err != nil {
		return heads, err
	}
	var r event.Record
	if err := json.Unmarshal(b, &r); err != nil {
		return heads, &CorruptError{Path: path, Reason: err.Error()}
	}
	heads, ok := r.Event.(event.Heads)
	if !ok {
		return heads, &CorruptError{Path: path, Reason: "want heads, got " + event.Kind(r.Event)}
	}
	return heads, nil
}

// Records reads metrics.jsonl, all events or those of some kinds; see the function Records. Without that file there are
// no records.
func (d *Dir) Records(kinds ...string) ([]event.Record, error) {
	path := filepath.Join(d.Path, metricsFile)
	f, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := event.Records(f, kinds...)
	var fromDisk *fs.PathError
	switch {
	case errors.As(err, &fromDisk):
		err = wrap(err)
	case err != nil:
		err = &CorruptError{path, err.Error()}
	}
	return all, err
}

// appendTo opens a file of the run for appending, and creates it with the line head if it does not exist. It truncates
// the file after its last newline: a crash may have left an incomplete line.
func (d *Dir) appendTo(name, head string) (*os.File, error) {
	f, err := d.folder().OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, wrap(err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil && size > 0 {
		size, err = endOfLines(f, size)
		if err == nil {
			err = f.Truncate(size)
		}
	}
	if err == nil && size == 0 {
		_, err = f.WriteString(head)
	}
	if err != nil {
		return nil, wrap(errors.Join(err, f.Close()))
	}
	return f, nil
}

// openCurves opens metrics.jsonl and epochs.csv for appending.
func (d *Dir) openCurves() (err error) {
	if d.metrics, err = d.appendTo(metricsFile, ""); err != nil {
		return err
	}
	d.epochs, err = d.appendTo(epochsFile, epochsHeader)
	return err
}

// endOfLines returns the offset after the last newline in the first size bytes of f.
func endOfLines(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 1<<12)
	for size > 0 {
		n := min(int64(len(buf)), size)
		if _, err := f.ReadAt(buf[:n], size-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return size - n + int64(i) + 1, nil
		}
		size -= n
	}
	return 0, nil
}
