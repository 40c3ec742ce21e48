// Package bench measures how fast networks train and answer, and how that compares with what the machine's matrix
// product could do: step time, images a second, necessary work a second, memory, allocations.
package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// Modes lists what can be measured: a step of training, or the logits of a batch.
var Modes = []string{"train", "infer"}

// A Point is one thing to measure.
type Point struct {
	Preset  string   // what Model and Train were taken from, to be shown
	Changes []string // settings that lie over those of Preset, likewise
	Model   model.Spec
	Train   train.Options
	Mode    string // one of Modes
	Batch   int
	Threads int
	Device  string // where steps run, in the user's words; Train.Device is the device itself
	Steps   int    // to time; 0 is as many as a few seconds hold
	Warmup  int    // steps before them, at least 1
	Profile bool
	Started time.Time // when the process that measures was started
}

// A Row is what was measured at a Point. Times are of one step, in seconds; sizes are in bytes.
type Row struct {
	Model       string   `json:"model"`
	Encoding    string   `json:"encoding"`
	Preset      string   `json:"preset"`
	Changes     []string `json:"changes,omitempty"` // settings over the preset's: model.dim=128
	Mode        string   `json:"mode"`
	Batch       int      `json:"batch"`
	Threads     int      `json:"threads"`
	Device      string   `json:"device"` // cpu, or what the GPU's plugin calls it
	Precision   string   `json:"precision"`
	Params      int      `json:"params"`
	Steps       int      `json:"steps"`
	Warmup      int      `json:"warmup"`
	ImgS        float64  `json:"img_s"`      // images a second, at the median step
	ImgSBest    float64  `json:"img_s_best"` // at the fastest
	StepS       float64  `json:"step_s"`     // median
	StepQ1      float64  `json:"step_s_q1"`  // lower and upper quartile
	StepQ3      float64  `json:"step_s_q3"`
	StepBest    float64  `json:"step_s_best"`
	Necessary   float64  `json:"necessary_gflop"` // of one image; 1 multiply-add is 2 FLOP
	GFLOPS      float64  `json:"gflops"`          // necessary work a second
	GEMMGFLOPS  float64  `json:"gemm_gflops"`     // of the matrix product alone, in turn with the steps; on a GPU 0
	GEMMShare   float64  `json:"gemm_share"`      // GFLOPS / GEMMGFLOPS; on a GPU 0
	PeakRSS     int64    `json:"peak_rss"`        // of the process, at the end of the warm-up
	AllocsStep  int64    `json:"allocs_step"`     // bytes allocated in a step, median
	MallocsStep int64    `json:"mallocs_step"`    // and in how many pieces
	FirstStepS  float64  `json:"first_step_s"`    // from the start of the process to the end of the first step
	Profile     *Profile `json:"profile,omitempty"`
}

// How many steps are timed where nobody says: as many as fit into enough, between fewest and most.
const (
	enough  = 8 * time.Second
	fewest  = 5
	most    = 100
	flopMAC = 2
)

// Measure measures p in this process, whose memory it takes for the model's. It obeys ctx between steps.
func Measure(ctx context.Context, p Point) (*Row, error) {
	net, err := model.New(p.Model, 0)
	if err != nil {
		return nil, err
	}
	work, err := workOf(net, p.Mode)
	if err != nil {
		return nil, err
	}
	s, err := newStepper(net, p)
	if err != nil {
		return nil, err
	}
	defer s.close()
	r := &Row{Model: p.Model.Kind, Encoding: p.Model.Encoding, Preset: p.Preset, Changes: p.Changes, Mode: p.Mode,
		Batch: p.Batch, Threads: p.Threads, Device: p.Device, Precision: p.Train.Precision, Params: p.Model.Params(),
		Warmup: p.Warmup}
	for i := range p.Warmup {
		if err := s.next(ctx); err != nil {
			return nil, err
		}
		if i == 0 {
			r.FirstStepS = time.Since(p.Started).Seconds()
		}
	}
	r.PeakRSS = run.PeakRSS() // before the product's own matrices
	var gemm *probe           // what the machine's matrix product could do says nothing of a GPU
	if !p.gpu() {
		gemm = newProbe(work.Product, p)
	}
	laps, err := s.laps(ctx, p, gemm)
	if err != nil {
		return nil, err
	}
	r.fill(laps, work)
	if p.Profile {
		r.Profile, err = s.profile(ctx, profileTime)
	}
	return r, err
}

// gpu says whether p is measured on another device than the CPU.
func (p Point) gpu() bool { return p.Train.Device.Backend != nil }

// workOf returns the necessary work of an image: for training, forward and backward.
func workOf(net *model.Network, mode string) (nn.Work, error) {
	w, ok := net.Layer.(nn.Worker)
	if !ok {
		return nn.Work{}, fmt.Errorf("bench: a model of kind %q does not count its work", net.Spec.Kind)
	}
	return w.Work(mode == "train")
}

// A lap is one step that was timed.
type lap struct {
	seconds        float64
	bytes, mallocs uint64
	gemm           float64 // FLOP a second
}

// laps times steps, and after each of them the matrix product, if there is a probe.
func (s *stepper) laps(ctx context.Context, p Point, probe *probe) (laps []lap, err error) {
	begin := time.Now()
	more := func() bool {
		n := len(laps)
		if p.Steps > 0 {
			return n < p.Steps
		}
		return n < fewest || n < most && time.Since(begin) < enough
	}
	var before, after runtime.MemStats
	for more() {
		runtime.ReadMemStats(&before)
		start := time.Now()
		if err := s.next(ctx); err != nil {
			return nil, err
		}
		l := lap{seconds: time.Since(start).Seconds()}
		runtime.ReadMemStats(&after)
		l.bytes, l.mallocs = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
		if probe != nil {
			l.gemm = probe.run()
		}
		laps = append(laps, l)
	}
	return laps, nil
}

// fill works out the row.
func (r *Row) fill(laps []lap, work nn.Work) {
	seconds := func(l lap) float64 { return l.seconds }
	r.Steps = len(laps)
	r.StepS, r.StepBest = quantile(laps, 0.5, seconds), quantile(laps, 0, seconds)
	r.StepQ1, r.StepQ3 = quantile(laps, 0.25, seconds), quantile(laps, 0.75, seconds)
	r.ImgS, r.ImgSBest = float64(r.Batch)/r.StepS, float64(r.Batch)/r.StepBest
	passes := 1.0
	if r.Mode == "train" {
		passes = 3 // forward, and twice that backward
	}
	r.Necessary = passes * flopMAC * work.MACs() / 1e9
	r.GFLOPS, r.GEMMGFLOPS = r.Necessary*r.ImgS, quantile(laps, 0.5, func(l lap) float64 { return l.gemm })/1e9
	if r.GEMMGFLOPS > 0 {
		r.GEMMShare = r.GFLOPS / r.GEMMGFLOPS
	}
	r.AllocsStep = int64(quantile(laps, 0.5, func(l lap) float64 { return float64(l.bytes) }))
	r.MallocsStep = int64(quantile(laps, 0.5, func(l lap) float64 { return float64(l.mallocs) }))
}

// quantile returns the q-th quantile of what of says of each lap, between neighbours in proportion.
func quantile(laps []lap, q float64, of func(lap) float64) float64 {
	v := make([]float64, len(laps))
	for i, l := range laps {
		v[i] = of(l)
	}
	slices.Sort(v)
	at := q * float64(len(v)-1)
	i := int(math.Floor(at))
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (at-float64(i))*(v[i+1]-v[i])
}
