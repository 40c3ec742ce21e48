// Package fetch downloads one known file: over unreliable connections, from several addresses, across kills of the
// program. The bytes received so far are in PATH.part, from which the next call resumes. The file is renamed to PATH
// once it is complete and has the expected SHA-256, so a malicious server can waste time and nothing else.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/fault"
)

// A File is the file to download.
type File struct {
	URLs   []string // addresses, in order of preference
	Path   string   // destination
	Dir    string   // the folder that Path is in, in which no link is followed; "": that of Path
	Size   int64    // bytes
	SHA256 string   // in hexadecimal
}

// Options say how patient a download is. The zero value is for ordinary use.
type Options struct {
	Client  *http.Client
	Stall   time.Duration     // a connection without a byte for so long is closed; 0: 30 s
	Pause   time.Duration     // before the second round over all addresses, doubled for each later one; 0: 1 s
	Rounds  int               // rounds without a byte from any address before giving up; 0: 5
	Observe func(State)       // called after every read, if set
	Say     func(text string) // called with each error and retry, if set
}

// A State is the progress of a download.
type State struct {
	Have, Size int64
	URL        string // as HideSecrets returns it
}

// CorruptError is the error if no address gave the file and some gave another.
type CorruptError struct {
	Path    string
	Reasons []string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s: what came is not the file that was published:\n  %s", e.Path,
		strings.Join(e.Reasons, "\n  "))
}

func (e *CorruptError) ExitCode() int { return fault.Corrupt }

// UnreachableError is the error if no address gave the whole file.
type UnreachableError struct {
	Path    string
	Have    int64 // bytes in PATH.part
	Reasons []string
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s: could not be had:\n  %s", e.Path, strings.Join(e.Reasons, "\n  "))
}

// Get downloads the file. The error is a *CorruptError, an *UnreachableError, the context's, or one of the file system.
func Get(ctx context.Context, f File, o Options) error {
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	if o.Observe == nil {
		o.Observe = func(State) {}
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	p, err := openPart(f)
	if err != nil {
		return err
	}
	d := &download{
		File: f, Options: o, part: p, reasons: map[string]string{}, bad: map[string]bool{}, from: several,
		wrong: map[string]int{},
	}
	if err = checkProxies(f.URLs); err == nil || o.Client != http.DefaultClient {
		err = d.run(ctx)
	} else {
		err = &UnreachableError{f.Path, p.have, []string{err.Error()}}
	}
	return errors.Join(err, p.close())
}

// checkProxies returns an error if the variable of a proxy for one of the addresses cannot be parsed. net/http ignores
// such a variable and connects without the proxy, or reads it as another host.
func checkProxies(addresses []string) error {
	for _, address := range addresses {
		scheme, _, _ := strings.Cut(address, "://")
		for _, name := range []string{strings.ToUpper(scheme) + "_PROXY", strings.ToLower(scheme) + "_proxy"} {
			value := os.Getenv(name)
			if value == "" {
				continue
			}
			whole := value
			if !strings.Contains(value, "://") { // net/http takes HOST:PORT as well
				whole = "http://" + value
			}
			if u, err := url.Parse(whole); err != nil || u.Hostname() == "" {
				return fmt.Errorf("%s: %q is not the address of a proxy: want http://HOST:PORT", name, HideSecrets(value))
			}
			break
		}
	}
	return nil
}

// A download is the state of one call of Get.
type download struct {
	File
	Options
	part     *part
	reasons  map[string]string // last error, by address
	bad      map[string]bool   // addresses that are not asked again
	from     string            // the address that all bytes in part came from, or several
	requests int               // requests that the bytes in part came from
	wrong    map[string]int    // complete files with a wrong digest, by address
}

// several stands for more than one address.
const several = "several"

// run asks one address after the other until the file is complete.
func (d *download) run(ctx context.Context) error {
	for idle, pause := 0, d.Pause; idle < d.Rounds; idle++ {
		if idle > 0 {
			d.Say(fmt.Sprintf("trying again in %v", pause))
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
			}
			pause *= 2
		}
		for _, address := range d.URLs {
			for asking := !d.bad[address]; asking; {
				before := d.part.have
				done, err := d.ask(ctx, address)
				if done || ctx.Err() != nil || isDisk(err) {
					return err
				}
				d.say(address, err)
				if asking = d.part.have > before && !d.bad[address]; asking { // it made progress
					idle, pause = 0, d.Pause
				}
			}
		}
		if d.allBad() {
			break
		}
	}
	return d.failure()
}

// say reports an error of an address, unless it is the same as the one before.
func (d *download) say(address string, err error) {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		err = of.Err // url.Error repeats the address
	}
	if reason := hideSecrets(err.Error(), address); d.reasons[address] != reason {
		d.reasons[address] = reason
		d.Say(HideSecrets(address) + ": " + reason)
	}
}

func (d *download) allBad() bool {
	for _, address := range d.URLs {
		if !d.bad[address] {
			return false
		}
	}
	return true
}

// failure is the final error: *CorruptError if any address gave a complete file with a wrong digest, else
// *UnreachableError.
func (d *download) failure() error {
	var reasons []string
	for _, address := range d.URLs {
		reasons = append(reasons, HideSecrets(address)+": "+d.reasons[address])
	}
	if len(d.wrong) > 0 {
		return &CorruptError{d.Path, reasons}
	}
	return &UnreachableError{d.Path, d.part.have, reasons}
}

// finish checks the digest of the complete file and renames it to Path. If the digest is wrong, finish discards the
// file; an address that gave all of it in one request, or three such files, is not asked again.
func (d *download) finish(address string) (done bool, err error) {
	sum := d.part.sum()
	if sum == d.SHA256 {
		return true, d.part.commit()
	}
	if err := d.part.reset(); err != nil {
		return false, err
	}
	d.wrong[address]++
	d.bad[address] = d.from == address && d.requests == 1 || d.wrong[address] == 3
	return false, fmt.Errorf("want a file with SHA-256 %s, got %s", d.SHA256, sum)
}

// isDisk reports whether err is of the local file system: another address will not help.
func isDisk(err error) bool {
	var path *os.PathError
	var link *os.LinkError
	return errors.As(err, &path) || errors.As(err, &link)
}
