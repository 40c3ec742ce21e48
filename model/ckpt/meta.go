package ckpt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

const (
	keyFormat  = "attnconv.format"
	keyVersion = "attnconv.version"
	keyDigest  = "attnconv.tensor_sha256"
	keyConfig  = "attnconv.config"
	keyStep    = "attnconv.step"
	keyEpoch   = "attnconv.epoch"
	keyMetrics = "attnconv.metrics"
)

// A Meta is attnconv's metadata of a checkpoint. This package does not interpret its strings.
type Meta struct {
	Kind       string             // of the model
	Config     string             // YAML; at least its section model
	Step       int                // optimizer steps done
	Epoch      int                // whole epochs done
	RNG        string             // states of random streams
	Cursor     string             // the loader's position in the data
	Metrics    map[string]float64 // of the run at this step, without those that are not known
	DataDigest string             // of the training set
	Images     string             // what the network knows of its images, as JSON; "": nothing
	Kernels    string             // the kernel set: rounding differs from one to another
	Version    string             // of the program
	Surgery    string             // operations on heads, as JSON
}

// texts returns the string fields by metadata key.
func (m *Meta) texts() map[string]*string {
	return map[string]*string{
		"attnconv.kind": &m.Kind, keyConfig: &m.Config, "attnconv.rng": &m.RNG, "attnconv.cursor": &m.Cursor,
		"attnconv.data_digest": &m.DataDigest, "attnconv.images": &m.Images,
		"attnconv.kernels": &m.Kernels, keyVersion: &m.Version, "attnconv.surgery": &m.Surgery,
	}
}

// unknown reports whether a metric was not measured. It is not finite, or it is the loss or the accuracy of an epoch
// that was not evaluated. Then both are 0, also in the files of earlier versions.
func (m *Meta) unknown(name string) bool {
	split, _, _ := strings.Cut(name, "_")
	loss, one := m.Metrics[split+"_loss"]
	acc, two := m.Metrics[split+"_acc"]
	x := m.Metrics[name]
	return math.IsNaN(x) || math.IsInf(x, 0) || x == 0 && one && two && loss == 0 && acc == 0
}

// Strings returns the metadata for File.Meta, with attnconv.format. It leaves out empty fields except Step and Epoch.
func (m Meta) Strings() map[string]string {
	s := map[string]string{
		keyFormat: strconv.Itoa(Format), keyStep: strconv.Itoa(m.Step), keyEpoch: strconv.Itoa(m.Epoch),
	}
	for key, text := range m.texts() {
		if *text != "" {
			s[key] = *text
		}
	}
	metrics := map[string]*float64{} // nil: not known
	for name, x := range m.Metrics {
		metrics[name] = nil
		if !m.unknown(name) {
			metrics[name] = &x
		}
	}
	if len(metrics) > 0 {
		b, err := json.Marshal(metrics)
		if err != nil {
			panic(err) // unreachable: finite floats under string keys
		}
		s[keyMetrics] = string(b)
	}
	return s
}

// ParseMeta is the inverse of Strings. Only attnconv.config is required, so that other programs need write no more.
// Errors name the key, but not the file.
func ParseMeta(s map[string]string) (Meta, error) {
	var m Meta
	if s[keyConfig] == "" {
		return m, fmt.Errorf("metadata: no %s", keyConfig)
	}
	for key, text := range m.texts() {
		*text = s[key]
	}
	var err error
	if m.Step, err = parseCount(s, keyStep); err != nil {
		return m, err
	}
	if m.Epoch, err = parseCount(s, keyEpoch); err != nil {
		return m, err
	}
	if text, ok := s[keyMetrics]; ok {
		if m.Metrics, err = parseMetrics(text); err != nil {
			return m, fmt.Errorf("metadata: %s: %w", keyMetrics, err)
		}
		known := maps.Clone(m.Metrics)
		maps.DeleteFunc(known, func(name string, _ float64) bool { return m.unknown(name) })
		m.Metrics = known
	}
	return m, nil
}

// ReadWithMeta reads the file at path with attnconv's metadata, which it must have. The error is as Read's.
func ReadWithMeta(path string) (*File, Meta, error) {
	f, err := Read(path)
	if err != nil {
		return nil, Meta{}, err
	}
	meta, err := ParseMeta(f.Meta)
	if err != nil {
		return nil, meta, &CorruptError{Path: path, Reason: err.Error()}
	}
	return f, meta, nil
}

// parseMetrics reads a JSON object of numbers; null is NaN.
func parseMetrics(text string) (map[string]float64, error) {
	var values map[string]*float64
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, err
	}
	metrics := map[string]float64{}
	for name, x := range values {
		metrics[name] = *cmp.Or(x, new(math.NaN()))
	}
	return metrics, nil
}

// parseCount returns a count from the metadata, or 0 if it is missing.
func parseCount(s map[string]string, key string) (int, error) {
	text, ok := s[key]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("metadata: %s is %q, not an integer from 0", key, text)
	}
	return n, nil
}
