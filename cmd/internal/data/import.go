package data

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
)

func newDataImport(c *cli.Console) *cobra.Command {
	var name string
	var force bool
	var image imageSize
	cmd := &cobra.Command{
		Use:   "import PATH [flags]",
		Short: "Import a data set from files",
		Long: "Copy a data set into the data folder. It is recognised by content: an archive of\n" +
			"CIFAR-10 or CIFAR-100, binary or Python, packed or unpacked; a folder of images\n" +
			"(DIR/train/CLASS/*, or DIR/CLASS/*); NumPy arrays (.npz with x_train, y_train,\n" +
			"x_test, y_test); IDX files as MNIST's, or a folder of them. No code in it is\n" +
			"run, and the network is not used. IDX files and arrays of floats keep their\n" +
			"size; other images are cropped around their middle and resized to 32 × 32 RGB,\n" +
			"or to --image.",
		Example: `attnconv data import cifar-10-python.tar.gz
attnconv data import ~/images --name flowers
attnconv data import medmnist.npz --image keep
attnconv data import ~/mnist/train-images-idx3-ubyte.gz --name mnist`,
		Args: cli.Exactly("the path of a data set"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Note("reading %s", args[0])
			set, src, err := recognise(cmd.Context(), args[0], image.fit)
			if bad := (*invalid.Error)(nil); errors.As(err, &bad) && bad.Key == "image" {
				bad.Key = "--image"
			}
			if err != nil {
				return err
			}
			folder, err := data.Import(set, src, args[0], c.DataDir, name, force)
			if bad := (*invalid.Error)(nil); errors.As(err, &bad) {
				bad.Key = "--name"
			}
			if err != nil {
				return err
			}
			return importSet(c, src, folder)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Data")
	f.Text(&name, "name", "", "NAME", "name of the set (default: the last part of the path)", nil)
	f.Value(&image, "image", "", "SIZE", "size of the images: ROWS,COLS,CHANNELS, or keep: as they are", []string{"keep"})
	f.Boolean(&force, "force", "", "replace a set of that name")
	return cmd
}

// imageSize is the flag --image: keep, or rows, columns and channels.
type imageSize struct {
	text string
	fit  data.Fit
}

func (s *imageSize) Set(text string) error {
	fit := data.Fit{Keep: text == "keep"}
	if parts := strings.Split(text, ","); !fit.Keep {
		if len(parts) != len(fit.Shape) {
			return fmt.Errorf("want ROWS,COLS,CHANNELS, as 28,28,1, or keep")
		}
		for i, part := range parts {
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 {
				return fmt.Errorf("%q: want ROWS,COLS,CHANNELS of 1 or more each, as 28,28,1, or keep", part)
			}
			fit.Shape[i] = n
		}
	}
	s.text, s.fit = text, fit
	return nil
}

func (s *imageSize) String() string { return s.text }
func (*imageSize) Type() string     { return "SIZE" }

// recognise is data.RecogniseAs, abandoned when ctx is done: it only reads.
func recognise(ctx context.Context, path string, want data.Fit) (*data.Set, data.Source, error) {
	type found struct {
		set *data.Set
		src data.Source
	}
	f, err := untilDone(ctx, func() (found, error) {
		set, src, err := data.RecogniseAs(path, want)
		return found{set, src}, err
	})
	return f.set, f.src, err
}

// untilDone returns the result of work, or the error of ctx if that is done first; work then runs on unattended. A panic
// in work is raised again in the caller.
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

// importResult is the output of data get and data import with --json.
type importResult struct {
	V         int          `json:"v"`
	Name      string       `json:"name"`
	Path      string       `json:"path"`
	Source    string       `json:"source"`
	Archive   *archiveInfo `json:"archive"` // null for a folder
	Train     int          `json:"train"`
	Val       int          `json:"val"`
	Test      int          `json:"test"`
	Classes   []string     `json:"classes"`
	Digest    data.Digests `json:"digest"`
	Published bool         `json:"published"` // digests equal those of the published images
	Altered   bool         `json:"altered"`   // decoded from a lossy format, or resized
}

type archiveInfo struct {
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	Published bool   `json:"published"`
}

// imported reports what was recognised, and the folder that it was copied to.
func importSet(c *cli.Console, src data.Source, folder string) error {
	s, err := data.Open(data.Options{Name: folder}, "") // as stored now
	if err != nil {
		return err
	}
	r := importResult{
		V: 1, Name: filepath.Base(folder), Path: folder, Source: src.What,
		Train: s.Train.Len(), Val: s.Val.Len(), Test: s.Test.Len(), Classes: s.Classes,
		Digest: s.Digest, Published: s.Published, Altered: s.Altered,
	}
	if src.SHA256 != "" {
		r.Archive = &archiveInfo{src.Bytes, src.SHA256, src.Published}
	}
	if c.JSON {
		return c.Result(r)
	}
	use := r.Name
	if c.DataDir != data.Dir() {
		dir := c.DataDir
		if strings.ContainsAny(dir, " $&;()'") {
			dir = strconv.Quote(dir)
		}
		use += " --data-dir " + dir
	}
	_, err = fmt.Fprintf(c.Out, "%sto train on it: %s train --encoding quadratic --data %s\n", r.text(), cli.Program(), use)
	return err
}

func (r importResult) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "recognised  %s", r.Source)
	if a := r.Archive; a != nil {
		fmt.Fprintf(&b, ", %s bytes\nsha256      %s", cli.Thousands(int(a.Bytes)), a.SHA256)
		if a.Published {
			b.WriteString(", as published")
		}
	}
	row := storedRow{Train: r.Train, Val: r.Val, Test: r.Test}
	fmt.Fprintf(&b, "\nimages    %s of %d classes: %s\n", row.images(), len(r.Classes), firstWords(r.Classes))
	fmt.Fprintf(&b, "digest      train %s\n            test  %s\n", r.Digest.Train, r.Digest.Test)
	fmt.Fprintf(&b, "            %s\n", r.exactness())
	fmt.Fprintf(&b, "imported    %s\n", r.Path)
	return b.String()
}

// exactness says whether the images are the published ones.
func (r importResult) exactness() string {
	switch {
	case r.Published:
		return "the published images, byte for byte"
	case r.Altered:
		return "a lossy copy: images were decoded from JPEG, WebP or GIF files, or resized"
	case data.HasDigest(r.Name):
		return "not the published images: accuracies cannot be compared"
	}
	return "no digest was published to compare them with"
}

// firstWords joins the first words of a list.
func firstWords(words []string) string {
	const most = 10
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:most-1], ", ") + ", …"
}
