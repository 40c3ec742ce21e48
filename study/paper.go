package study

import "math"

// Printed is the paper's result for a model.
type Printed struct {
	Name   string
	Acc    float64 // on the test set of CIFAR-10
	Params float64
	FLOP   float64 // twice the multiply-adds of linear maps and convolutions
}

// Paper lists the models of the paper's table; the generalised quadratic encoding is in its appendix. All were trained
// for 300 epochs at full width, with one seed each.
//
// Source: Cordonnier, Loukas, Jaggi 2020 (arXiv:1911.03584), table 1 and appendix.
var Paper = []Printed{
	{"resnet18", 0.938, 11.2e6, 1.1e9},
	{"quadratic", 0.938, 12.1e6, 6.2e9},
	{"quadratic-general", 0.934, 12.1e6, 6.2e9},
	{"learned", 0.918, 12.3e6, 6.2e9},
	{"content", 0.871, 29.5e6, 15e9},
}

// printed returns the paper's result for the row's model, or nil. Its accuracy, which is for CIFAR-10, is NaN for another
// data set.
func (r Row) printed() *Printed {
	for _, p := range Paper {
		if p.Name == r.Group.Base {
			if r.Runs[0].Value("data.name") != "cifar10" {
				p.Acc = math.NaN()
			}
			return &p
		}
	}
	return nil
}
