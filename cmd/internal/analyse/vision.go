package analyse

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/session/trained"
)

// pictures is how many pictures are read unless --images has another number.
const pictures = 50

// splitImages takes --images apart: a number of images, or a folder of pictures.
func (o *options) splitImages() error {
	n, err := strconv.Atoi(o.Pictures)
	switch {
	case o.Pictures == "":
	case err == nil && n < 1:
		return term.Usagef("", "--images %s: want a whole number from 1, or a folder of pictures", o.Pictures)
	case err == nil:
		o.Images, o.Pictures = n, ""
	default:
		if _, err := os.Stat(o.Pictures); errors.Is(err, fs.ErrNotExist) {
			return term.Usagef("", "--images %s: there is no such folder, and it is no number", visible.Word(o.Pictures))
		}
	}
	return nil
}

// foreign reports whether the first argument is a file of weights of another program.
func (o options) foreign() bool {
	if o.Arrays != "" || len(o.Refs) == 0 {
		return false
	}
	info, err := os.Stat(o.Refs[0])
	return err == nil && info.Mode().IsRegular() && trained.IsForeign(o.Refs[0])
}

// checkVision refuses what a network of another program cannot have.
func (o options) checkVision() error {
	for _, f := range []struct {
		given bool
		flag  string
	}{{o.Network, "--network"}, {o.Function, "--function"}, {o.Over != "", "--over"}, {o.Data != "", "--data"},
		{o.NoImages, "--no-images"}} {
		if f.given {
			return term.Usagef("", "%s is not for networks of other programs: leave it out", f.flag)
		}
	}
	if len(o.Refs) == 1 && o.Pictures == "" {
		return fault.WithHint(term.Usagef("", "no pictures: want a folder of them behind %s", visible.Word(o.Refs[0])),
			"attnconv analyse "+filepath.Base(o.Refs[0])+" DIR")
	}
	return nil
}

// vision analyses a vision transformer of another program.
func (o options) vision(ctx context.Context, c *term.Console) (*network.Analysis, error) {
	if err := o.checkVision(); err != nil {
		return nil, err
	}
	net, err := trained.OpenVision(o.Refs[0], o.Weights, o.Heads)
	if err != nil {
		return nil, err
	}
	from := slices.Clone(o.Refs[1:])
	if o.Pictures != "" {
		from = append(from, o.Pictures)
	}
	most := pictures
	if o.Counted {
		most = o.Images
	}
	images, files, broken, err := trained.Pictures(net, most, from...)
	if err != nil {
		return nil, err
	}
	if broken != nil {
		c.Warn(broken.Error() + "\n  measuring the " + table.Count(len(files), "other picture"))
	}
	s := network.Subject{Name: visible.Word(filepath.Base(o.Refs[0])), Data: visible.Word(strings.Join(from, ", ")),
		Tell: o.tell, Done: o.stages.At}
	return network.Vision(ctx, s, net, images, o.ForVision(o.Quick, o.Seeded))
}
