package analyse

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	measures "github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/fault"
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

// takePictures takes the arguments behind a file of weights of another program as pictures.
func (o *options) takePictures() error {
	if o.Arrays != "" || len(o.Refs) == 0 || !trained.IsForeign(o.Refs[0]) {
		return nil
	}
	for _, f := range []struct {
		given bool
		flag  string
	}{{o.Network, "--network"}, {o.Function, "--function"}, {o.Over != "", "--over"}, {o.Data != "", "--data"},
		{o.NoImages, "--no-images"}} {
		if f.given {
			return term.Usagef("", "%s is not for networks of other programs: leave it out", f.flag)
		}
	}
	o.From, o.Refs = slices.Clone(o.Refs[1:]), o.Refs[:1]
	if o.Pictures != "" {
		o.From = append(o.From, o.Pictures)
	}
	return nil
}

// checkOwn refuses what only a network of another program has.
func (o options) checkOwn() error {
	switch {
	case o.From != nil:
		return nil
	case o.Foreign.Heads > 0:
		return term.Usagef("", "--heads is for files of weights of other programs: leave it out")
	case o.Foreign.Weights != "":
		return term.Usagef("", "--weights is for files of weights of other programs: leave it out")
	case o.Pictures != "":
		return term.Usagef("", "--images DIR is for files of weights of other programs: want a number, or --data DIR")
	}
	return nil
}

// vision analyses a vision transformer of another program.
func (o options) vision(ctx context.Context, c *term.Console) (*network.Analysis, error) {
	most := pictures
	if o.Counted {
		most = o.Images
	}
	net, from, err := o.Foreign.Open(c, "analyse", "measuring", o.Refs[0], most, o.From)
	if err != nil {
		return nil, err
	}
	debug.SetGCPercent(30) // weights, untrained weights and attention are large and few
	s := network.Subject{Name: visible.Word(filepath.Base(o.Refs[0])), Data: visible.Word(strings.Join(o.From, ", ")),
		Tell: o.tell, Done: o.stages.At}
	d, err := network.Vision(ctx, s, net, from.Images, o.ForVision(o.Quick, o.Seeded, o.Drawn))
	if bad := (*measures.Error)(nil); errors.As(err, &bad) { // without the advice for runs
		err = fault.Errorf(fault.Corrupt, "%s: %s", s.Name, err.Error())
	}
	return d, err
}
