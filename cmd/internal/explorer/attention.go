package explorer

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/model/heads"
)

// A Maps document is the line before the bytes of an answer with attention: for each layer that attends, the parts that
// its scores have, and of each head the least and the largest value.
type Maps struct {
	V       int     `json:"v"`
	ByImage bool    `json:"by_image"` // they depend on the image
	Layers  []Layer `json:"layers"`
}

// A Layer says how to read the bytes of a layer's maps: (heads, queries, keys), a byte v standing for
// least + v/255·(largest - least) of its head.
type Layer struct {
	Block  int       `json:"block"` // from 0
	Heads  int       `json:"heads"`
	Tokens int       `json:"tokens"`
	Has    []string  `json:"has"` // the parts that there are: content, position
	Least  []float64 `json:"least"`
	Most   []float64 `json:"most"`
	// of a network of another program, what each row lacks to 1, in 255ths: (heads, queries)
	Elsewhere []byte `json:"elsewhere,omitempty"`
}

// parts of attention that may be asked for: the weights after the softmax, the scores before it, or one of their terms.
var parts = []string{"weights", "scores", "content", "position"}

// attention answers with the attention of all heads on an image, from each query: a line of JSON, a Maps, then the
// bytes of its layers. A layer without the part has none.
func (s *Server) attention(w http.ResponseWriter, r *http.Request) error {
	part := "weights"
	if text := r.URL.Query().Get("part"); text != "" {
		part = text
	}
	if !slices.Contains(parts, part) {
		return &refusal{http.StatusBadRequest, "part: want one of " + strings.Join(parts, ", ")}
	}
	epoch := latest
	if text := r.URL.Query().Get("epoch"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return &refusal{http.StatusBadRequest, "epoch: want a whole number from 0"}
		}
		epoch = n
	}
	m, err := s.model(r, epoch)
	if err != nil {
		return err
	}
	values, err := s.values(r.PathValue("image"), m)
	if err != nil {
		return err
	}
	var scores []heads.Scores
	d := Maps{V: 1, Layers: []Layer{}}
	if err := m.read(func(reader *heads.Reader) (err error) {
		d.ByImage = reader.ByImage
		scores, err = reader.Of(values)
		return err
	}); err != nil {
		return err
	}
	var bytes []byte
	for block, sc := range scores {
		if sc.Heads == 0 {
			continue
		}
		l := Layer{Block: block, Heads: sc.Heads, Tokens: sc.Tokens,
			Has: []string{}, Least: []float64{}, Most: []float64{}}
		for name, x := range map[string][]float32{"content": sc.Content, "position": sc.Position} {
			if x != nil {
				l.Has = append(l.Has, name)
			}
		}
		slices.Sort(l.Has)
		if x := partOf(sc, part); x != nil {
			bytes = append(bytes, quantized(&l, x)...)
		}
		d.Layers = append(d.Layers, l)
	}
	return respondBytes(w, d, bytes)
}

// partOf returns a part of the scores, (heads, queries, keys), or nil.
func partOf(s heads.Scores, part string) []float32 {
	switch part {
	case "content":
		return s.Content
	case "position":
		return s.Position
	case "scores":
		if s.Content == nil || s.Position == nil {
			return append(slices.Clone(s.Content), s.Position...)
		}
		sum := slices.Clone(s.Content)
		for i, v := range s.Position {
			sum[i] += v
		}
		return sum
	}
	return s.Weights()
}

// quantized returns a byte for each value, and notes the range of each head.
func quantized(l *Layer, x []float32) []byte {
	all, each := make([]byte, len(x)), l.Tokens*l.Tokens
	for h := range l.Heads {
		of := x[h*each : (h+1)*each]
		least, most := float64(slices.Min(of)), float64(slices.Max(of))
		l.Least, l.Most = append(l.Least, least), append(l.Most, most)
		if most > least {
			for i, v := range of {
				all[h*each+i] = byte(math.Round(255 * (float64(v) - least) / (most - least)))
			}
		}
	}
	return all
}

// values returns an image as the network is given it: one of the test set by its number, or an upload by its key. It is
// nil for a network whose attention does not depend on images.
func (s *Server) values(image string, m *loaded) ([]float32, error) {
	byImage := false
	if err := m.read(func(r *heads.Reader) error { byImage = r.ByImage; return nil }); err != nil || !byImage {
		return nil, err
	}
	split, found := s.uploads.find(image)
	if !found {
		i, err := strconv.Atoi(image)
		if err != nil || i < 0 {
			return nil, &refusal{http.StatusNotFound, "there is no such image"}
		}
		set, err := s.shown(m.Origin())
		if err != nil {
			return nil, err
		}
		test, err := set.Part("test", m.Config.Data)
		if err != nil {
			return nil, err
		}
		if i >= test.Len() {
			return nil, &refusal{http.StatusNotFound, "there is no such image"}
		}
		split = test.Subset([]int{i})
	}
	inputs, err := split.Inputs(1)
	if err != nil {
		return nil, err
	}
	return inputs[0], nil
}

// weights answers with the weights of a run's best checkpoint for the page to compute with: a line of JSON that names
// the tensors and their shapes, in order, and has the operators of Gaussian heads, then the elements as float32,
// little-endian.
func (s *Server) weights(w http.ResponseWriter, r *http.Request) error {
	m, err := s.model(r, latest)
	if err != nil {
		return err
	}
	size := 0
	for _, t := range m.Net.Tensors() {
		size += 4 * len(t.Data)
	}
	if size > mostWeights {
		return &refusal{http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the network is too large for a page: %d MB", size>>20)}
	}
	type tensor struct {
		Name  string `json:"name"`
		Shape []int  `json:"shape"`
	}
	var order []tensor
	b := make([]byte, 0, size)
	for _, t := range m.Net.Tensors() {
		order = append(order, tensor{t.Name, t.Shape})
		for _, v := range t.Data {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	operators, err := m.operators(r.Context(), m.Meta.Epoch)
	if err != nil {
		return err
	}
	return respondBytes(w, map[string]any{"v": 1, "order": order, "operators": operators}, b)
}

// mostWeights is the largest network whose weights are sent to the page, in bytes.
const mostWeights = 16 << 20

// respondBytes answers with a line of JSON, and bytes behind it.
func respondBytes(w http.ResponseWriter, head any, b []byte) error {
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, err = w.Write(append(append(line, '\n'), b...))
	return err
}
