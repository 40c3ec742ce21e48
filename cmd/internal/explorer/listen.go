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

// A ListenError is an address or a port that cannot be used.
type ListenError struct{ Problem, Advice string }

func (e *ListenError) Error() string { return e.Problem }
func (e *ListenError) Hint() string  { return e.Advice }
func (e *ListenError) ExitCode() int { return fault.Usage }

// Start opens the page of runs at a port of host, 0 for the first free one. It answers until ctx is done.
func Start(ctx context.Context, o Options, host string, port int) (*Page, error) {
	ip := net.ParseIP(host)
	if host == "localhost" {
		ip = net.IPv4(127, 0, 0, 1)
	}
	if ip == nil {
		return nil, &ListenError{fmt.Sprintf("--host %q: want an address", host), "such as 127.0.0.1"}
	}
	l, err := listen(ip, port)
	if err != nil {
		return nil, err
	}
	at := l.Addr().(*net.TCPAddr).Port
	p := &Page{Address: "http://" + net.JoinHostPort(browserHost(ip), strconv.Itoa(at)) + "/",
		Tunnel: fmt.Sprintf("from another machine: ssh -L %d:localhost:%d HOST, then the same address there", at, at),
		ended:  make(chan error, 1)}
	if !ip.IsLoopback() {
		o.Hosts = append(o.Hosts, host)
		p.Shared, p.Tunnel = true, fmt.Sprintf("on the other machine: ssh -L %d:localhost:%d HOST", at, at)
	}
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
	return nil, &ListenError{err.Error(), "another port: --port N"}
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
