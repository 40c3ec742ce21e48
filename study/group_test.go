package study

import (
	"strings"
	"testing"
)

// The recipe of groups is what differs in training, augmentation included, without the question and the model.
func TestRecipe(t *testing.T) {
	of := func(lr, augment, dim, epochs string) Group {
		return Group{Runs: []Run{{Settings: []Setting{{Key: "train.lr", Value: lr},
			{Key: "data.augment", Value: augment}, {Key: "model.dim", Value: dim},
			{Key: "train.epochs", Value: epochs}}}}}
	}
	groups := []Group{of("0.1", "[crop]", "8", "4"), of("0.2", "[flip]", "16", "5")}
	if got := Recipe(groups, Question); !strings.Contains(got, "lr") || !strings.Contains(got, "augment") ||
		strings.Contains(got, "dim") || strings.Contains(got, "epochs") {
		t.Errorf("the groups differ in %q, want lr and augment", got)
	}
}
