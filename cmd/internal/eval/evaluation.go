package eval

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// EvaluationOptions say what measure measures.
type EvaluationOptions struct {
	trained.EvaluateOptions
	Split     string // one of data.Splits; "": test
	Permute   uint64 // seed of a permutation of the pixels of all images; 0: that of the settings, if any
	Confusion bool   // count predictions by class
	Calibrate bool   // fit a temperature on the validation images
	Worst     int    // list so many of the images that are classified wrongly, worst first
}

// An Evaluation is how well a network classifies images.
type Evaluation struct {
	Scores
	Network string        // short name of its kind or encoding
	Classes []string      // names
	Images  data.Split    // that were classified
	Outputs train.Outputs // of every image
}

// measure measures a network on a part of set, split as the settings say. With a shift, the images are also evaluated
// unshifted. Views are those of every image, also of validation images. The error is an *option.Error, for "calibrate"
// or "split" if that needs validation images and the network was trained on all, or for "views"; or a
// *ckpt.CorruptError if the loss is not finite.
func measure(ctx context.Context, m *trained.Model, set *data.Set, o EvaluationOptions) (*Evaluation, error) {
	if o.Split == "" {
		o.Split = "test"
	}
	settings := m.Config.Data
	settings.Permute = cmp.Or(o.Permute, settings.Permute)
	for _, part := range []struct {
		needs     bool
		key, what string
	}{{o.Calibrate, "calibrate", ""}, {o.Split == "val", "split", "val "}} {
		if part.needs && settings.OnTest() {
			return nil, option.Errorf(part.key,
				"%sneeds validation images\n  it was trained with --protocol paper, which keeps no validation images", part.what)
		}
	}
	if o.Calibrate && set.Train.Len() == 0 {
		return nil, option.Errorf("calibrate", "needs validation images, and %s has only test images", set.Name)
	}
	split, err := set.Part(o.Split, settings)
	if err != nil {
		return nil, err
	}
	out, err := m.Evaluate(ctx, split, o.EvaluateOptions)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{scores(out, set.Classes), m.Net.Spec.ShortName(), set.Classes, split, out}
	if math.IsNaN(e.Loss) || math.IsInf(e.Loss, 0) {
		return nil, &ckpt.CorruptError{Path: m.Path, Reason: "its outputs for some images are not finite"}
	}
	e.Checkpoint, e.Data, e.Split, e.Permute = m.Path, set.Name, o.Split, o.Permute
	if views := trained.Views.Find(o.Views); views != nil && views.Len() > 1 {
		e.Views = &ViewMean{Name: views.Name, N: views.Len()}
	}
	if o.Split == "test" {
		e.Severities = bySeverity(out, severities(set))
	}
	if o.Confusion {
		e.Confusion = out.Confusion()
	}
	for _, i := range out.Worst(o.Worst) {
		own, predicted := int(out.Labels[i]), out.Predicted(i)
		e.Worst = append(e.Worst, WorstImage{Index: i, Class: set.Classes[own], Predicted: set.Classes[predicted],
			P: out.Probability(i, predicted), PClass: out.Probability(i, own)})
	}
	plain := o.EvaluateOptions
	plain.Shift = [2]int{}
	if o.Calibrate {
		_, val, _, err := set.Split(settings)
		if err != nil {
			return nil, err
		}
		heldOut, err := m.Evaluate(ctx, val, plain)
		if err != nil {
			return nil, err
		}
		t := heldOut.Temperature()
		e.Calibration = &CalibrationResult{Temperature: t, FittedOn: "val", FittedN: heldOut.Len(),
			Before: out.Calibration(1), After: out.Calibration(t)}
	}
	if o.Shift != [2]int{} {
		unshifted, err := m.Evaluate(ctx, split, plain)
		if err != nil {
			return nil, err
		}
		e.Shift = &ShiftScore{Right: o.Shift[1], Down: o.Shift[0], Unshifted: unshifted.Score().Acc,
			Same: out.Agreement(unshifted)}
	}
	return e, nil
}

// scores returns the document with accuracies and loss.
func scores(out train.Outputs, classes []string) Scores {
	s := out.Score()
	r := Scores{V: 1, N: s.N, Loss: s.Loss, Acc: s.Acc, Top5: s.Top5}
	for i, of := range s.PerClass {
		r.PerClass = append(r.PerClass, ClassScore{Class: classes[i], N: of.N,
			Acc: null.Float(float64(of.Correct) / float64(of.N))})
	}
	return r
}

// corruptions are the arrays of CIFAR-10-C, CIFAR-100-C and their extra ones.
// Source: Hendrycks, Dietterich 2019 (arXiv:1903.12261).
var corruptions = strings.Fields(`brightness contrast defocus_blur elastic_transform fog frost gaussian_blur
	gaussian_noise glass_blur impulse_noise jpeg_compression motion_blur pixelate saturate shot_noise snow spatter
	speckle_noise zoom_blur`)

// severities is the number of severities of a corruption: 5 if images is an array of CIFAR-10-C, which has all images
// of one severity after those of the one before, else 0.
func severities(set *data.Set) int {
	const n = 5
	labels := set.Test.Labels
	name, array := strings.CutSuffix(filepath.Base(set.Path), ".npy")
	if !array || !slices.Contains(corruptions, name) || len(labels)%n != 0 {
		return 0
	}
	one := len(labels) / n
	if !slices.Equal(labels[one:], labels[:len(labels)-one]) {
		return 0
	}
	return n
}

// bySeverity scores each of the n equal parts of the outputs.
func bySeverity(out train.Outputs, n int) (all []SeverityScore) {
	one := out.Len() / max(1, n)
	for i := range n {
		part := train.Outputs{Classes: out.Classes, Logits: out.Logits[i*one*out.Classes : (i+1)*one*out.Classes],
			Labels: out.Labels[i*one : (i+1)*one]}
		s := part.Score()
		all = append(all, SeverityScore{Severity: i + 1, N: s.N, Loss: s.Loss, Acc: s.Acc})
	}
	return all
}
