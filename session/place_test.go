package session

import "testing"

func TestPlaceOf(t *testing.T) {
	for where, want := range map[string]string{
		"mix-separable{rate=0,key=0} of encoder.layer.0.attention.self.value and encoder.layer.0.attention.output": "layer 1, attention values (mix-separable)",
		"dense of encoder.layer.11.output.dense":          "layer 12, feed-forward (dense)",
		"conv{3,1} of layer1.0.conv1":                     "layer1.0.conv1 (conv)",
		"d batch-norm{add=true} of layer3.1.bn2, input 0": "layer3.1.bn2 (gradient of batch-norm)",
		"space-to-depth{2}":                               "space-to-depth",
		"the norm of the gradients":                       "the norm of the gradients",
		"cross-entropy of classifier":                     "classifier (cross-entropy)",
	} {
		if got := placeOf(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
}
