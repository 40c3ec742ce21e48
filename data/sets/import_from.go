package sets

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime"

	"github.com/attnconv/attnconv/data"
)

// ImportOptions say what ImportFrom makes of the files.
type ImportOptions struct {
	Dir   string // the data folder; "": Dir()
	Name  string // of the set; "": that of its images where they have one, else the last part of the path
	Image Fit    // the images that are made of the files
	Force bool   // replace a set of that name

	SkipBroken bool // leave out pictures that cannot be read, which the report names; else they are an error
	DryRun     bool // write nothing
}

// ImportFrom copies the data set at path, which it knows by its content as Recognize does, into the data folder. The
// error is a *data.MissingError, a *data.CorruptError or a *ExistsError, the context's, or an *option.Error for "name"
// or "image".
func ImportFrom(ctx context.Context, path string, o ImportOptions) (ImportReport, error) {
	if o.Dir == "" {
		o.Dir = Dir()
	}
	set, src, err := recognizeUntil(ctx, path, reading{o.Image, o.SkipBroken})
	if err != nil {
		return ImportReport{}, err
	}
	inventory := set.Inventory
	if o.DryRun {
		r := reportOf(set, src, inventory)
		r.Name = cmp.Or(o.Name, set.Name, nameOf(path))
		return r, nil
	}
	folder, err := Import(set, src, path, o.Dir, o.Name, o.Force)
	if err != nil {
		return ImportReport{}, err
	}
	runtime.GC() // set is garbage: the copy, which describeImport reads, takes its memory
	return describeImport(folder, src, inventory)
}

// describeImport describes the set in a folder that Import made, as it is stored now.
func describeImport(folder string, src Source, v data.Inventory) (ImportReport, error) {
	s, err := OpenFolder(folder)
	if err != nil {
		return ImportReport{}, err
	}
	r := reportOf(s, src, v)
	r.Name, r.Path = filepath.Base(folder), folder
	return r, nil
}

// reportOf describes a set, without its name and path.
func reportOf(s *data.Set, src Source, v data.Inventory) ImportReport {
	if v.Left == nil {
		v.Left = []data.Rest{}
	}
	r := ImportReport{
		V: 1, Source: src.What, Train: s.Train.Len(), Val: s.Val.Len(), Test: s.Test.Len(), Classes: s.Classes,
		Digest: s.Digest, Published: s.Published, Altered: s.Altered, Inventory: v,
	}
	if src.SHA256 != "" {
		r.Archive = &Archive{Bytes: src.Bytes, SHA256: src.SHA256, Published: src.Published}
	}
	return r
}

// recognizeUntil is recognizeAs, abandoned when ctx is done: it only reads.
func recognizeUntil(ctx context.Context, path string, want reading) (*data.Set, Source, error) {
	type found struct {
		set *data.Set
		src Source
	}
	f, err := untilDone(ctx, func() (found, error) {
		set, src, err := recognizeAs(path, want)
		return found{set, src}, err
	})
	return f.set, f.src, err
}

// untilDone returns the result of work, or the error of ctx if that is done first; work then runs on unattended. A
// panic in work is raised again in the caller.
func untilDone[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		v     T
		err   error
		panic any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { o.panic = recover(); done <- o }()
		o.v, o.err = work()
	}()
	select {
	case o := <-done:
		if o.panic != nil {
			panic(o.panic)
		}
		return o.v, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
