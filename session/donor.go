package session

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
)

// The heads of a run with model.heads_init from:FILE are read before its first step. From the first checkpoint on they
// are weights, and FILE is not needed. A run that stopped before starts again, and refuses a FILE that has changed.

// place puts the heads of the network where those of the donor are, if the settings name one.
func (s *Session) place() error {
	d, ok, err := s.config.Run.Model.Donor()
	if !ok || err != nil {
		return err
	}
	from, err := donorHeads(d.File)
	if err != nil {
		return err
	}
	if err := s.net.Place(d, heads.Recorded(from), isotropic(from)); err != nil {
		return s.config.Explain(option.Errorf("model.heads_init", "%s: %v", s.config.Run.Model.HeadsInit, err))
	}
	b, err := json.Marshal(from.Layers)
	if err != nil {
		return err // a number that JSON does not have, which Place refuses
	}
	s.donor.digest = fmt.Sprintf("%x", sha256.Sum256(b))
	s.donor.note = fmt.Sprintf("heads start where those of %s are after epoch %d: %s", d.File, from.Epoch, d)
	return nil
}

// isotropic reports whether recorded heads are those of encoding quadratic.
func isotropic(h event.Heads) bool {
	for _, l := range h.Layers {
		if len(l.Precision) > 0 {
			return false
		}
	}
	return true
}

// donorHeads reads Gaussian heads: from a run's folder those of its best checkpoint, from a checkpoint those in it, and
// from a result of a study (.json) those behind the last epoch.
func donorHeads(path string) (event.Heads, error) {
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return studyHeads(path)
	}
	m, err := trained.Open(path)
	if err != nil {
		return event.Heads{}, err
	}
	layers, isotropic := m.Net.Heads()
	if layers == nil {
		return event.Heads{}, &run.CorruptError{Path: path, Reason: fmt.Sprintf("%s has no Gaussian heads",
			m.Net.Spec.ShortName())}
	}
	return heads.Record(m.Meta.Epoch, layers, isotropic), nil
}

// studyHeads reads the heads of a result of a study: its heads are events by the number of the epoch, 000 and others.
func studyHeads(path string) (last event.Heads, err error) {
	corrupt := func(format string, args ...any) (event.Heads, error) {
		return event.Heads{}, &run.CorruptError{Path: path, Reason: fmt.Sprintf(format, args...)}
	}
	b, err := run.ReadFile(path)
	if err != nil {
		return last, err
	}
	var result struct{ Heads map[string]event.Record }
	if err := json.Unmarshal(b, &result); err != nil {
		return corrupt("want the result of a study: %v", err)
	}
	last.Epoch = -1
	for _, r := range result.Heads {
		e, ok := r.Event.(event.Heads)
		if !ok {
			return corrupt("its heads are no events called heads")
		}
		if e.Epoch > last.Epoch {
			last = e
		}
	}
	if len(last.Layers) == 0 {
		return corrupt("it keeps no heads; the results of a study do for networks of Gaussian heads")
	}
	for i, l := range last.Layers {
		if n := len(l.Centers); n != len(l.Alpha)+len(l.Precision) || len(l.Alpha) > 0 && len(l.Precision) > 0 {
			return corrupt("layer %d has %d centers and not as many widths", i+1, n)
		}
	}
	return last, nil
}

// placeAgain is place in a run that stopped before its first checkpoint.
func (s *Session) placeAgain() error {
	if err := s.place(); err != nil {
		return err
	}
	if began := s.dir.Status().Donor; began != s.donor.digest {
		return s.config.Explain(option.Errorf("model.heads_init", "%s: it no longer has the heads that run %s began with "+
			"(digests %.12s, and then %.12s)\n  a new run with what it has now: attnconv train -c %s",
			s.config.Run.Model.HeadsInit, s.dir.Status().ID, began, s.donor.digest,
			shell.Line(filepath.Join(s.dir.Path, "config.yaml"))))
	}
	return nil
}
