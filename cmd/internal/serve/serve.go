// Package serve is the command serve: flags and words.
package serve

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/explorer"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/session/trained"
)

// options holds the flags and arguments of `attnconv serve`.
type options struct {
	refs    []string
	host    string
	port    int
	open    bool
	export  string
	force   bool
	foreign refs.Foreign
}

// New returns the command.
func New(c *term.Console) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "serve [RUN...|WEIGHTS DIR] [flags]",
		Short: "Explore runs on a page in the browser, also while they train",
		Long: "Explore runs on a page in the browser, also while they train: where heads look\n" +
			"over the epochs, how convolutional layers are, attention on images, two runs\n" +
			"side by side, what changes if a head is moved, and Theorem 1 at work. Without\n" +
			"RUN it shows all runs. Only this machine can open the page, which writes\n" +
			"nothing. A file analysis.json in the folder of a run, from analyse --json, is\n" +
			"shown with it. --export writes one run as a file that needs no server. WEIGHTS\n" +
			"of a vision transformer of another program are shown with pictures in DIR.",
		Example: `attnconv serve
attnconv serve latest --open
attnconv serve vit.safetensors ~/Pictures
attnconv serve k3f9 --export explorer.html`,
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.refs = args
			return o.run(cmd.Context(), c)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Output")
	f.Boolean(&o.open, "open", "", "open the page in a browser")
	f.Number(&o.port, "port", "N", fmt.Sprintf("of the page (default: the first free one from %d)",
		explorer.UsualPort), 1)
	f.Text(&o.host, "host", "127.0.0.1", "ADDRESS",
		"where the page is reached; another one lets other machines read the runs", nil)
	f.Text(&o.export, "export", "", "FILE", "write one run as an HTML file, and serve nothing", nil)
	f.Boolean(&o.force, "force", "", "overwrite FILE")
	f = term.FlagsIn(cmd.Flags(), "Data")
	o.foreign.Flags(f)
	return cmd
}

func (o options) run(ctx context.Context, c *term.Console) error {
	s := explorer.Options{Runs: c.Runs, Data: c.DataDir}
	if o.export != "" {
		if err := term.RefuseExisting("--export", o.export, o.force); err != nil {
			return err
		}
	}
	if len(o.refs) > 0 && trained.IsForeign(o.refs[0]) {
		var err error
		if s.Foreign, err = o.openForeign(c); err != nil {
			return err
		}
	} else if o.foreign != (refs.Foreign{}) {
		return term.Usagef("", "--heads and --weights are for weights of another program, and pictures")
	}
	if o.export != "" {
		return o.write(ctx, c, s)
	}
	if s.Foreign == nil && len(o.refs) > 0 {
		found, err := refs.FindRuns(c, o.refs, refs.AnyRun, nil)
		if err != nil {
			return err
		}
		for _, f := range found {
			s.Only = append(s.Only, f.Path)
		}
	}
	if s.Foreign == nil && s.Empty() {
		c.Note("no runs in %s yet\n  trained ones to explore: %s", c.Runs, term.Command("runs", "examples"))
	}
	ip := net.ParseIP(o.host)
	if o.host == "localhost" {
		ip = net.IPv4(127, 0, 0, 1)
	}
	if ip == nil {
		return term.Usagef("such as 127.0.0.1", "--host %q: want an address", o.host)
	}
	page, err := explorer.Start(ctx, s, ip, o.port)
	if err != nil {
		return term.Usagef("another port: --port N", "%s", err)
	}
	if page.Shared {
		c.Warn("other machines can read this page, without a password\n  instead, " + page.Tunnel)
	} else {
		c.Note("%s", page.Tunnel)
	}
	c.Path("page", page.Address)
	c.Note("Ctrl-C ends it")
	if o.open {
		if err := browse(page.Address); err != nil {
			c.Warn("no browser could be opened: " + err.Error())
		}
	}
	return page.Wait()
}

// pictures is how many pictures are read: those that the page shows.
const pictures = 24

// openForeign opens a vision transformer of another program, with pictures.
func (o options) openForeign(c *term.Console) (*explorer.Foreign, error) {
	net, from, err := o.foreign.Open(c, "serve", "showing", o.refs[0], pictures, o.refs[1:])
	if err != nil {
		return nil, err
	}
	c.Note("%s", net.Facts)
	words := slices.Concat(o.refs, []string{"--images", strconv.Itoa(from.Count)}, o.foreign.Words())
	return &explorer.Foreign{Name: visible.Word(filepath.Base(o.refs[0])), Ref: shell.Words(words...), Net: net,
		Pictures: from}, nil
}

// write writes one run, or a network of another program, as a page in one file.
func (o options) write(ctx context.Context, c *term.Console, s explorer.Options) error {
	if s.Foreign == nil {
		if len(o.refs) > 1 {
			return term.Usagef("a file for each", "--export writes one run, not %d", len(o.refs))
		}
		d, err := refs.OpenRun(c, cmp.Or(refs.First(o.refs), "latest"), refs.AnyRun)
		if err != nil {
			return err
		}
		s.Only = []string{d.Path}
	}
	b, err := explorer.New(s).Export(ctx, explorer.ExportOptions{})
	if err != nil {
		return err
	}
	if err := c.WriteNew(o.export, b, o.force); err != nil || o.export == "-" {
		return err
	}
	c.Wrote(o.export)
	return nil
}

// browse opens an address in the user's browser.
func browse(address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	return nil
}
