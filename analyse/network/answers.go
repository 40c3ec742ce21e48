package network

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/null"
)

// sameAnswers compares what a network of another program answers as it is, and with its nearest 3 × 3 convolution
// instead of one layer: Ŵ_δ between tokens of the grid, with zeros around it. Attention to and of other tokens stays,
// and so do all other layers.
var sameAnswers = measure{
	columns: []column{
		percent("same class", "same_class", sameClassOf).only(withValues),
		hundredths("cosine", "answer_cosine", cosineOf).only(withValues),
	},
	legend: func(d Analysis) []string {
		if !d.some(func(l Layer) bool { return l.Answers != nil }) {
			return nil
		}
		return []string{"same class, cosine   pictures that keep their class with the nearest 3 × 3 convolution instead " +
			"of the layer, and the cosine of what the network returns"}
	},
	screen: []column{
		percent("same", "", sameClassOf).with(words("same      percent of the pictures that keep their class with the nearest " +
			"3 × 3 convolution instead of the layer")),
		hundredths("cosine", "", func(l Layer) null.Float {
			if l.Answers == nil || l.Answers.Classified {
				return null.Unknown
			}
			return cosineOf(l)
		}).with(words("cosine    of the network's feature with the feature for the nearest 3 × 3 convolution")),
	},
}

// Answers compare what a network returns with what it returns if a layer is its nearest 3 × 3 convolution.
type Answers struct {
	Images     int        `json:"images"`     // that were computed
	Classified bool       `json:"classified"` // the network has a classifier
	Same       int        `json:"same"`       // images that keep their class
	Cosine     null.Float `json:"cosine"`     // of logits or, without a classifier, features: mean over images
}

// kept is the part of the answers that stays.
func (a *Answers) kept() float64 {
	if a.Classified {
		return float64(a.Same) / float64(a.Images)
	}
	return float64(a.Cosine)
}

func sameClassOf(l Layer) null.Float {
	if l.Answers == nil || !l.Answers.Classified {
		return null.Unknown
	}
	return null.Float(l.Answers.kept())
}

var cosineOf = partOf(func(l Layer) *Answers { return l.Answers })(func(a *Answers) null.Float { return a.Cosine })

// whatAnswersKeep says how much the answers depend on each layer being more than a 3 × 3 convolution.
func whatAnswersKeep(d Analysis) string {
	layers := slices.DeleteFunc(slices.Clone(d.Layers), func(l Layer) bool { return l.Answers == nil })
	if len(layers) == 0 {
		return ""
	}
	best, worst := layers[0], layers[0]
	for _, l := range layers {
		if l.Answers.kept() > best.Answers.kept() {
			best = l
		}
		if l.Answers.kept() < worst.Answers.kept() {
			worst = l
		}
	}
	if !layers[0].Answers.Classified && len(layers) == 1 {
		return fmt.Sprintf("With the layer replaced by its nearest 3 × 3 convolution, without training, the feature behind it "+
			"has a cosine of %.2f with the feature as it is.", best.Answers.Cosine)
	}
	if !layers[0].Answers.Classified {
		return fmt.Sprintf("With one layer replaced by its nearest 3 × 3 convolution, without training, the feature behind "+
			"the last layer has a cosine of %.2f (layer %d) to %.2f (layer %d) with the feature as it is.",
			worst.Answers.Cosine, worst.Layer, best.Answers.Cosine, best.Layer)
	}
	text := "With one layer replaced by its nearest 3 × 3 convolution, without training, "
	if worst.Answers.Same == best.Answers.Same {
		return text + fmt.Sprintf("%d of %d pictures keep their class, whichever layer it is.", best.Answers.Same,
			best.Answers.Images)
	}
	return text + fmt.Sprintf("%d (layer %d) to %d (layer %d) of %d pictures keep their class.", worst.Answers.Same,
		worst.Layer, best.Answers.Same, best.Layer, best.Answers.Images)
}
