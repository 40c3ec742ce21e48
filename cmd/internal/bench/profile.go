package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// The profiler samples at 100 Hz: in profileTime a share is accurate to a few per cent.
const (
	profileTime  = 4 * time.Second
	profileSteps = 3
)

// profile takes more steps, at least profileSteps and for at least so long, and measures the time of functions and
// operations.
func (s *stepper) profile(ctx context.Context, atLeast time.Duration) (*Profile, error) {
	ops, last := map[string]float64{}, time.Now()
	s.watch(func(op string) {
		now := time.Now()
		ops[op] += now.Sub(last).Seconds()
		last = now
	})
	defer s.watch(nil)
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	defer pprof.StopCPUProfile()
	begin, n := time.Now(), 0
	for ; n < profileSteps || time.Since(begin) < atLeast; n++ {
		last = time.Now()
		if err := s.next(ctx); err != nil {
			return nil, err
		}
	}
	wall := time.Since(begin).Seconds()
	pprof.StopCPUProfile()
	samples, err := profile.Parse(&b)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	p := &Profile{Steps: n, WallS: wall / float64(n), Operations: operations(ops, wall, n)}
	p.Functions, p.CPUS = functions(samples, n)
	return p, nil
}

// functions sums the processor time by owner, in seconds per step.
func functions(p *profile.Profile, steps int) (all []Function, cpu float64) {
	by := map[string]float64{}
	for _, s := range p.Sample {
		seconds := float64(s.Value[len(s.Value)-1]) / 1e9 / float64(steps) // s.Value is [samples, nanoseconds]
		by[owner(s)] += seconds
		cpu += seconds
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, Function{Name: name, CPUS: by[name], Share: by[name] / cpu})
	}
	slices.SortStableFunc(all, func(a, b Function) int { return cmp.Compare(b.CPUS, a.CPUS) })
	return all, cpu
}

const module = "github.com/attnconv/attnconv/"

// owner returns the innermost function of this module on the stack of a sample, so that memmove counts for the kernel
// that copies; without one, gorgonia or the runtime.
func owner(s *profile.Sample) string {
	for _, at := range s.Location {
		for _, line := range at.Line {
			if name, ours := strings.CutPrefix(line.Function.Name, module); ours {
				return short(name)
			}
		}
	}
	for _, at := range s.Location {
		for _, line := range at.Line {
			if strings.HasPrefix(line.Function.Name, "gorgonia.org/") {
				return "(gorgonia)"
			}
		}
	}
	return "(Go's runtime)"
}

// short returns a function's name without closures and path: "gemm.Bias" for internal/gemm.Bias.func1.2, and
// "op.droppedPairs.drawHead" for a method of internal/op.
func short(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	pkg, name, _ := strings.Cut(name, ".")
	parts := []string{pkg}
	for part := range strings.SplitSeq(name, ".") {
		if closure := strings.HasPrefix(part, "func") || part[0] >= '0' && part[0] <= '9'; closure ||
			part == "gowrap1" {
			break
		}
		parts = append(parts, strings.Trim(part, "(*)"))
	}
	return strings.Join(parts, ".")
}

// operations sums the time of operations of one kind. The label "residual-norm{rate=0.1,key=7} of
// encoder.layer.0.output" is of the kind residual-norm; "d " before it marks the backward operation.
func operations(labels map[string]float64, wall float64, steps int) (all []Operation) {
	by, inside := map[string]*Operation{}, 0.0
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		name, backward := strings.CutPrefix(label, "d ")
		name, _, _ = strings.Cut(name, " of ")
		name, _, _ = strings.Cut(name, "{")
		if by[name] == nil {
			by[name] = &Operation{Name: name}
		}
		seconds := labels[label] / float64(steps)
		if backward {
			by[name].BackwardS += seconds
		} else {
			by[name].ForwardS += seconds
		}
		inside += labels[label]
	}
	by[outside] = &Operation{Name: outside, ForwardS: max(0, wall-inside) / float64(steps)}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		by[name].Share = (by[name].ForwardS + by[name].BackwardS) * float64(steps) / wall
		all = append(all, *by[name])
	}
	slices.SortStableFunc(all, func(a, b Operation) int { return cmp.Compare(b.Share, a.Share) })
	return all
}

const outside = "(outside the graph)" // the solver, the norm of the gradients, the batch
