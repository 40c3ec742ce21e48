package sets

import (
	"context"

	"github.com/attnconv/attnconv/data"
)

func check(what, got, want, by string) Check {
	if want == "" {
		by = ""
	}
	return Check{What: what, Got: got, Want: want, By: by, Holds: want == "" || got == want}
}

// Verify reads the set anew and compares its digests with those that were published; those of an imported set with
// those that it had when it was imported. The error is a *data.CorruptError for files that cannot be read as a set, or
// the context's.
func (s StoredSet) Verify(ctx context.Context) (Verification, error) {
	v := Verification{Name: s.Name, Form: s.Layout, Path: s.Path}
	checks, err := untilDone(ctx, s.digests)
	if err != nil {
		return v, err
	}
	v.Checks, v.Exact, v.Holds = checks, exact(s.Name, checks), true
	for _, c := range checks {
		v.Holds = v.Holds && c.Holds
	}
	return v, nil
}

// digests reads the set anew and compares its digests.
func (s StoredSet) digests() (checks []Check, err error) {
	if s.packed {
		set, p, err := loadPacked(s.Path)
		if err != nil {
			return nil, err
		}
		if set.Train.Len() > 0 {
			checks = append(checks, check("train", set.Digest.Train, p.Digest.Train, "imported"))
		}
		if set.Val.Len() > 0 {
			checks = append(checks, check("val", valDigest(set), p.Val, "imported"))
		}
		return append(checks, check("test", set.Digest.Test, p.Digest.Test, "imported")), nil
	}
	var set *data.Set
	if s.place.archive {
		var src Source
		if set, src, err = recognizeFile(s.Path, layouts{s.place.layout}, reading{}); err == nil {
			checks = append(checks, check("archive", src.SHA256, s.place.layout.published.sha256, "published"))
		}
	} else {
		set, err = s.place.layout.openFolder(s.Path)
	}
	if err != nil {
		return nil, err
	}
	var known data.Digests
	if k := Kinds.Find(s.Name); k != nil {
		known = k.Digest
	}
	return append(checks, check("train", set.Digest.Train, known.Train, "published"),
		check("test", set.Digest.Test, known.Test, "published")), nil
}

// exact reports whether checks are those of images as they were published.
func exact(name string, checks []Check) bool {
	if !HasDigest(name) {
		return false
	}
	k := Kinds.Find(name)
	for _, c := range checks {
		if c.What == "train" && c.Got != k.Digest.Train || c.What == "test" && c.Got != k.Digest.Test {
			return false
		}
	}
	return true
}
