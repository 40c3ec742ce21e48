package ckpt

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
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
	Metrics    map[string]float64 // of the run at this step; values that are not finite are not written
	DataDigest string             // of the training set
	Kernels    string             // the kernel set: rounding differs from one to another
	Version    string             // of the program
}

// texts returns the string fields by metadata key.
func (m *Meta) texts() map[string]*string {
	return map[string]*string{
		"attnconv.kind": &m.Kind, keyConfig: &m.Config, "attnconv.rng": &m.RNG, "attnconv.cursor": &m.Cursor,
		"attnconv.data_digest": &m.DataDigest, "attnconv.kernels": &m.Kernels, keyVersion: &m.Version,
	}
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
	finite := map[string]float64{}
	for name, x := range m.Metrics {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			finite[name] = x
		}
	}
	if len(finite) > 0 {
		b, err := json.Marshal(finite)
		if err != nil {
			panic(err) // unreachable: finite floats under string keys
		}
		s[keyMetrics] = string(b)
	}
	return s
}

// ParseMeta is the inverse of Strings. Only attnconv.config is required, so that other programs need write no more. Errors
// name the key, but not the file.
func ParseMeta(s map[string]string) (Meta, error) {
	var m Meta
	if s[keyConfig] == "" {
		return m, fmt.Errorf("ckpt: metadata: no %s", keyConfig)
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
		if err := json.Unmarshal([]byte(text), &m.Metrics); err != nil {
			return m, fmt.Errorf("ckpt: metadata: %s: %w", keyMetrics, err)
		}
	}
	return m, nil
}

// parseCount returns a count from the metadata, or 0 if it is missing.
func parseCount(s map[string]string, key string) (int, error) {
	text, ok := s[key]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("ckpt: metadata: %s is %q, not an integer from 0", key, text)
	}
	return n, nil
}
