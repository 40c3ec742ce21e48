package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/configs"
)

// zooArms are the networks of study zoo, in the order of its table.
var zooArms = []string{"vit", "mixer", "convit", "swin", "nat", "quadratic", "coatnet", "cct", "convnext", "convmixer",
	"resnet18"}

// zooPreset is the preset of an arm.
func zooPreset(arm string) string {
	if arm == "quadratic" || arm == "resnet18" {
		return "small/" + arm
	}
	return "zoo/small-" + arm
}

// zooSearch are the arms of the search of a network.
func zooSearch(arm string) []string {
	if arm == "resnet18" {
		return atRates("search-resnet18", resNetRates...)
	}
	return atRates("search-" + arm)
}

func zooSearches() (arms []string) {
	for _, arm := range zooArms {
		arms = append(arms, zooSearch(arm)...)
	}
	return arms
}

// zooEpochs are those of the runs behind the search.
const zooEpochs = 8

// zooNumbers are the rates, accuracies and costs of known networks. It plans no test.
func zooNumbers(all *runs) ([]Number, error) {
	numbers := append(all.searchedIn("zoo", zooSearches()), all.accuracyNumbers("zoo", zooArms...)...)
	for _, arm := range zooArms {
		rate, err := strconv.ParseFloat(all.bestRate("zoo", zooSearch(arm)), 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, plain("rate/"+arm, 1, rate))
		for i, r := range all.planned("zoo", arm) {
			if i == 0 {
				numbers = append(numbers, plain("params/"+arm, 1, float64(r.Summary.Params)))
			}
		}
		if ms, ok := all.zooStep[arm]; ok {
			numbers = append(numbers, plain("ms/"+arm, 1, ms))
		}
	}
	return append(numbers, all.testedNumbers("zoo", nil, []contrast{{"cct", "vit"}, {"convnext", "convmixer"}})...), nil
}

// zooTable has a line for each network: what it reaches, and what it costs.
func zooTable(v *verdict) string {
	var lines [][]string
	for _, arm := range zooArms {
		line := []string{"`" + zooPreset(arm) + "`"}
		accuracy, rate, ms := v.find("zoo/accuracy/"+arm), v.find("zoo/rate/"+arm), "not measured"
		if n := v.find("zoo/ms/" + arm); n.N > 0 {
			ms = short(float64(n.Value))
		}
		if accuracy.N == 0 {
			line = append(line, noRun, "–")
		} else {
			value := float64(rate.Value)
			line = append(line, form(accuracy), fmt.Sprint(value)+edgeWord(zooSearch(arm), value))
		}
		params, macs := "–", "–"
		if preset, err := configs.Preset(zooPreset(arm)); err == nil {
			params, macs = fixed(float64(preset.Model.Params())/1e6, 2), short(float64(preset.Model.MACs().Run)/1e6)
		}
		lines = append(lines, append(line, params, macs, ms))
	}
	return rows([]string{"preset", "test accuracy:", "rate:", "parameters, million:", "multiply-adds of an image, million:",
		"ms a step of 256:"}, lines)
}

// edgeWord marks the smallest and the largest rate of a search.
func edgeWord(arms []string, rate float64) string {
	for _, arm := range arms {
		if strings.HasSuffix(arm, fmt.Sprintf("-lr%v", rate)) && atEdge(arms, arm) {
			return " (edge)"
		}
	}
	return ""
}

// zooEvidence is the line Evidence of the preset of a network.
func zooEvidence(v *verdict, arm string) string {
	n := v.find("zoo/accuracy/" + arm)
	if n.N == 0 {
		return "Not measured yet."
	}
	return fmt.Sprintf("%s %% on the test set of CIFAR-10 after %d epochs (n = %d), in study zoo: studies/README.md.",
		form(n), zooEpochs, n.N)
}
