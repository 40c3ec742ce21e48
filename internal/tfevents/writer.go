// Package tfevents writes the event files of TensorBoard: a stream of records, each a length, its checksum, an Event
// (tensorflow/core/util/event.proto) and its checksum.
package tfevents

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
)

// A Writer is an event file that is being written. It is not safe for concurrent use.
type Writer struct {
	file *os.File
	err  error // the first one; later writes do nothing
}

// Create creates an event file in dir for a run that begins or, with step > 0, resumes after that step: TensorBoard
// then discards events of later steps in earlier files of dir. It never overwrites a file, and dir must not be a link.
func Create(dir string, now time.Time, step int) (*Writer, error) {
	in, folder := disk.Split(dir)
	if err := in.MkdirAll(folder); err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		// TensorBoard reads the files of a folder in the order of their names.
		name := fmt.Sprintf("events.out.tfevents.%010d.attnconv.%d", now.Unix(), n)
		f, err := in.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		w := &Writer{file: f}
		w.event(now, 0, message(nil).text(3, "brain.Event:2")) // file_version
		if step > 0 {
			const start = 1 // SessionLog.START
			w.event(now, int64(step)+1, message(nil).message(7, message(nil).int(1, start)))
		}
		return w, w.err
	}
}

// A Scalar is a named value. TensorBoard groups names by what is before the slash.
type Scalar struct {
	Tag   string
	Value float64
}

// Scalars writes the scalars of one step.
func (w *Writer) Scalars(now time.Time, step int, list ...Scalar) error {
	var summary message
	for _, s := range list {
		summary = summary.message(1, message(nil).text(1, s.Tag).float(2, float32(s.Value))) // tag, simple_value
	}
	w.event(now, int64(step), message(nil).message(5, summary)) // summary
	return w.err
}

// Image writes an image; data is a PNG file.
func (w *Writer) Image(now time.Time, step int, tag string, data []byte) error {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", tag, err)
	}
	const rgba = 4
	image := message(nil).int(1, int64(size.Height)).int(2, int64(size.Width)).int(3, rgba).text(4, string(data))
	value := message(nil).text(1, tag).message(4, image)
	w.event(now, int64(step), message(nil).message(5, message(nil).message(1, value)))
	return w.err
}

// Close closes the file.
func (w *Writer) Close() error {
	if err := w.file.Close(); w.err == nil && err != nil {
		w.err = err
	}
	return w.err
}

// event writes an Event: wall_time, step and the field what.
func (w *Writer) event(now time.Time, step int64, what message) {
	e := message(nil).double(1, float64(now.UnixMicro())/1e6)
	if step != 0 {
		e = e.int(2, step)
	}
	w.record(append(e, what...))
}

// record writes a TFRecord in one call of Write.
func (w *Writer) record(data []byte) {
	if w.err != nil {
		return
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, len(data)+16), uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, maskedChecksum(b))
	b = append(b, data...)
	b = binary.LittleEndian.AppendUint32(b, maskedChecksum(data))
	if _, err := w.file.Write(b); err != nil {
		w.err = err
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedChecksum is the checksum of a TFRecord: CRC-32C, rotated and offset (tensorflow/core/lib/hash/crc32c.h).
func maskedChecksum(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
