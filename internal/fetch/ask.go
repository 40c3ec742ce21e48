package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// errStalled is the cause of a request that is canceled for want of data.
var errStalled = errors.New("no byte came")

// ask requests the file from one address and reads until it is complete or an error occurs.
func (d *download) ask(parent context.Context, address string) (done bool, err error) {
	if d.part.have == d.Size { // an earlier call was killed just before its end
		return d.finish(address)
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	watchdog := time.AfterFunc(d.Stall, func() { cancel(errStalled) })
	defer watchdog.Stop()
	in, skip, err := d.request(ctx, address)
	if err == nil {
		defer in.Close()
		err = d.read(address, in, skip, func() { watchdog.Reset(d.Stall) })
	}
	switch {
	case parent.Err() != nil:
		return false, parent.Err()
	case isDisk(err):
		return false, err
	case context.Cause(ctx) == errStalled:
		return false, fmt.Errorf("no byte came for %v, after %d of %d", d.Stall, d.part.have, d.Size)
	case err != nil:
		return false, err
	}
	return d.finish(address)
}

// request asks for the file from the first missing byte on. If the server ignores the range, the body begins with skip
// bytes that are already on the disk.
func (d *download) request(ctx context.Context, address string) (body io.ReadCloser, skip int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		d.bad[address] = true
		return nil, 0, err
	}
	req.Header.Set("Accept-Encoding", "identity") // the file is an archive; its digest is of the compressed bytes
	req.Header.Set("User-Agent", "attnconv")
	if d.part.have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.part.have))
	}
	resp, err := d.Client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	skip, err = d.accept(resp, address)
	if err != nil {
		resp.Body.Close()
		return nil, 0, err
	}
	return resp.Body, skip, nil
}

var contentRange = regexp.MustCompile(`^bytes (\d+)-\d+/(\d+|\*)$`)

// accept checks the status and the headers of a response, before its body is read. An address with a file of another
// size is not asked again.
func (d *download) accept(resp *http.Response, address string) (skip int64, err error) {
	first, size := int64(0), resp.ContentLength
	switch resp.StatusCode {
	case http.StatusOK:
		skip = d.part.have
	case http.StatusPartialContent:
		m := contentRange.FindStringSubmatch(resp.Header.Get("Content-Range"))
		if m == nil {
			return 0, fmt.Errorf("want to know which bytes come, got Content-Range %.60q",
				resp.Header.Get("Content-Range"))
		}
		first, err = strconv.ParseInt(m[1], 10, 64)
		if err != nil || first > d.part.have {
			return 0, fmt.Errorf("want the bytes from %d on, got those from %s on", d.part.have, m[1])
		}
		skip = d.part.have - first
		if size = -1; m[2] != "*" {
			if size, err = strconv.ParseInt(m[2], 10, 64); err != nil {
				return 0, fmt.Errorf("want a size, got %.60q", m[2])
			}
		}
	default:
		if s := resp.StatusCode; s >= 400 && s < 500 && s != http.StatusRequestTimeout &&
			s != http.StatusTooManyRequests {
			d.bad[address] = true
		}
		return 0, fmt.Errorf("the server says %s", resp.Status)
	}
	if size >= 0 && size != d.Size {
		d.bad[address] = true
		return 0, fmt.Errorf("want a file of %d bytes, the server has %d", d.Size, size)
	}
	return skip, nil
}

// read appends the body to the partial file, without its first skip bytes. It calls progress whenever bytes arrive.
func (d *download) read(address string, in io.Reader, skip int64, progress func()) error {
	buffer := make([]byte, 1<<16)
	d.requests++
	for d.part.have < d.Size {
		n, err := in.Read(buffer[:min(int64(len(buffer)), skip+d.Size-d.part.have)])
		if n > 0 {
			progress()
		}
		passed := min(skip, int64(n))
		skip -= passed
		if d.part.have == 0 {
			d.from, d.requests = address, 1
		} else if d.from != address && passed < int64(n) {
			d.from = several
		}
		if err := d.part.append(buffer[passed:n]); err != nil {
			return err
		}
		d.Observe(State{d.part.have, d.Size, HideSecrets(address)})
		if err != nil && d.part.have < d.Size {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return fmt.Errorf("the connection ended after %d of %d bytes", d.part.have, d.Size)
			}
			return err
		}
	}
	return nil
}
