package explorer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/attnconv/attnconv/internal/fault"
)

// UsualPort is tried first, and the ports behind it after that.
const UsualPort, ports = 8910, 20

// A Page is served.
type Page struct {
	Address string
	Shared  bool   // other machines can open it
	Tunnel  string // how another machine opens it over ssh
	ended   chan error
}

// Wait returns when the page is no longer served.
func (p *Page) Wait() error { return <-p.ended }

// Start opens the page of runs at a port of ip, 0 for the first free one. It answers until ctx is done. The error is a
// port that is taken.
func Start(ctx context.Context, o Options, ip net.IP, port int) (*Page, error) {
	l, err := listen(ip, port)
	if err != nil {
		return nil, fault.Usagef("%w", err)
	}
	at := l.Addr().(*net.TCPAddr).Port
	p := &Page{Address: "http://" + net.JoinHostPort(browserHost(ip), strconv.Itoa(at)) + "/",
		Tunnel: fmt.Sprintf("from another machine: ssh -L %d:localhost:%d HOST, then the same address there", at, at),
		ended:  make(chan error, 1)}
	if !ip.IsLoopback() {
		o.Hosts = append(o.Hosts, ip.String())
		p.Shared, p.Tunnel = true, fmt.Sprintf("on the other machine: ssh -L %d:localhost:%d HOST", at, at)
	}
	go files() // ready before a browser asks
	go func() { p.ended <- answer(ctx, l, New(o)) }()
	return p, nil
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
		first, last = UsualPort, UsualPort+ports
	}
	for port := first; port <= last; port++ {
		if l, err = net.Listen("tcp", net.JoinHostPort(ip.String(), strconv.Itoa(port))); err == nil {
			return l, nil
		}
	}
	return nil, err
}

// answer serves the page until ctx is done.
func answer(ctx context.Context, l net.Listener, page http.Handler) error {
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
