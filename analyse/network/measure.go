// Package network says how convolutional the layers of a network are: it reads attention, maps, inputs and outputs off
// a network, and measures them with package analyse. docs/analyse.md has the equations.
//
// A layer is attention with the map behind it,
//
//	y_q = Σ_h Σ_k P^h_qk·x_k·W_h + b,  W_h = V_h·D_h
//
// for the value map V and the dense map D of a block, without the residual and the norm; or what takes its place.
//
// Stable: nothing yet.
package network

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
)

// A Subject is a trained network, and what it is compared with.
type Subject struct {
	Name  string // of its run or checkpoint
	Net   *model.Network
	Seed  uint64
	Start *model.Network                            // before its first step; nil: unknown
	Fresh func(seed uint64) (*model.Network, error) // an untrained network of another seed; nil: unknown
	Data  string                                    // name of the data set; "": no images
	Train data.Split                                // images that regressions are fitted on; empty: half of Held
	Split string                                    // that Held is
	Held  data.Split                                // images that it was not trained on
	Tell  func(format string, args ...any)          // hears what is done next; may be nil
	Done  func(part float64)                        // hears how much of that is done, in 0..1; may be nil
}

// Options say how much is measured. The zero value reads no image and draws no null.
type Options struct {
	Images    int    // that regressions are fitted on, and as many others for R²
	Attention int    // that attention which depends on the image is averaged over
	Kernel    int    // largest K of regressions, an odd number
	Seeds     int    // of the initializer's null
	Fits      int    // of them, whose R² is measured, too
	Draws     int    // of each other null
	Headline  bool   // accuracy with attention replaced by 3 × 3 and 5 × 5 convolutions, and two baselines
	Function  bool   // accuracy with layers replaced by all replacements
	Network   bool   // shifts, receptive fields and CKA
	Seed      uint64 // of these draws
}

// Usual are the options of the command analyse.
func Usual() Options {
	return Options{Images: 1000, Attention: 500, Kernel: 7, Seeds: 20, Fits: 3, Draws: 100, Headline: true}
}

// Untrained networks to compare with, unless a user says how many.
const (
	seedsPerLayer = 20 // so that p, corrected for the layers, can be below 0.05
	quickSeeds    = 60 // of a quick measurement: enough for three layers
)

// For returns options that suit a network, with as many untrained networks as the number of its layers takes, unless
// they are chosen. A quick measurement leaves out what needs images: accuracy with layers replaced, and R².
func (o Options) For(s Subject, quick, chosen bool) Options {
	if quick {
		o.Images, o.Headline = 0, false
	}
	if layers := len(s.Net.Spec.Blocks()); !chosen && layers > 0 && !s.Net.Spec.ByImage() {
		o.Seeds = seedsPerLayer * layers
		if quick {
			o.Seeds = min(quickSeeds, o.Seeds)
		}
	}
	return o
}

// batch is how many images a graph takes at once. Results do not depend on it.
const batch = 50

// Measure returns what is measured of every layer. The error is an *analyse.Error if a value of the network is not
// finite, or ctx.Err().
func Measure(ctx context.Context, s Subject, o Options) (*Analysis, error) {
	return measure(ctx, s, o, &untrained{})
}

// measure measures every layer against untrained networks, which it draws unless an earlier call has.
func measure(ctx context.Context, s Subject, o Options, against *untrained) (*Analysis, error) {
	if s.Net == nil || s.Net.Layer == nil {
		return nil, errors.New("the network is nil or empty: want one of model.New or model.Load")
	}
	sites, err := sitesOf(s.Net)
	if err != nil {
		return nil, err
	}
	spec := s.Net.Spec
	d := &Analysis{V: 1, Source: s.Name, Model: spec.Kind, Encoding: spec.EncodingName(), Seed: s.Seed,
		Layers: []AnalysedLayer{}, Notes: []string{}}
	m := &measuring{Subject: s, o: o, d: d, sites: sites, against: against}
	switch {
	case spec.ClassToken():
		m.note("layers from %d on have a class token and are not measured", len(sites)+1)
	case len(sites) == 0:
		m.note("a %s has no layers that can be measured", spec.Kind)
	}
	m.divide()
	runtime.GC() // of the set that the images come from, 0.3 GB of CIFAR-10, before regressions take as much
	for _, step := range []func(context.Context) error{m.operators, m.untrained, m.compareProfiles,
		m.drawNulls, m.spectra,
		m.untrainedSpectra, m.function,
		m.wholeNetwork} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	for _, r := range m.reasons {
		m.note("%s", r)
	}
	correct(d.Layers)
	d.Notes = append(d.Notes, tooFew(d.Layers)...)
	for i := range d.Layers {
		if d.Layers[i].Sentence, err = m.sentence(i); err != nil {
			return nil, err
		}
	}
	d.Verdict = verdict(*d)
	return d, nil
}

// measuring is an analysis under way.
type measuring struct {
	Subject
	o          Options
	d          *Analysis
	sites      []*site
	fit, score data.Split
	reasons    []reason
	against    *untrained
}

func (m *measuring) tell(format string, args ...any) {
	if m.Tell != nil {
		m.Tell(format, args...)
	}
}

// note says what was not measured.
func (m *measuring) note(format string, args ...any) {
	m.d.Notes = append(m.d.Notes, fmt.Sprintf(format, args...))
}

// lacks says what was not measured of layer i, and why. Layers with the same reason share a note.
func (m *measuring) lacks(i int, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	at := slices.IndexFunc(m.reasons, func(r reason) bool { return r.why == why })
	if at < 0 {
		at, m.reasons = len(m.reasons), append(m.reasons, reason{why: why})
	}
	m.reasons[at].layers = append(m.reasons[at].layers, i+1)
}

// A reason is why something was not measured of some layers.
type reason struct {
	why    string
	layers []int
}

func (r reason) String() string { return layersWords(r.layers) + ": " + r.why }

// ranges lists rising numbers: 1–4, 6.
func ranges(numbers []int) string {
	var words []string
	for _, at := range table.Ranges(numbers) {
		word := fmt.Sprint(at[0])
		if at[1] > at[0] {
			word += fmt.Sprintf("–%d", at[1])
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// divide takes training images to fit and validation images to score: as many as asked for, or as there are. Without
// training images, it takes half of the others for each.
func (m *measuring) divide() {
	m.fit, m.score = m.fitted(), m.scored(m.Held)
	if m.Held.Len() == 0 {
		m.note("no images were read: nothing was measured on data")
	}
	if m.score.Len() == 0 {
		return
	}
	m.d.Data, m.d.Images = m.Data, AnalysedImages{Split: m.Split, FitSplit: "train", Fit: m.fit.Len(),
		Score: m.score.Len()}
	if m.Train.Len() == 0 {
		m.d.Images.FitSplit = m.Split
	}
}

func (m *measuring) fitted() data.Split {
	if m.Train.Len() == 0 {
		return m.Held.Subset(upTo(0, min(m.o.Images, m.Held.Len()/2)))
	}
	return m.Train.Sample(m.o.Images)
}

// scored returns the images of held that score regressions.
func (m *measuring) scored(held data.Split) data.Split {
	if m.Train.Len() == 0 {
		n := min(m.o.Images, held.Len()/2)
		return held.Subset(upTo(n, 2*n))
	}
	return held.Sample(m.o.Images)
}

func upTo(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}
