package sets

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/fetch"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
)

// GetOptions say how Get downloads a set. Get only reads them.
type GetOptions struct {
	Dir   string   // the data folder; "": Dir()
	URLs  []string // mirrors of the archive, or of the folder of its files, tried in order; nil: the publisher
	Force bool     // also if the set is in the data folder

	Note  func(text string)                  // is told what is done; may be nil
	Watch func(file string) (Watcher, error) // begins to show the download of a file; may be nil
}

// A Watcher shows a download.
type Watcher interface {
	Line(text string)    // what is tried, and why it failed
	At(have, size int64) // bytes
	Close()              // the download has ended
}

// A DownloadError is the error if a file could not be downloaded. What has arrived stays, and another call of Get
// resumes.
type DownloadError struct {
	Download
	Have        int64 // bytes that have arrived
	Unreachable bool  // no address gave the whole file
	Wrong       bool  // all bytes came, and not those that were published
	Err         error // the cause, such as context.Canceled or one of the file system
}

func (e *DownloadError) Error() string { return e.Err.Error() }
func (e *DownloadError) Unwrap() error { return e.Err }

// Downloadable lists the names that Get takes: every set, also those that need no download.
func Downloadable() (names []string) {
	for _, k := range Kinds {
		if k.First == nil {
			names = append(names, k.Name)
		}
	}
	return names
}

// Get downloads the set called name, checks it against its published digest and imports it. Files that a package of the
// operating system has installed are taken from there, unless o.URLs says otherwise. The error is a *DownloadError, a
// *ExistsError if the set is there (its Path is empty for a set that is built in), an *option.Error for "name" or
// "url", or as of ImportFrom.
func Get(ctx context.Context, name string, o GetOptions) (ImportReport, error) {
	none := ImportReport{}
	if o.Dir == "" {
		o.Dir = Dir()
	}
	archives, files := downloadsOf(name), filesOf(name)
	switch k := Kinds.Find(name); {
	case k != nil && k.BuiltIn():
		return none, &ExistsError{Name: name}
	case archives == nil && files == nil:
		return none, option.Choice("name", name, Downloadable())
	}
	if found, err := find(o.Dir, name); err == nil && !o.Force {
		at := found[0].Path
		if !slices.ContainsFunc(archives, func(d Download) bool { return d.File == filepath.Base(at) }) {
			return none, &ExistsError{name, at}
		}
		o.note("%s is here already, but not unpacked; the archive is kept", at) // it may be the user's own
		return o.unpack(ctx, at, name)
	}
	if at := Installed(name); at != "" && o.URLs == nil {
		o.note("%s is installed: %s", name, at)
		return o.unpack(ctx, at, name)
	}
	list, at, err := o.wanted(archives, files)
	if err != nil {
		return none, err
	}
	in, came := disk.Folder(o.Dir), []string{}
	for _, f := range list {
		if files != nil || !isFile(in.Path(f.File)) { // an archive may be the user's own
			came = append(came, f.File)
		}
		if err := o.download(ctx, f); err != nil {
			return none, err
		}
	}
	r, err := o.unpack(ctx, at, name)
	if err != nil {
		return r, err
	}
	for _, name := range came {
		if err := in.Remove(name); err != nil {
			return r, err
		}
	}
	if files != nil {
		_ = in.Remove(filepath.Dir(files[0].File)) // a folder with other files stays
	}
	return r, nil
}

// A mirroredFile is a file and its addresses.
type mirroredFile struct {
	Download
	urls []string
}

// wanted lists what to download: one of the archives, or all files. at is where it then is.
func (o GetOptions) wanted(archives, files []Download) (list []mirroredFile, at string, err error) {
	var mirrors []*url.URL
	for _, address := range o.URLs {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, "", option.Errorf("url", "%q: want an address that begins with https:// or http://",
				fetch.HideSecrets(address))
		}
		mirrors = append(mirrors, u)
	}
	for _, f := range files {
		m := mirroredFile{Download: f}
		for _, u := range mirrors {
			m.urls = append(m.urls, u.JoinPath(filepath.Base(f.File)).String())
		}
		list = append(list, m)
	}
	if files != nil {
		return list, filepath.Dir(filepath.Join(o.Dir, files[0].File)), nil
	}
	m := mirroredFile{Download: archives[0]}
	for _, u := range mirrors {
		of := archives[0]
		if i := slices.IndexFunc(archives, func(d Download) bool {
			return strings.Contains(d.File, "python") == strings.Contains(path.Base(u.Path), "python")
		}); i >= 0 {
			of = archives[i]
		}
		if strings.HasSuffix(u.Path, "/") {
			u = u.JoinPath(of.File)
		}
		if m.urls != nil && of != m.Download {
			return nil, "", option.Errorf("url",
				"%q: want addresses of one file, got %s and %s\n  name mirrors of the same archive",
				fetch.HideSecrets(u.String()), m.File, of.File)
		}
		m = mirroredFile{of, append(m.urls, u.String())}
	}
	return []mirroredFile{m}, filepath.Join(o.Dir, m.File), nil
}

// download downloads a file into the data folder. The error is a *DownloadError.
func (o GetOptions) download(ctx context.Context, f mirroredFile) error {
	file := fetch.File{URLs: f.urls, Dir: o.Dir, Path: filepath.Join(o.Dir, f.File), Size: f.Size, SHA256: f.SHA256}
	if file.URLs == nil {
		file.URLs = []string{f.URL}
	}
	show := fetch.Options{}
	if o.Watch != nil {
		w, err := o.Watch(filepath.Base(file.Path))
		if err != nil {
			return err
		}
		defer w.Close()
		w.Line(fmt.Sprintf("%s, %s, to %s", filepath.Base(file.Path), table.Size(f.Size), filepath.Dir(file.Path)))
		if have := sizeOf(file.Path + ".part"); have > 0 {
			w.Line(fmt.Sprintf("%s of it was downloaded before", table.Size(have)))
		}
		show = fetch.Options{Say: w.Line, Observe: func(s fetch.State) { w.At(s.Have, s.Size) }}
	}
	err := fetch.Get(ctx, file, show)
	if err == nil {
		return nil
	}
	unreachable, wrong := (*fetch.UnreachableError)(nil), (*fetch.CorruptError)(nil)
	return &DownloadError{f.Download, sizeOf(file.Path + ".part"), errors.As(err, &unreachable), errors.As(err, &wrong),
		err}
}

// unpack imports the set called name from an archive or the folder of its files.
func (o GetOptions) unpack(ctx context.Context, from, name string) (ImportReport, error) {
	archive := isFile(from)
	if archive {
		o.note("unpacking %s", filepath.Base(from))
	}
	set, src, err := recognizeUntil(ctx, from, reading{})
	if err != nil {
		return ImportReport{}, err
	}
	if set.Name != name {
		return ImportReport{}, corrupt(from, nil,
			"these are not the images of %s: their digest differs from the published one", name)
	}
	inventory := set.Inventory
	folder, err := Import(set, src, from, o.Dir, name, true)
	if err != nil && archive {
		err = fmt.Errorf("%w\n  the archive is complete and can be used as it is: %s", err, from)
	}
	if err != nil {
		return ImportReport{}, err
	}
	return describeImport(folder, src, inventory)
}

func (o GetOptions) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}
