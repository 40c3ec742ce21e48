package cmd

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/run"
)

// refuseExisting refuses a file that is there already and must not be written over; "" is none. flag is how it was named, if not by
// its name alone.
func refuseExisting(flag, name string, force bool) error {
	if name == "" {
		return nil
	}
	info, err := os.Lstat(name)
	if flag != "" {
		name = flag + " " + name
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0: // a folder, or a device that would be replaced
		return usagef("name a file", "%s: what is there is no file", name)
	case force:
		return nil
	}
	return usagef("--force overwrites it", "%s: the file exists", name)
}

// writeFile writes a whole file, in a folder that it makes if need be.
func writeFile(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return run.WriteFile(name, b)
}

// writeJSON writes v to a file as one document, for people to read, too.
func writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(name, append(b, '\n'))
}
