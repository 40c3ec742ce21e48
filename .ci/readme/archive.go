package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

const (
	records = 10000 // images in a file of CIFAR-10
	pixels  = 3072  // bytes of an image
)

// archive writes cifar-10-python.tar.gz, the reader's copy of CIFAR-10, to the clone.
func archive(r *reader) error {
	f, err := os.Create(filepath.Join(r.clone, "cifar-10-python.tar.gz"))
	if err != nil {
		return err
	}
	zipped, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := tar.NewWriter(zipped)
	for i, name := range []string{
		"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch",
	} {
		labels, images, err := batch(name, uint64(i))
		if err != nil {
			return err
		}
		b := pickled(labels, images)
		if err := w.WriteHeader(&tar.Header{Name: "cifar-10-batches-py/" + name, Mode: 0o644,
			Size: int64(len(b))}); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	for _, c := range []io.Closer{w, zipped, f} {
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}

// batch returns the labels and images of a file of CIFAR-10.
func batch(name string, seed uint64) (labels, images []byte, err error) {
	folder := os.Getenv("ATTNCONV_CIFAR10")
	if folder == "" {
		random := rand.NewChaCha8([32]byte{byte(seed)})
		labels, images = make([]byte, records), make([]byte, records*pixels)
		random.Read(images)
		for i := range labels {
			labels[i] = byte(i % 10)
		}
		return labels, images, nil
	}
	b, err := os.ReadFile(filepath.Join(folder, name+".bin"))
	if err != nil {
		return nil, nil, err
	}
	if len(b) != records*(1+pixels) {
		return nil, nil, fmt.Errorf("%s.bin has %d bytes, want %d", name, len(b), records*(1+pixels))
	}
	for record := range slices.Chunk(b, 1+pixels) {
		labels, images = append(labels, record[0]), append(images, record[1:]...)
	}
	return labels, images, nil
}

// pickled encodes a batch as Python 2 did, protocol 2: {"labels": list, "data": uint8 array of records × pixels}.
func pickled(labels, images []byte) []byte {
	word := func(s string) string { return "U" + string([]byte{byte(len(s))}) + s }
	number := func(n uint16) string { return "M" + string(binary.LittleEndian.AppendUint16(nil, n)) }
	b := []byte("\x80\x02}(" + word("labels") + "](")
	for _, l := range labels {
		b = append(b, 'K', l)
	}
	b = append(b, "e"+word("data")+"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"+
		"(K\x01"+number(records)+number(pixels)+"\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R"+
		"(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(images)))
	return append(append(b, images...), "tbu."...)
}
