package network

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
)

// Summarize says in a sentence each how convolutional the layers of a run are and where their heads look, next to the
// same layers before the first step. It reads only weights, which takes seconds, and stops with the error of ctx when
// ctx is done. A sentence is "" where the weights do not say, as of attention that depends on the image.
func Summarize(ctx context.Context, s Subject) (layers, heads string, err error) {
	var of [2]string
	if err := until(ctx, func() (err error) { of[0], of[1], err = summarize(s); return err }); err != nil {
		return "", "", err
	}
	return of[0], of[1], nil
}

func summarize(s Subject) (layers, heads string, err error) {
	d := Analysis{Model: s.Net.Spec.Kind, baseline: "before training"}
	if d.Layers, err = glance(s.Net); err != nil || !s.Net.Attends() || !d.some(hasShares) {
		return "", "", err
	}
	note := ""
	if s.Start == nil {
		note = " There is no baseline, because the start of the run is unknown."
	} else if before, err := glance(s.Start); err != nil {
		return "", "", err
	} else {
		for i := range d.Layers {
			if l := &d.Layers[i]; l.Shares != nil && before[i].Shares != nil {
				shares.compare(nil, l, before[i:i+1])
				shifts.compare(nil, l, before[i:i+1])
			}
		}
	}
	if heads = howHeadsLook(d); heads != "" {
		heads += note
	}
	layers = howMuch(d)
	return "In one run, " + strings.ToLower(layers[:1]) + layers[1:] + note, heads, nil
}

// most is the largest work of Summarize, in multiply-adds, which takes about ten seconds. The paper's networks need a
// sixth.
const most = 2e10

// glance measures shares and shifts of the layers that have an operator without images; none, if that takes long.
func glance(net *model.Network) ([]Layer, error) {
	sites, err := sitesOf(net)
	work := 0.0 // multiply-adds of the maps of heads
	for _, s := range sites {
		if s.kind == attends && s.mix != nil {
			work += float64(len(attentionOf(s).Value.W.Data)) * float64(s.out)
		}
	}
	if err != nil || work > most {
		return nil, err
	}
	if _, err := see(context.Background(), net, sites, data.Split{}, 0, true); err != nil {
		return nil, err
	}
	layers := make([]Layer, len(sites))
	return layers, eachLayer(len(sites), func(i int) error {
		layers[i] = sites[i].unmeasured(i)
		if err := sites[i].project(); errors.As(err, new(missing)) {
			return nil
		} else if err != nil {
			return err
		}
		return cmp.Or(drawShares(sites[i], &layers[i]), measureShifts(sites[i], &layers[i]))
	})
}
