package explorer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
)

// sampleSize is the number of test images that the page shows.
const sampleSize = 8

// A Sample is what the page shows of a run's images. A data set may take seconds to open, so the page asks for them
// apart from the run.
type Sample struct {
	V      int       `json:"v"`
	Images []Image   `json:"images"` // of the test set, of different classes as far as possible
	Mean   []float32 `json:"mean"`   // of their channels, as the network is given them
	Std    []float32 `json:"std"`
	Note   string    `json:"note"` // how they differ from those that the run was trained on; "": they do not
}

// An Image is one of the test set, or one that the user dropped.
type Image struct {
	Label string `json:"label"`
	Index int    `json:"index"`
	RGB   []byte `json:"rgb"` // (rows, columns, 3); a gray image has three equal channels
}

// Sample returns what the page shows of a run's images: none where they cannot be read.
func (s *Server) Sample(e run.Entry) (*Sample, error) {
	dir, err := e.Open()
	if err != nil {
		return nil, err
	}
	c, err := configs.Of(dir)
	if err != nil {
		return nil, err
	}
	d, from := &Sample{V: 1, Images: []Image{}}, trained.OriginOf(dir, c.Data, c.Model)
	set, err := s.shown(from)
	if other := (*trained.OtherImagesError)(nil); errors.As(err, &other) {
		d.Note = other.Error()
	}
	if err != nil {
		return d, nil
	}
	split, err := set.Part("test", from.Data)
	if err != nil {
		return d, nil
	}
	classes := set.Classes
	for _, i := range different(split.Labels, sampleSize) {
		d.Images = append(d.Images, imageOf(split, i, classes[split.Labels[i]]))
	}
	d.Mean, d.Std, d.Note = set.Mean, set.Std, set.Note
	return d, nil
}

// set returns the data set of a run; the last one that was opened is kept.
func (s *Server) set(from trained.Origin) (*data.Set, error) {
	return s.keep(from, false)
}

// shown is set, or drawn images where those of the run are not here: for views in which any images will do.
func (s *Server) shown(from trained.Origin) (*data.Set, error) {
	set, err := s.keep(from, false)
	if err != nil {
		return s.keep(from, true)
	}
	return set, nil
}

func (s *Server) keep(from trained.Origin, drawn bool) (*data.Set, error) {
	key := fmt.Sprintf("%v %q %q %s", drawn, from.Data.Name, from.Path, from.Images.Text())
	s.sets.mu.Lock()
	defer s.sets.mu.Unlock()
	if s.sets.set == nil || s.sets.key != key {
		set, err := from.Open("", s.o.Data)
		if err != nil && drawn {
			set, err = from.Drawn(err)
		}
		if err != nil {
			return nil, err
		}
		s.sets.key, s.sets.set = key, set
	}
	return s.sets.set, nil
}

// different returns indices of n labels, each class once before any is there twice.
func different(labels []int32, n int) (all []int) {
	for round := 0; len(all) < min(n, len(labels)); round++ {
		seen := map[int32]int{}
		for i, label := range labels {
			if seen[label]++; seen[label] == round+1 && len(all) < n {
				all = append(all, i)
			}
		}
	}
	return all
}

// imageOf returns an image as the page draws it.
func imageOf(split data.Split, i int, label string) Image {
	img := split.Image(i)
	b := img.Bounds()
	rgb := make([]byte, 0, 3*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, u, _ := img.At(x, y).RGBA()
			rgb = append(rgb, byte(r>>8), byte(g>>8), byte(u>>8))
		}
	}
	return Image{Label: label, Index: i, RGB: rgb}
}

// builtIn are images of 32 × 32 pixels that need no files.
var builtIn = sync.OnceValue(func() (images []Image) {
	test, classes := sets.SomeShapes(100)
	for _, i := range different(test.Labels, sampleSize) {
		images = append(images, imageOf(test, i, classes[test.Labels[i]]))
	}
	return images
})

// samples answers with built-in images, for a page without runs.
func (s *Server) samples(w http.ResponseWriter, r *http.Request) error {
	return respond(w, r, map[string]any{"v": 1, "images": builtIn()})
}

// Bounds of an image that the user drops.
const (
	mostUpload    = 8 << 20  // bytes
	mostPixels    = 25 << 20 // a photo has 12 to 24 million; 25 Mi take 0.3 GB and a second
	uploadTime    = 30 * time.Second
	mostUploads   = 16 // that are kept, for their attention
	mostUploading = 4  // that are read or wait, at a time
	retryAfter    = "5"
)

// An Upload is an image that the user dropped, in the network's size, with the network's classes.
type Upload struct {
	V       int                 `json:"v"`
	Key     string              `json:"key"`
	Image   Image               `json:"image"`
	Classes []trained.ClassProb `json:"classes"` // the most likely first
}

// upload reads an image as the command predict does, and classifies it.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) error {
	select {
	case s.uploading <- struct{}{}:
		defer func() { <-s.uploading }()
	default:
		w.Header().Set("Retry-After", retryAfter)
		return &refusal{http.StatusServiceUnavailable,
			"other images are being read: try it again in " + retryAfter + " s"}
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostUpload))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return &refusal{http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the file is too large: want at most %d MB", mostUpload>>20)}
	}
	if err != nil {
		return err
	}
	m, err := s.model(r, latest)
	if err != nil {
		return err
	}
	images, classes, err := s.classify(r.Context(), m, b)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	key := "u" + hex.EncodeToString(sum[:8])
	s.uploads.keep(key, images)
	return respond(w, r, Upload{1, key, imageOf(images, 0, ""), classes})
}

// classify reads an image file and classifies it, once the images before it are done. The wait does not count as its
// time.
func (s *Server) classify(ctx context.Context, m *loaded, file []byte) (
	one data.Split, classes []trained.ClassProb, err error,
) {
	c, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err == nil && int64(c.Width)*int64(c.Height) > mostPixels {
		return one, nil, &refusal{http.StatusUnsupportedMediaType, fmt.Sprintf(
			"the image has %d × %d pixels: want at most %d Mi on this page; attnconv predict reads more", c.Width, c.Height,
			mostPixels>>20)}
	}
	s.decoding.Lock()
	defer s.decoding.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	defer cancel()
	one, _, err = trained.ReadImages(bytes.NewReader(file), m.Format(), "-")
	if bad := (*data.CorruptError)(nil); errors.As(err, &bad) {
		return one, nil, &refusal{http.StatusUnsupportedMediaType,
			"this program cannot read it as an image: " + bad.Reason}
	}
	if err != nil {
		return one, nil, err
	}
	predictions, err := m.Predict(ctx, one, []string{"image"}, trained.PredictOptions{})
	if err != nil {
		return one, nil, err
	}
	return one, predictions[0].Classes, nil
}

// uploads keeps the last images that were dropped, by their keys.
type uploads struct {
	mu   sync.Mutex
	keys []string // the oldest first
	of   map[string]data.Split
}

func (u *uploads) keep(key string, images data.Split) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.of == nil {
		u.of = map[string]data.Split{}
	}
	if _, there := u.of[key]; !there {
		u.keys = append(u.keys, key)
	}
	if u.of[key] = images; len(u.keys) > mostUploads {
		delete(u.of, u.keys[0])
		u.keys = u.keys[1:]
	}
}

func (u *uploads) find(key string) (data.Split, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	images, ok := u.of[key]
	return images, ok
}
