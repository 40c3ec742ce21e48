// Package bench measures the speed of training and inference: step time, images/s, necessary FLOP/s relative to the
// matrix product's, memory and allocations.
package bench

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// modes lists what can be measured.
var modes = option.List[option.Item]{
	{Name: "train", Help: "a step of training"},
	{Name: "infer", Help: "the logits of a batch"},
}

// A Point is one configuration to measure.
type Point struct {
	Preset  string        // the preset of Model and Train, to be shown
	Changes []string      // settings that differ from Preset's, to be shown
	Model   model.Spec    `json:"-"` // Settings has it for the child, because JSON has no whole numbers
	Train   train.Options `json:"-"`
	// Settings are those of Model and Train, in YAML.
	Settings []byte
	Mode     string // one of Modes
	Batch    int
	Threads  int
	Device   string // as the user named it; Train.Device is the device itself
	Steps    int    // timed steps; 0: as many as fit into a few seconds
	Warmup   int    // steps before them, at least 1
	Profile  bool
	Started  time.Time // start of the measuring process
}

// If Point.Steps is 0, steps are timed for stepTime, but at least minSteps and at most maxSteps of them.
const (
	stepTime = 8 * time.Second
	minSteps = 5
	maxSteps = 100
)

const flopMAC = 2 // floating-point operations of one multiply-add

// Measure measures p in this process, whose peak memory counts as the model's. It checks ctx before each step.
func Measure(ctx context.Context, p Point) (*Row, error) {
	net, err := model.New(p.Model, 0)
	if err != nil {
		return nil, err
	}
	work, err := workOf(net, p.Mode == "train", p.Batch)
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
	r.PeakRSS = run.PeakRSS() // before the probe allocates its matrices
	var gemm *probe           // nil on a GPU: the probe runs on the CPU
	if !p.gpu() {
		gemm = newProbe(work.largest, p)
	}
	laps, err := s.laps(ctx, p, gemm)
	if err != nil {
		return nil, err
	}
	fill(r, laps, work)
	if p.Profile {
		r.Profile, err = s.profile(ctx, profileTime)
	}
	return r, err
}

func (p Point) gpu() bool { return p.Train.Device != nil }

// A lap is the measurement of one step.
type lap struct {
	seconds        float64
	bytes, mallocs uint64
	gemm           float64 // FLOP/s
}

// laps times steps, and the matrix product after each of them if probe is not nil.
func (s *stepper) laps(ctx context.Context, p Point, probe *probe) (laps []lap, err error) {
	begin := time.Now()
	more := func() bool {
		n := len(laps)
		if p.Steps > 0 {
			return n < p.Steps
		}
		return n < minSteps || n < maxSteps && time.Since(begin) < stepTime
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

// fill sets the statistics of r.
func fill(r *Row, laps []lap, work work) {
	seconds := func(l lap) float64 { return l.seconds }
	r.Steps = len(laps)
	r.StepS, r.StepBest = quantile(laps, 0.5, seconds), quantile(laps, 0, seconds)
	r.StepQ1, r.StepQ3 = quantile(laps, 0.25, seconds), quantile(laps, 0.75, seconds)
	r.ImgS, r.ImgSBest = float64(r.Batch)/r.StepS, float64(r.Batch)/r.StepBest
	passes := 1.0
	if r.Mode == "train" {
		passes = 3 // backward costs twice the forward pass
	}
	r.Necessary = passes * flopMAC * work.macs / 1e9
	r.GFLOPS, r.GEMMGFLOPS = r.Necessary*r.ImgS, quantile(laps, 0.5, func(l lap) float64 { return l.gemm })/1e9
	if r.GEMMGFLOPS > 0 {
		r.GEMMShare = r.GFLOPS / r.GEMMGFLOPS
	}
	r.AllocsStep = int64(quantile(laps, 0.5, func(l lap) float64 { return float64(l.bytes) }))
	r.MallocsStep = int64(quantile(laps, 0.5, func(l lap) float64 { return float64(l.mallocs) }))
}

// quantile returns the q-quantile of a value of the laps, with linear interpolation.
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
