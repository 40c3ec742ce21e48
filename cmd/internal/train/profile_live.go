package train

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/explorer"
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// loopback reads an address that only this machine can reach.
func loopback(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if host == "localhost" {
		host = "127.0.0.1" // whatever the system resolves it to
	}
	ip := net.ParseIP(host)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || !ip.IsLoopback() {
		return "", errors.New("want a loopback address, such as localhost:6060")
	}
	return net.JoinHostPort(host, port), nil
}

// local refuses requests for another host than this machine's loopback.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !explorer.Local(r.Host) {
			http.Error(w, "want localhost or a loopback address as the host", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// headerTime is how long a connection may stay open without a whole request: one costs a file descriptor.
var headerTime = 5 * time.Second

// serveProfiles answers go tool pprof and browsers at addr until end is called.
func serveProfiles(c *term.Console, addr string) (end func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		if op := (*net.OpError)(nil); errors.As(err, &op) {
			err = op.Err // without repeating the address
		}
		return nil, fmt.Errorf("--pprof %s: %w\n  name another port; 0 chooses a free one", addr, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: local(mux), ReadHeaderTimeout: headerTime, IdleTimeout: headerTime}
	go server.Serve(l) // until end closes it
	c.Note("profiles: http://%s/debug/pprof/", l.Addr())
	return func() { server.Close() }, nil
}
