// Package fetch brings one known file from the network: over bad lines, from several addresses, across kills of the
// program. What has come is kept beside the file's place as PATH.part, and the next call goes on from there. The file
// gets its name once it is whole and its SHA-256 is the one that was asked for; so a server can waste time, and no more.
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
)

// A File is what is wanted.
type File struct {
	URLs   []string // where it is, the best one first
	Path   string   // where it goes
	Size   int64
	SHA256 string // in hexadecimal
}

// Options say how patient a download is. The zero value is for ordinary use.
type Options struct {
	Client *http.Client
	Stall  time.Duration // without a byte for so long, a connection is given up; 0: 30 s
	Pause  time.Duration // before all addresses are tried again, twice as long each time; 0: 1 s
	Rounds int           // times that all addresses are tried without a byte from any; 0: 5
	// Observe, if set, is told how much there is, again and again.
	Observe func(State)
	// Say, if set, is told in words what goes wrong and what is done about it.
	Say func(text string)
}

// A State is how far a download is.
type State struct {
	Have, Size int64
	URL        string // as Shown
}

// Corrupt says that every address gave something other than the file.
type Corrupt struct {
	Path    string
	Reasons []string
}

func (e *Corrupt) Error() string {
	return fmt.Sprintf("%s: what came is not the file that was published:\n  %s", e.Path, strings.Join(e.Reasons, "\n  "))
}

// Unreachable says that no address gave the file.
type Unreachable struct {
	Path    string
	Have    int64 // bytes that are kept
	Reasons []string
}

func (e *Unreachable) Error() string {
	return fmt.Sprintf("%s: could not be had:\n  %s", e.Path, strings.Join(e.Reasons, "\n  "))
}

// Get brings the file. The error is a *Corrupt, an *Unreachable, the context's, or one of the disk.
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
	err = d.run(ctx)
	return errors.Join(err, p.close())
}

// A download is a Get under way.
type download struct {
	File
	Options
	part    *part
	reasons map[string]string // by address: what went wrong last
	bad     map[string]bool   // addresses that are not asked again
	from    string            // the address of all that there is; several where there is more than one
	parts   int               // requests that gave it
	wrong   map[string]int    // by address: whole files that were another
}

// several stands for no single address.
const several = "several"

// run asks one address after the other until the file is there.
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
				if asking = d.part.have > before && !d.bad[address]; asking { // it is good for more
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

// say tells what went wrong at an address, unless it is what went wrong there before.
func (d *download) say(address string, err error) {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		err = of.Err // without the address once more
	}
	if reason := shown(err.Error(), address); d.reasons[address] != reason {
		d.reasons[address] = reason
		d.Say(Shown(address) + ": " + reason)
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

// failure is what is said at the end: that the file was corrupt if any address gave one that was.
func (d *download) failure() error {
	var reasons []string
	for _, address := range d.URLs {
		reasons = append(reasons, Shown(address)+": "+d.reasons[address])
	}
	if len(d.wrong) > 0 {
		return &Corrupt{d.Path, reasons}
	}
	return &Unreachable{d.Path, d.part.have, reasons}
}

// finish checks the whole file and gives it its name. A wrong one is thrown away; an address that gave all of it at
// once, or has given others before, is not asked again.
func (d *download) finish(address string) (done bool, err error) {
	sum := d.part.sum()
	if sum == d.SHA256 {
		return true, d.part.settle(d.Path)
	}
	if err := d.part.reset(); err != nil {
		return false, err
	}
	d.wrong[address]++
	d.bad[address] = d.from == address && d.parts == 1 || d.wrong[address] == 3
	return false, fmt.Errorf("want a file with SHA-256 %s, got %s", d.SHA256, sum)
}

// isDisk reports whether err is of the file system here, which another address will not mend.
func isDisk(err error) bool {
	var path *os.PathError
	var link *os.LinkError
	return errors.As(err, &path) || errors.As(err, &link)
}
