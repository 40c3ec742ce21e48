package event

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema is the version of the event stream and of every JSON document of a run except run.json: their "v".
const Schema = 1

// kinds has a zero event of each kind, to decode records into.
var kinds = []Event{Start{}, Step{}, Epoch{}, Heads{}, Surgery{}, Eval{}, Warn{}, Note{}, End{}}

const stamp = "2006-01-02T15:04:05.000Z07:00" // RFC 3339, to the millisecond

// A Record is an event with its time.
type Record struct {
	Time  time.Time
	Event Event
}

// Kind returns the event's name in the stream: start, step, epoch, heads, eval, warn, note or end.
func Kind(e Event) string { return e.event() }

// MarshalJSON encodes the record as a line of metrics.jsonl, without the newline:
//
//	{"v":1,"t":"2026-11-20T23:22:58.112Z","ev":"step","step":1061,…}
//
// NaN and infinities become null.
func (r Record) MarshalJSON() ([]byte, error) {
	if r.Event == nil {
		return nil, errors.New("a record without an event")
	}
	return Line(r.Time, r.Event.event(), r.Event)
}

// Line encodes a line of an event stream, without the newline. v is a struct with the fields of the event. Streams that
// are not recorded, such as that of --progress json, have further kinds.
func Line(at time.Time, kind string, v any) ([]byte, error) {
	head := fmt.Sprintf(`{"v":%d,"t":"%s","ev":"%s"`, Schema, at.UTC().Format(stamp), kind)
	fields := reflect.ValueOf(v)
	if fields.Kind() != reflect.Struct {
		return nil, fmt.Errorf("event %s: want a struct with its fields, got %T", kind, v)
	}
	b, err := appendFields([]byte(head), fields)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", kind, err)
	}
	return append(b, '}'), nil
}

// ErrKind is the error for a record of an unknown kind, which a later version has written.
var ErrKind = errors.New("event of an unknown kind")

// UnmarshalJSON is the inverse of MarshalJSON. It ignores unknown keys; floats that are null or missing become NaN.
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
			if err := Unmarshal(b, p.Interface()); err != nil {
				return err
			}
			*r = Record{head.T, p.Elem().Interface().(Event)}
			return nil
		}
	}
	return fmt.Errorf("%w: %q", ErrKind, head.Ev)
}

// longestLine is the most bytes of a line of an event stream: the bits of an evaluation of ten million images take 1.7
// MB.
const longestLine = 16 << 20

// Records reads an event stream: one record per line. With kinds, as Kind returns them, only those are returned, and
// take memory. It skips events of unknown kinds, which later versions write, and an invalid last line without a
// newline, which a crash has truncated. Any other invalid line is an error; the records before it are returned, too.
func Records(r io.Reader, kinds ...string) ([]Record, error) {
	var all []Record
	var line []byte
	br := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		var end error
		line, end = readLine(br, line[:0])
		if len(line) > longestLine {
			return all, fmt.Errorf("line %d: want at most %d bytes, got a line that begins with %.60q\n"+
				"  it is not of this program: without it, the run can be read", n, longestLine, line[:60])
		}
		if end != nil && end != io.EOF {
			return all, end
		}
		if len(bytes.TrimSpace(line)) > 0 && !skippable(line, kinds) {
			var rec Record
			switch err := json.Unmarshal(line, &rec); {
			case err == nil && (kinds == nil || slices.Contains(kinds, Kind(rec.Event))):
				all = append(all, rec)
			case err == nil, errors.Is(err, ErrKind):
			case end == nil:
				return all, fmt.Errorf("line %d: %s", n, start(err.Error()))
			}
		}
		if end == io.EOF {
			return all, nil
		}
	}
}

// readLine appends to b the next line, with its newline, and stops early in one that is longer than longestLine.
func readLine(br *bufio.Reader, b []byte) ([]byte, error) {
	for {
		part, err := br.ReadSlice('\n')
		if b = append(b, part...); err != bufio.ErrBufferFull || len(b) > longestLine {
			return b, err
		}
	}
}

// skippable reports whether a line as Line writes it, of valid JSON, is of none of the kinds. It says so ten times
// faster than the line can be decoded: most lines are steps.
func skippable(line []byte, kinds []string) bool {
	if kinds == nil {
		return false
	}
	head, rest, _ := bytes.Cut(line[:min(len(line), 80)], []byte(`,"ev":"`))
	kind, _, found := bytes.Cut(rest, []byte{'"'})
	return found && len(head) < 50 && bytes.HasPrefix(head, fmt.Appendf(nil, `{"v":%d,"t":"`, Schema)) &&
		!slices.Contains(kinds, string(kind)) && json.Valid(line)
}

// start returns text, or the beginning of one that no terminal should show whole.
func start(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
