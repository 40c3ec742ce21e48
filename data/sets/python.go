package sets

import (
	"bytes"
	"io"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/pickle"
)

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
