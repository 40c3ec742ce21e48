package sets

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/pickle"
)

// A reader fills the splits of a CIFAR set file by file, in whatever order the files come.
type reader struct {
	layout
	train, test data.Split
	seen        []bool // by file, in the order of layout.files
}

func newReader(l layout) *reader {
	return &reader{
		layout: l, train: data.Split{Format: l.format}, test: data.Split{Format: l.format},
		seen: make([]bool, len(l.train)+1),
	}
}

// form is how a record is written, except for the coarse label.
func (r *reader) form() recordForm {
	return recordForm{len(r.classes) > 256, r.floats, r.format.Size()}
}

// openFolder reads the files in folder.
func (l layout) openFolder(folder string) (*data.Set, error) {
	r := newReader(l)
	for i, name := range l.files() {
		if err := r.open(i, filepath.Join(folder, name)); err != nil {
			return nil, err
		}
	}
	return r.set(folder), nil
}

func (r *reader) open(i int, path string) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.read(i, path, f, f.Size)
}

// labelBytes is the number of label bytes of a record: the coarse class, if there is one, and the class.
func (r *reader) labelBytes() int {
	if r.coarse > 0 {
		return 2
	}
	return r.form().labelBytes()
}

// recordBytes is the size of a record.
func (r *reader) recordBytes() int { return r.labelBytes() + r.form().bytes() - r.form().labelBytes() }

// records is the number of records of file i.
func (r *reader) records(i int) int {
	if i == len(r.layout.train) {
		return r.perTest
	}
	return r.perTrain
}

// bytes is the size of file i; of a pickle, the most that it may have: with bytes written as text, which takes two for
// half of them, with the names of the images, and more.
func (r *reader) bytes(i int) int64 {
	if r.labels != "" {
		return int64(r.records(i))*int64(2*r.format.Size()+1024) + 1<<16
	}
	return int64(r.records(i)) * int64(r.recordBytes())
}

// read takes file i from in, which says that it has size bytes. Memory is allocated only after the size has been
// checked.
func (r *reader) read(i int, path string, in io.Reader, size int64) error {
	switch want := r.bytes(i); {
	case r.labels != "" && size > want:
		return corrupt(path, nil, "want at most %d bytes, got %d", want, size)
	case r.labels == "" && size != want:
		return corrupt(path, nil, "want %d bytes, got %d", want, size)
	}
	if r.seen[i] {
		return corrupt(path, nil, "want this file once, and it comes twice")
	}
	r.seen[i] = true
	s, total, from := &r.train, len(r.layout.train)*r.perTrain, i*r.perTrain
	if i == len(r.layout.train) {
		s, total, from = &r.test, r.perTest, 0
	}
	if s.Labels == nil {
		*s = data.NewSplit(r.format, total, r.floats)
	}
	if r.labels != "" {
		return r.fillPickled(s, from, path, in, size, r.records(i))
	}
	return r.fill(s, from, path, in, r.records(i))
}

// fill reads n records into images from, from+1, ... of s.
func (r *reader) fill(s *data.Split, from int, path string, in io.Reader, n int) error {
	buffered := bufio.NewReaderSize(in, 1<<18)
	form, record := r.form(), make([]byte, r.recordBytes())
	for k := range n {
		_, err := io.ReadFull(buffered, record)
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return corrupt(path, nil, "want %d records of %d bytes, and the file ends in record %d", n, len(record),
				k+1)
		case err != nil:
			return corrupt(path, err, "record %d", k+1)
		}
		if r.coarse > 0 && int(record[0]) >= r.coarse {
			return corrupt(path, nil, "record %d: want a coarse label below %d, got %d", k+1, r.coarse, record[0])
		}
		class := int32(record[r.labelBytes()-1])
		if form.wide {
			class = int32(record[0]) | class<<8
		}
		if int(class) >= len(r.classes) {
			return corrupt(path, nil, "record %d: want a label below %d, got %d", k+1, len(r.classes), class)
		}
		s.Labels[from+k] = class
		if err := form.read(*s, from+k, record[r.labelBytes():]); err != nil {
			return corrupt(path, err, "record %d", k+1)
		}
	}
	return nil
}

// set is what was read, from path.
func (r *reader) set(path string) *data.Set {
	s := &data.Set{
		Format: r.format, Name: r.name, Path: path, Classes: r.classes, Train: r.train, Test: r.test,
		HeldOut: r.valSize(), Stream: "holdout/" + r.name,
	}
	return finish(s)
}

// fillPickled reads n images from a pickle of at most size bytes into images from, from+1, ... of s, as fill does.
//
//	{"data": array (n, channels·rows·cols) of bytes, "labels" or "fine_labels": list of n integers, ...}
func (r *reader) fillPickled(s *data.Split, from int, path string, in io.Reader, size int64, n int) error {
	var content bytes.Buffer
	content.Grow(int(size) + bytes.MinRead) // not touched before it is filled, so it costs nothing if size lies
	if _, err := io.Copy(&content, io.LimitReader(in, size)); err != nil {
		return corrupt(path, cause(err), "want a whole file")
	}
	if int64(content.Len()) != size {
		return corrupt(path, nil, "want %d bytes, and the file ends after %d", size, content.Len())
	}
	v, err := pickle.Parse(content.Bytes())
	if err != nil {
		return corrupt(path, err, "want a batch of %s as Python writes it", r.name)
	}
	batch, ok := v.(*pickle.Dict)
	if !ok {
		return corrupt(path, nil, "want a dictionary with data and %s", r.labels)
	}
	pixels, ok := batch.Items["data"].(*pickle.Array)
	if !ok || len(pixels.Shape) != 2 || pixels.Shape[0] != n || pixels.Shape[1] != s.Size() {
		return corrupt(path, nil, "want an array called data, %d × %d bytes", n, s.Size())
	}
	labels, ok := batch.Items[r.labels].(*pickle.List)
	if !ok || len(labels.Items) != n {
		return corrupt(path, nil, "want a list called %s, of %d integers", r.labels, n)
	}
	for k, item := range labels.Items {
		label, ok := item.(int64)
		if !ok || label < 0 || label >= int64(len(r.classes)) {
			return corrupt(path, nil, "image %d: want a label below %d, got %v", k+1, len(r.classes), item)
		}
		s.Labels[from+k] = int32(label)
	}
	copy(s.Pixels[from*s.Size():], pixels.Data)
	return nil
}
