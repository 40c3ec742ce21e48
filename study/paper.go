package study

import (
	"github.com/attnconv/attnconv/null"
)

// A PaperResult is the paper's result for a model.
type PaperResult struct {
	Name   string     `json:"-"`
	Acc    null.Float `json:"acc"`    // on the test set of CIFAR-10; null for other data
	Params float64    `json:"params"` // number of trained values
	FLOP   float64    `json:"flop"`   // per image: twice the multiply-adds of linear maps and convolutions
}

// Paper lists the models of the paper's table; the generalized quadratic encoding is in its appendix. All were trained
// for 300 epochs at full width, with one seed each.
//
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), table 1 and appendix.
var Paper = []PaperResult{
	{"resnet18", 0.938, 11.2e6, 1.1e9},
	{"quadratic", 0.938, 12.1e6, 6.2e9},
	{"quadratic-general", 0.934, 12.1e6, 6.2e9},
	{"learned", 0.918, 12.3e6, 6.2e9},
	{"content", 0.871, 29.5e6, 15e9},
}

// paperResult returns the paper's result for a model, or nil. Its accuracy, which is for CIFAR-10, is NaN for other
// data.
func paperResult(g Group) *PaperResult {
	for _, p := range Paper {
		if p.Name == g.Base {
			if g.Runs[0].Value("data.name") != "cifar10" {
				p.Acc = null.Unknown
			}
			return &p
		}
	}
	return nil
}
