package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// published is the length of the published archive of CIFAR-10, whose bytes are not available here.
const published = 170052171

// origin imitates the host of CIFAR-10 behind a local proxy: real TLS, the right length, wrong bytes, and a connection
// that breaks once. So data get must resume, and must refuse anything but the published archive.
func origin(r *reader) error {
	cert, err := certificate(filepath.Join(r.dir, "authority.pem"))
	if err != nil {
		return err
	}
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	inner, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	if err != nil {
		return err
	}
	var asked atomic.Int64
	body := make([]byte, published)
	go http.Serve(inner, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Content-Length", "170052171")
			w.Write(body[:1<<20])
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, q, "", time.Time{}, bytes.NewReader(body))
	}))
	go http.Serve(proxy, tunnel(inner.Addr().String()))
	r.env = append(r.env, "HTTPS_PROXY=http://"+proxy.Addr().String(),
		"SSL_CERT_FILE="+filepath.Join(r.dir, "authority.pem"))
	return nil
}

// tunnel is a proxy that connects every CONNECT to addr.
func tunnel(addr string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		to, err := net.Dial("tcp", addr)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusOK)
		from, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			to.Close()
			return
		}
		go func() {
			defer to.Close()
			buffered.WriteTo(to)
		}()
		defer from.Close()
		from.(*net.TCPConn).ReadFrom(to)
	})
}

// certificate makes a certificate for the host, and writes it to path as the authority to trust.
func certificate(path string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	t := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, DNSNames: []string{"www.cs.toronto.edu"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, os.WriteFile(path, text, 0o600)
}
