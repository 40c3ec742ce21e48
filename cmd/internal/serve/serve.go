// Package serve is the command serve: flags and words.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/explorer"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study/runs"
)

// options holds the flags and arguments of `attnconv serve`.
type options struct {
	refs   []string
	host   string
	port   int
	open   bool
	export string
	force  bool
}

// usualPort is tried first, and the ports behind it after that.
const usualPort, ports = 8910, 20

// New returns the command.
func New(c *cli.Console) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "serve [RUN...] [flags]",
		Short: "Explore runs on a page in the browser, also while they train",
		Long: "Explore runs on a page in the browser, also while they train: where heads look\n" +
			"over the epochs, how convolutional layers are, attention on images, two runs\n" +
			"side by side, what changes if a head is moved, and Theorem 1 at work. Without\n" +
			"RUN it shows all runs. Only this machine can open the page, which writes\n" +
			"nothing. A file analysis.json in the folder of a run, from analyse --json, is\n" +
			"shown with it. --export writes one run as a file that needs no server.",
		Example: `attnconv serve
attnconv serve latest --open
attnconv serve k3f9 --export explorer.html`,
		ValidArgsFunction: c.CompleteRuns(1 << 20),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.refs = args
			return o.run(cmd.Context(), c)
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.Boolean(&o.open, "open", "", "open the page in a browser")
	f.Number(&o.port, "port", "N", fmt.Sprintf("of the page (default: the first free one from %d)", usualPort), 1)
	f.Text(&o.host, "host", "127.0.0.1", "ADDRESS",
		"where the page is reached; another one lets other machines read the runs", nil)
	f.Text(&o.export, "export", "", "FILE", "write one run as an HTML file, and serve nothing", nil)
	f.Boolean(&o.force, "force", "", "overwrite FILE")
	return cmd
}

func (o options) run(ctx context.Context, c *cli.Console) error {
	s := explorer.Options{Runs: c.Runs, Data: c.DataDir}
	if o.export != "" {
		return o.write(ctx, c, s)
	}
	if len(o.refs) > 0 {
		found, err := c.FindRuns(o.refs, runs.AnyRun, nil)
		if err != nil {
			return err
		}
		for _, f := range found {
			s.Only = append(s.Only, f.Path)
		}
	}
	if all, err := run.List(c.Runs); err == nil && len(all) == 0 {
		c.Note("no runs in %s yet\n  trained ones to explore: %s", c.Runs, cli.Command("runs", "examples"))
	}
	address, wait, err := Start(ctx, c, s, o.host, o.port)
	if err != nil {
		return err
	}
	c.Path("page", address)
	c.Note("Ctrl-C ends it")
	if o.open {
		if err := browse(address); err != nil {
			c.Warn("no browser could be opened: " + err.Error())
		}
	}
	return wait()
}

// Start opens the page of runs at a port of host, 0 for the first free one, and returns its address. It answers until
// ctx is done, which wait waits for.
func Start(ctx context.Context, c *cli.Console, s explorer.Options, host string, port int) (
	address string, wait func() error, err error,
) {
	ip := net.ParseIP(host)
	if host == "localhost" {
		ip = net.IPv4(127, 0, 0, 1)
	}
	if ip == nil {
		return "", nil, cli.Usagef("such as 127.0.0.1", "--host %q: want an address", host)
	}
	l, err := listen(ip, port)
	if err != nil {
		return "", nil, err
	}
	at := l.Addr().(*net.TCPAddr).Port
	if ip.IsLoopback() {
		c.Note("from another machine: ssh -L %d:localhost:%d HOST, then the same address there", at, at)
	} else {
		s.Hosts = append(s.Hosts, host)
		c.Warn(fmt.Sprintf("other machines can read these runs, without a password\n"+
			"  instead, on the other machine: ssh -L %d:localhost:%d HOST", at, at))
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l, explorer.New(s)) }()
	return "http://" + net.JoinHostPort(browserHost(ip), strconv.Itoa(at)) + "/", func() error { return <-ended }, nil
}

// write writes one run as a page in one file.
func (o options) write(ctx context.Context, c *cli.Console, s explorer.Options) error {
	if err := cli.RefuseExisting("--export", o.export, o.force); err != nil {
		return err
	}
	if len(o.refs) > 1 {
		return cli.Usagef("a file for each", "--export writes one run, not %d", len(o.refs))
	}
	d, err := c.OpenRun(cmp.Or(cli.First(o.refs), "latest"), runs.AnyRun)
	if err != nil {
		return err
	}
	s.Only = []string{d.Path}
	b, err := explorer.New(s).Export(ctx, explorer.ExportOptions{}, run.At(d.Path))
	if err != nil {
		return err
	}
	if err := c.WriteNew(o.export, b, o.force); err != nil || o.export == "-" {
		return err
	}
	c.Wrote(o.export)
	return nil
}

// browserHost is how an address is printed: localhost is where a browser looks.
func browserHost(ip net.IP) string {
	if ip.IsLoopback() {
		return "localhost"
	}
	return ip.String()
}

// listen opens the port: the one that was given, or the first free one.
func listen(ip net.IP, first int) (l net.Listener, err error) {
	last := first
	if first == 0 {
		first, last = usualPort, usualPort+ports
	}
	for port := first; port <= last; port++ {
		if l, err = net.Listen("tcp", net.JoinHostPort(ip.String(), strconv.Itoa(port))); err == nil {
			return l, nil
		}
	}
	return nil, cli.Usagef("another port: --port N", "%s", err)
}

// serve answers until ctx is done.
func serve(ctx context.Context, l net.Listener, page http.Handler) error {
	server := &http.Server{
		Handler: page, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return context.Cause(ctx)
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
