package network

import (
	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/null"
)

// answers are what a network of another program answers if one layer is its nearest 3 × 3 convolution with zeros around
// the grid: Ŵ_δ between tokens of the grid. Attention to and of other tokens stays, and so do all other layers.
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
		percent("same class", "", sameClassOf).with(words("same class  percent of the pictures that keep their class with " +
			"the nearest 3 × 3 convolution instead of the layer")),
		hundredths("cosine", "", func(l Layer) null.Float {
			if l.Answers == nil || l.Answers.Classified {
				return null.Unknown
			}
			return cosineOf(l)
		}).with(words("cosine      of the network's feature with the feature for the nearest 3 × 3 convolution")),
	},
}

// Answers compare what a network returns with what it returns if a layer is its nearest 3 × 3 convolution.
type Answers struct {
	Images     int        `json:"images"`
	Classified bool       `json:"classified"` // the network has a classifier
	Same       int        `json:"same"`       // images that keep their class
	Cosine     null.Float `json:"cosine"`     // of logits or, without a classifier, features: mean over images
}

func newAnswers(images int, classified bool, a vision.Agreement) *Answers {
	return &Answers{images, classified, a.Same, null.Float(a.Cosine)}
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
