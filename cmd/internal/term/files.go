package term

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/disk"
)

// RefuseExisting returns an error if a file exists, unless forced, or is not a regular file. An empty name is accepted.
// The error names the flag, if any.
func RefuseExisting(flag, name string, force bool) error {
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
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0: // writing would replace a folder or a device
		return Usagef("name a file", "%s: not a regular file", name)
	case force:
		return nil
	}
	return Usagef("--force overwrites it", "%s: the file exists", name)
}

// WriteFile writes a file atomically, and makes its folder if necessary.
func WriteFile(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return disk.WriteFile(name, b)
}

// WriteOwn writes a file to the place that a command chose: in the folder figures of a run, maybe of another person, or
// next to a checkpoint. It follows no link there.
func WriteOwn(name string, b []byte) error {
	in, file := disk.Split(name)
	if filepath.Base(string(in)) == "figures" {
		in, file = disk.Folder(filepath.Dir(string(in))), filepath.Join("figures", file)
	}
	if err := in.MkdirAll(filepath.Dir(file)); err != nil {
		return err
	}
	return in.Replace(file, disk.Bytes(b))
}

// WriteNew writes a new file, or one that exists if forced; - is standard output.
func (c *Console) WriteNew(name string, b []byte, force bool) error {
	if name == "-" {
		_, err := c.Out.Write(b)
		return err
	}
	if err := RefuseExisting("", name, force); err != nil {
		return err
	}
	return WriteFile(name, b)
}

// Exists reports whether there is a file or folder at path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// FileOf returns the name of a file that is written for each of several runs: heads.svg becomes heads-k3f9.svg.
func FileOf(file, name string) string {
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s-%s%s", strings.TrimSuffix(file, ext), name, ext)
}

// ShowFiles shows a document of files or, without --json, that they were written, one a line, and then text.
func (c *Console) ShowFiles(files []string, text string, document any) error {
	return c.Show(document, func(c *Console) error {
		for _, name := range slices.Backward(files) {
			text = WroteLine(name) + "\n" + text
		}
		return c.WriteText(text)
	})
}
