package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"
)

// Schema is the version of the event stream, of run.json's neighbours and of every JSON document of a run: their "v".
const Schema = 1

// kinds holds one zero event of each kind, to read records back.
var kinds = []Event{Start{}, Step{}, Epoch{}, Heads{}, Eval{}, Warn{}, Note{}, End{}}

const stamp = "2006-01-02T15:04:05.000Z07:00" // RFC 3339, to the millisecond

// A Record is an event with the time at which it happened.
type Record struct {
	Time  time.Time
	Event Event
}

// Kind returns the event's name in the stream: start, step, epoch, heads, eval, warn, note or end.
func Kind(e Event) string { return e.event() }

// MarshalJSON writes the record as a line of metrics.jsonl holds it, without the newline:
//
//	{"v":1,"t":"2026-11-20T23:22:58.112Z","ev":"step","step":1061,…}
//
// NaN and infinities become null.
func (r Record) MarshalJSON() ([]byte, error) { return Line(r.Time, r.Event.event(), r.Event) }

// Line writes a line of an event stream, without the newline, as MarshalJSON does. Streams that are not kept, such as
// that of --progress json, have kinds that no Event is of; v is a struct with their fields.
func Line(at time.Time, kind string, v any) ([]byte, error) {
	head := fmt.Sprintf(`{"v":%d,"t":"%s","ev":"%s"`, Schema, at.UTC().Format(stamp), kind)
	b, err := appendFields([]byte(head), reflect.ValueOf(v))
	if err != nil {
		return nil, fmt.Errorf("run: event %s: %w", kind, err)
	}
	return append(b, '}'), nil
}

// errKind says that a record is of a kind that only later versions know.
var errKind = errors.New("event of an unknown kind")

// UnmarshalJSON reads what MarshalJSON wrote. Keys that it does not know are passed over; floats that are null or
// missing become NaN.
func (r *Record) UnmarshalJSON(b []byte) error {
	var head struct {
		V  int       `json:"v"`
		T  time.Time `json:"t"`
		Ev string    `json:"ev"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return err
	}
	if head.V != Schema {
		return fmt.Errorf("event stream of version %d; this is version %d", head.V, Schema)
	}
	for _, k := range kinds {
		if k.event() == head.Ev {
			p := reflect.New(reflect.TypeOf(k))
			if err := unmarshal(b, p.Interface()); err != nil {
				return err
			}
			*r = Record{head.T, p.Elem().Interface().(Event)}
			return nil
		}
	}
	return fmt.Errorf("%w: %q", errKind, head.Ev)
}

// Records reads an event stream: one record a line. A last line without its newline that cannot be read was torn by a
// crash and is left out; events of kinds that only later versions know are passed over. Any other line that cannot be
// read is an error, after the records before it.
func Records(r io.Reader) ([]Record, error) {
	var all []Record
	br := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, end := br.ReadBytes('\n')
		if end != nil && end != io.EOF {
			return all, end
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var rec Record
			switch err := json.Unmarshal(line, &rec); {
			case err == nil:
				all = append(all, rec)
			case errors.Is(err, errKind):
			case end == nil:
				return all, fmt.Errorf("line %d: %w", n, err)
			}
		}
		if end == io.EOF {
			return all, nil
		}
	}
}
