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

// A Meta is what attnconv's metadata say. Strings are opaque here: whoever needs them writes and reads them.
type Meta struct {
	Kind       string             // what the file is a checkpoint of
	Config     string             // YAML; at least its model: part
	Step       int                // optimizer steps taken
	Epoch      int                // whole epochs done
	RNG        string             // states of random streams
	Cursor     string             // the loader's place in the data
	Metrics    map[string]float64 // numbers that the run knew at this step; those that are not finite are left out
	DataDigest string             // of the training set
	Kernels    string             // the kernel set: rounding differs from one to another
	Version    string             // of the program
}

// texts pairs the metadata keys of the plain strings with their fields.
func (m *Meta) texts() map[string]*string {
	return map[string]*string{
		"attnconv.kind": &m.Kind, keyConfig: &m.Config, "attnconv.rng": &m.RNG, "attnconv.cursor": &m.Cursor,
		"attnconv.data_digest": &m.DataDigest, "attnconv.kernels": &m.Kernels, keyVersion: &m.Version,
	}
}

// Strings returns the metadata for File.Meta, attnconv.format among them. Empty fields are left out; Step and Epoch
// are always there.
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
			panic(err) // finite numbers under string keys
		}
		s[keyMetrics] = string(b)
	}
	return s
}

// ParseMeta reads what Strings wrote. Only attnconv.config must be there, so that another program's weights need no
// more than that. The caller knows the file's name: errors say which key is wrong.
func ParseMeta(s map[string]string) (Meta, error) {
	var m Meta
	if s[keyConfig] == "" {
		return m, fmt.Errorf("ckpt: metadata: no %s", keyConfig)
	}
	for key, text := range m.texts() {
		*text = s[key]
	}
	var err error
	if m.Step, err = number(s, keyStep); err != nil {
		return m, err
	}
	if m.Epoch, err = number(s, keyEpoch); err != nil {
		return m, err
	}
	if text, ok := s[keyMetrics]; ok {
		if err := json.Unmarshal([]byte(text), &m.Metrics); err != nil {
			return m, fmt.Errorf("ckpt: metadata: %s: %w", keyMetrics, err)
		}
	}
	return m, nil
}

// number returns a count from the metadata; 0 where it is missing.
func number(s map[string]string, key string) (int, error) {
	text, ok := s[key]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("ckpt: metadata: %s is %q, not a number from 0", key, text)
	}
	return n, nil
}
