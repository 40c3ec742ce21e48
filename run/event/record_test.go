package event

import (
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var when = time.Date(2026, 11, 20, 23, 22, 58, 112e6, time.UTC)

// These lines are the schema: keys are added, never renamed.
var recordCases = []struct {
	name  string
	event Event
	line  string // behind {"v":1,"t":"2026-11-20T23:22:58.112Z","ev":
}{
	{"start", Start{Steps: 6750, Epochs: 15, Params: 100, Threads: 4, Kernels: "avx2"},
		`"start","step":0,"steps":6750,"epochs":15,"params":100,"threads":4,"kernels":"avx2"}`},
	{"step", Step{Step: 1061, Epoch: 3, Loss: 1.7213, Acc: 0.3822, LR: 0.0991, ImgS: 203.1, StepS: 0.5, ETA: 2805,
		Steps: 6750},
		`"step","step":1061,"epoch":3,"loss":1.7213,"acc":0.3822,"lr":0.0991,"img_s":203.1,"step_s":0.5,"eta_s":2805}`},
	{"diverged step", Step{Step: 3, Loss: math.NaN(), Acc: math.Inf(1), LR: math.Inf(-1)},
		`"step","step":3,"epoch":0,"loss":null,"acc":null,"lr":null,"img_s":0,"step_s":0,"eta_s":0}`},
	{"epoch", Epoch{Epoch: 3, Step: 1350, TrainLoss: 1.71, TrainAcc: 0.385, ValLoss: 1.65, ValAcc: 0.402, LR: 0.1,
		ImgS:  200,
		WallS: 665.1, TotalS: 1995.5, Best: true},
		`"epoch","epoch":3,"step":1350,"train_loss":1.71,"train_acc":0.385,"val_loss":1.65,"val_acc":0.402,` +
			`"lr":0.1,"img_s":200,"wall_s":665.1,"total_s":1995.5,"best":true}`},
	{"heads", Heads{3, []HeadLayer{{Centers: [][2]float64{{-0.9, 1.1}}, Alpha: []float64{0.52}}}},
		`"heads","epoch":3,"layers":[{"centers":[[-0.9,1.1]],"alpha":[0.52]}]}`},
	{"general heads", Heads{0, []HeadLayer{{
		Centers: [][2]float64{{0, math.NaN()}}, Precision: [][2][2]float64{{{1, 0}, {0, math.Inf(1)}}}}}},
		`"heads","epoch":0,"layers":[{"centers":[[0,null]],"precision":[[[1,0],[0,null]]]}]}`},
	{"surgery", Surgery{2, 40, "prune", "heads:uniform", [][2]int{{1, 3}, {2, 1}}},
		`"surgery","epoch":2,"step":40,"operation":"prune","which":"heads:uniform","heads":[[1,3],[2,1]]}`},
	{"eval", Eval{Split: "test", Step: 5, N: 10000, Loss: 1, Acc: 0.5},
		`"eval","split":"test","step":5,"n":10000,"loss":1,"acc":0.5}`},
	{"warn", Warn{"a \"b\"\nc\x1b"}, `"warn","message":"a \"b\"\nc\u001b"}`},
	{"end", End{Done, 6750, 3000}, `"end","state":"done","step":6750,"wall_s":3000}`},
}

// same compares events as files represent them: without fields that are not written, and with all floats that are not
// finite equal.
var same = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(x, y float64) bool { return x == y || !finite(x) && !finite(y) }),
	cmpopts.IgnoreFields(Step{}, "Steps", "EpochSteps", "EpochStep", "Elapsed"),
	cmpopts.IgnoreFields(Epoch{}, "Epochs", "ETA"),
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func TestRecord(t *testing.T) {
	for _, tt := range recordCases {
		t.Run(tt.name, func(t *testing.T) {
			b, err := json.Marshal(Record{when, tt.event})
			want := `{"v":1,"t":"2026-11-20T23:22:58.112Z","ev":` + tt.line
			if err != nil || string(b) != want {
				t.Fatalf("%v\n got %s\nwant %s", err, b, want)
			}
			var r Record
			if err := json.Unmarshal(b, &r); err != nil || !r.Time.Equal(when) {
				t.Fatal(r.Time, err)
			}
			if diff := cmp.Diff(tt.event, r.Event, same); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecordTimeIsUTC(t *testing.T) {
	b, err := Record{when.In(time.FixedZone("", 7200)), Warn{"x"}}.MarshalJSON()
	if err != nil || !strings.Contains(string(b), `"t":"2026-11-20T23:22:58.112Z"`) {
		t.Error(string(b), err)
	}
}

func TestRecords(t *testing.T) {
	line := func(e Event) string { b, _ := Record{when, e}.MarshalJSON(); return string(b) }
	warn, end := line(Warn{"x"}), line(End{Done, 1, 1})
	for _, tt := range []struct {
		name string
		text string
		want int // records
		err  string
	}{
		{"nothing", "", 0, ""},
		{"two", warn + "\n" + end + "\n", 2, ""},
		{"no last newline", warn + "\n" + end, 2, ""},
		{"torn", warn + "\n" + end[:len(end)-7], 1, ""},
		{"torn at once", end[:3], 0, ""},
		{"zeros at the end", warn + "\n\x00\x00\x00", 1, ""},
		{"empty line, DOS newline", warn + "\r\n\n" + end, 2, ""},
		{"event of a later version", warn + "\n" + `{"v":1,"t":"2026-11-20T23:22:58Z","ev":"moon"}` + "\n" + end, 2,
			""},
		{"key of a later version", `{"v":1,"t":"2026-11-20T23:22:58Z","ev":"warn","message":"a","x":[1]}` + "\n", 1,
			""},
		{"torn in the middle", warn + "\n" + end[:9] + "\n" + end + "\n", 1, "line 2"},
		{"later schema", `{"v":2,"t":"2026-11-20T23:22:58Z","ev":"warn"}` + "\n", 0, "version 2; this is version 1"},
		{"wrong type", `{"v":1,"t":"2026-11-20T23:22:58Z","ev":"step","step":"x"}` + "\n", 0, "line 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Records(strings.NewReader(tt.text))
			if len(got) != tt.want || err == nil && tt.err != "" ||
				err != nil && (tt.err == "" || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("%d records, %v; want %d, %q", len(got), err, tt.want, tt.err)
			}
		})
	}
}

// Of a long run, only the records that are asked for take memory, and the others hardly any time: a million steps are
// 200 MB when they are decoded.
func TestRecordsOfKinds(t *testing.T) {
	line := func(e Event) string { b, _ := Record{when, e}.MarshalJSON(); return string(b) + "\n" }
	const steps = 20_000
	text := line(Start{Steps: steps}) + strings.Repeat(line(Step{Step: 7}), steps) + line(Epoch{Epoch: 1})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all, err := Records(strings.NewReader(text), "epoch", "start")
	if err != nil || len(all) != 2 || Kind(all[0].Event) != "start" || Kind(all[1].Event) != "epoch" {
		t.Errorf("%v, %v", all, err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > steps*100 {
		t.Errorf("%d steps that nobody asked for took %d bytes", steps, after.TotalAlloc-before.TotalAlloc)
	}
	for _, tt := range []struct {
		text string
		want int
		err  string
	}{
		{line(Step{})[:20] + "\n" + line(Epoch{}), 0, "line 1"},
		{strings.Replace(line(Step{}), "}", "", 1) + line(Epoch{}), 0, "line 1"},
		{`{"ev":"epoch","v":1,"t":"2026-11-20T23:22:58Z"}` + "\n" + `{"ev":"step","v":1,"t":"2026-11-20T23:22:58Z"}`, 1,
			""},
		{line(Epoch{}) + line(Step{})[:60], 1, ""},
		{`{"v":1,"t":"2026-11-20T23:22:58Z","ev":"moon"}` + "\n" + line(Epoch{}), 1, ""},
	} {
		got, err := Records(strings.NewReader(tt.text), "epoch")
		if len(got) != tt.want || (err == nil) != (tt.err == "") || err != nil &&
			!strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %d records, %v; want %d, %q", tt.text, len(got), err, tt.want, tt.err)
		}
	}
}

// A line without end is an error that shows its beginning only, and so is one with a value that is as long.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", longestLine)
	for _, text := range []string{long + "x\n", `{"v":1,"t":"` + long[100:] + `","ev":"step"}` + "\n", long} {
		_, err := Records(strings.NewReader(text))
		if text != long && err == nil || err != nil && len(err.Error()) > 300 {
			t.Errorf("%.300v", err)
		}
	}
	first := `{"v":1,"t":"2026-11-20T23:22:58Z","ev":"epoch","epoch":1}` + "\n"
	for _, text := range []string{long + "x\n", strings.Repeat(long, 3) + "\n", strings.Repeat(long, 3)} {
		all, err := Records(strings.NewReader(first + text + first))
		if len(all) != 1 || err == nil ||
			!strings.HasPrefix(err.Error(), "line 2: want at most 16777216 bytes, got ") ||
			!strings.HasSuffix(err.Error(), "xxx\"\n  it is not of this program: without it, the run can be read") {
			t.Errorf("%d bytes: %d records, %.300v", len(text), len(all), err)
		}
	}
}

func FuzzRecords(f *testing.F) {
	for _, tt := range recordCases {
		b, err := Record{when, tt.event}.MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b) + "\n" + string(b[:len(b)/2]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Records(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range got { // what was read can be written, and reads the same
			b, err := r.MarshalJSON()
			if err != nil {
				if r.Time.Year() > 9999 || r.Time.Year() < 0 {
					continue
				}
				t.Fatal(err)
			}
			var decoded Record
			if err := json.Unmarshal(b, &decoded); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			if diff := cmp.Diff(r.Event, decoded.Event, same); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
